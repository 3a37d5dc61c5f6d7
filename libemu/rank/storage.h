// A rank's accesses to files, in virtual time: rank/semantics.md, "Files".
#pragma once

#include "clock/clock.h"
#include "model/storage.h"
#include "record/format.h"
#include "record/path.h"

namespace emu::rank {

// An access under way, or a sleep.
struct Access {
  Instant done;
  record::Path path;  // to that instant
  record::Awaited what = record::Awaited::storage;
};

class Storage {
 public:
  explicit Storage(const model::Storage& model) : model_(model) {}

  // The storage is not free before `until`: an access of another rank comes first. `way`: the path to that instant.
  void wait_for(Instant until, const record::Path& way) {
    if (until <= free_) return;
    free_ = until;
    path_ = way;
  }

  // An access of `bytes` begins at the clock, after earlier accesses.
  Access begin(clock::Clock& clock, model::Bytes bytes) {
    const Instant now = clock.now();
    if (now >= free_) path_ = clock.path();
    free_ = std::max(now, free_) + model_.per_byte.times(bytes);
    clock.check(free_);
    path_.store(model_.per_byte.times(bytes), 0, static_cast<double>(bytes));
    Access access{free_ + model_.latency, path_};
    clock.check(access.done);
    access.path.store(model_.latency, 1, 0);
    return access;
  }

  const model::Storage& model() const { return model_; }

 private:
  const model::Storage model_;
  Instant free_;       // the end of all accesses so far, without latency
  record::Path path_;  // to that instant
};

}  // namespace emu::rank
