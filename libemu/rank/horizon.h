// Horizon of a rank: up to some instant nothing arrives here that is not here already.
//
// That is certain once the wire has said so, and stays so whatever others do, until this rank sends something
// itself: an answer to that may come sooner (wire/table.h argues for a rank that does nothing meanwhile).
#pragma once

#include <algorithm>
#include <vector>

#include "match/wire.h"

namespace emu::rank {

class Horizon {
 public:
  // Up to `until` no message of `sources` will arrive that has not been taken in.
  void learn(Instant until, const match::Sources& sources) {
    known_ = true;
    until_ = until;
    everyone_ = sources.everyone;
    sources_.assign(sources.named.begin(), sources.named.end());
  }
  // This rank has sent something.
  void forget() { known_ = false; }

  // Whether nothing of `sources` can arrive any more up to `at`. Fewer sources are covered if they
  // are the first ones of those that were asked for: calls ask for what they handle by the way first.
  bool covers(Instant at, const match::Sources& sources) const {
    if (!known_ || at > until_) return false;
    if (everyone_) return true;
    return !sources.everyone && sources.named.size() <= sources_.size() &&
           std::equal(sources.named.begin(), sources.named.end(), sources_.begin());
  }
  Instant until() const { return until_; }

 private:
  bool known_ = false;
  bool everyone_ = false;
  Instant until_;
  std::vector<int> sources_;
};

}  // namespace emu::rank
