// A storage that all ranks share: the order of their accesses. The first rank keeps its queue. Ranks ask it for their
// turns, in the order in which requests arrive there in virtual time, like operations on windows
// (rank/protocols/window_server.h).
#pragma once

#include "base/time.h"
#include "model/network.h"
#include "model/storage.h"
#include "rank/rank.h"

namespace emu::mpi {

class SharedStorage final : public rank::WindowMemory {
 public:
  // Called by all ranks, before any of them asks. Both references outlive the object. `name`: a context that no window
  // has.
  SharedStorage(rank::Rank& rank, const model::Network& network, const model::Storage& model,
                match::Context name);

  // This rank is about to transfer `bytes`: asks for its turn, and waits for the answer. Its storage is not free before
  // then.
  void ask(model::Bytes bytes);

  void apply(std::span<const std::byte> operation, std::byte* answer) override;

 private:
  struct Access {
    Instant at;  // arrival of the answer, unless it is delayed
    model::Bytes bytes;
  };

  rank::Rank& rank_;
  const model::Network& network_;
  const model::Storage model_;
  const match::Context name_;
  Instant free_;  // at the first rank: end of all accesses requested so far
};

}  // namespace emu::mpi
