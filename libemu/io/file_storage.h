// A storage that all ranks share: when each one's turn is. Its queue is kept at the first rank, where those who want to
// move bytes ask, in the order in which they come there in virtual time, as operations on windows do (rank/protocols/windows.h).
#pragma once

#include "base/time.h"
#include "model/network.h"
#include "model/storage.h"
#include "rank/rank.h"

namespace emu::mpi {

class SharedStorage final : public rank::WindowMemory {
 public:
  // By all ranks, before any asks. Both outlive it. `name`: of no window.
  SharedStorage(rank::Rank& rank, const model::Network& network, const model::Storage& model,
                match::Context name);

  // This rank is about to move `bytes`, and goes on when it has been told when its turn is: its storage is not free before.
  void ask(model::Bytes bytes);

  void apply(std::span<const std::byte> operation, std::byte* answer) override;

 private:
  struct Access {
    Instant at;  // the answer comes, if nothing is in its way
    model::Bytes bytes;
  };

  rank::Rank& rank_;
  const model::Network& network_;
  const model::Storage model_;
  const match::Context name_;
  Instant free_;  // at the first rank: all that was asked for has been moved
};

}  // namespace emu::mpi
