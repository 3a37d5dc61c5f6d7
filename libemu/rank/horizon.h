// What a rank has learned of the future: up to some instant nothing arrives here that is not here already.
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
  // Up to `until` no message of `concern` will arrive that has not been taken in.
  void learn(Instant until, const match::Concern& concern) {
    known_ = true;
    until_ = until;
    everyone_ = concern.everyone;
    sources_.assign(concern.sources.begin(), concern.sources.end());
  }
  // This rank has sent something.
  void forget() { known_ = false; }

  // Whether nothing of `concern` can arrive any more up to `at`. A concern about fewer ranks is covered if its
  // sources are the first ones of those that were asked for: calls ask for what they handle by the way first.
  bool covers(Instant at, const match::Concern& concern) const {
    if (!known_ || at > until_ || concern.at_once) return false;
    if (everyone_) return true;
    return !concern.everyone && concern.sources.size() <= sources_.size() &&
           std::equal(concern.sources.begin(), concern.sources.end(), sources_.begin());
  }
  Instant until() const { return until_; }

 private:
  bool known_ = false;
  bool everyone_ = false;
  Instant until_;
  std::vector<int> sources_;
};

}  // namespace emu::rank
