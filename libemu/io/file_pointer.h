// The shared pointer of a file, where ranks also move it alone: a number at the first member, which operations of the
// others read and move in the order in which they arrive there in virtual time, as those on windows do (rank/protocols/windows.h).
#pragma once

#include <mpi.h>

#include "comm/communicator.h"
#include "rank/rank.h"

namespace emu::mpi {

class SharedPointer final : public rank::WindowMemory {
 public:
  // By all members, before any of them moves it. Both outlive it.
  SharedPointer(rank::Rank& rank, const Communicator& members, MPI_Offset at);
  // Nobody moves it any more.
  ~SharedPointer() override;
  SharedPointer(const SharedPointer&) = delete;

  // Where it was before it moved on by `elements` of the view. Returns when that has been answered.
  MPI_Offset move(MPI_Offset elements) { return ask({elements, false}); }
  MPI_Offset get() { return move(0); }
  void set(MPI_Offset to) { ask({to, true}); }

  void apply(std::span<const std::byte> operation, std::byte* answer) override;

 private:
  struct Move {
    MPI_Offset elements;
    bool absolute;
  };
  MPI_Offset ask(const Move& move);

  rank::Rank& rank_;
  const Communicator& members_;
  MPI_Offset at_;  // at the first member
};

}  // namespace emu::mpi
