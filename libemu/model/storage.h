// Costs of a target's storage: rank/semantics.md, "Files".
#pragma once

#include "base/rate.h"
#include "base/time.h"

namespace emu::model {

// An access of b bytes keeps the storage for b times `per_byte`; whoever asked has its answer `latency` later.
// Bytes of one rank follow each other; those of several ranks pass side by side, or, where it is shared, follow each other
// too. The values here are those of a target that says nothing of its storage: about a plain disk.
struct Storage {
  Interval latency = Interval::picoseconds(1'000'000'000);
  Rate per_byte = Rate::femtoseconds_per_byte(10'000'000);  // 100 MB/s
  bool given = false;                                       // the target says so
  bool shared = false;                                      // one for all ranks
};

}  // namespace emu::model
