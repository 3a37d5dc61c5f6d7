// Operations of a GOAL schedule as MPI calls, with declared compute.
#pragma once

#include <mpi.h>

#include <vector>

#include "player.h"

namespace emu::goal {

class MpiCalls final : public Calls {
 public:
  // The schedule's ranks are those of `comm`.
  explicit MpiCalls(MPI_Comm comm) : comm_(comm) {}

  void compute(std::int64_t picoseconds) override;
  void call(const Operation16& operation) override;
  void start(int number, const Operation16& operation) override;
  int wait_for_one() override;

 private:
  MPI_Comm comm_;
  std::vector<MPI_Request> requests_;       // in progress
  std::vector<int> request_of_;             // the operation of each request
  std::vector<std::vector<char>> buffers_;  // and the data of each request
  std::vector<char> scratch_;               // data of blocking calls
};

}  // namespace emu::goal
