// Plays one rank of a GOAL schedule as MPI calls.
//
// An operation starts when those it `requires` are complete and those it `irequires` are started. A rank has
// one CPU: of the operations that may start, the first in file order does, and a `calc` keeps the CPU until
// it ends. When none may start, the rank waits for the first of the messages under way to complete; only then
// does it notice which are complete.
//
// An operation that is alone (nothing is under way, and nothing else could start before it completes) is a
// blocking call; so a rank whose operations form a chain makes blocking calls only. Others are non-blocking.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "goal_file.h"

namespace emu::goal {

class Player {
 public:
  // `operations` outlives the player. A unit of `calc` is `unit` picoseconds.
  Player(const std::vector<Operation>& operations, std::int64_t unit, MPI_Comm comm);

  // Plays all operations. The schedule's ranks are those of `comm`.
  void play();

 private:
  void run(int index);
  bool alone(int index) const;
  void start_message(int index, bool blocking);
  void wait_for_one();
  void release(const std::vector<int>& dependents);

  const std::vector<Operation>& operations_;
  std::int64_t unit_;
  MPI_Comm comm_;
  std::vector<std::vector<int>> after_start_,
      after_end_;                           // operations that wait for the start, the end of this one
  std::vector<int> missing_;                // per operation: starts and ends it still waits for
  std::vector<int> ready_;                  // heap, least index first: operations that may start
  std::vector<MPI_Request> requests_;       // under way
  std::vector<int> request_of_;             // the operation each request belongs to
  std::vector<std::vector<char>> buffers_;  // and its data
  std::vector<char> scratch_;               // data of blocking calls
};

// The longest calc of the schedule is `unit` times its amount: false if that does not fit into picoseconds.
bool fits_in_picoseconds(const Schedule& schedule, std::int64_t unit);

}  // namespace emu::goal
