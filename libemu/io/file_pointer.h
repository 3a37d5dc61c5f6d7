// Shared pointer of a file that ranks move individually: a number at the first member, which operations of other
// members read and move in the order in which they arrive there in virtual time, like operations on windows
// (rank/protocols/window_server.h).
#pragma once

#include <mpi.h>

#include "comm/communicator.h"
#include "rank/rank.h"

namespace emu::mpi {

class SharedPointer final : public rank::WindowMemory {
 public:
  // Called by all members, before any of them moves the pointer. Both references outlive the object.
  SharedPointer(rank::Rank& rank, const Communicator& members, MPI_Offset at);
  // No rank moves the pointer any more.
  ~SharedPointer() override;
  SharedPointer(const SharedPointer&) = delete;

  // Moves the pointer by `elements` of the view. Returns the former value, when the result has arrived.
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
