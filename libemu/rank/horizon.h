// Horizon of a rank: an instant up to which all messages that arrive have been taken in.
//
// The wire confirms a horizon. It remains valid, whatever other ranks do, until this rank sends something: an
// answer to that could arrive earlier (wire/table.h argues for a rank that does nothing meanwhile).
#pragma once

#include <algorithm>
#include <vector>

#include "match/bounds.h"

namespace emu::rank {

class Horizon {
 public:
  // All messages of `sources` that arrive up to `until` have been taken in.
  void learn(Instant until, const match::Sources& sources) {
    known_ = true;
    until_ = until;
    everyone_ = sources.everyone;
    sources_.assign(sources.named.begin(), sources.named.end());
  }
  // To be called when this rank has sent something.
  void forget() { known_ = false; }

  // True if no message of `sources` can arrive any more up to `at`. Also true for fewer sources, if they are the
  // first of the confirmed ones: calls list the sources that every call has to consider first.
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
