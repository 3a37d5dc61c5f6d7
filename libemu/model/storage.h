// Costs of a target's storage: rank/semantics.md, "Files".
#pragma once

#include "base/rate.h"
#include "base/time.h"

namespace emu::model {

// An access of b bytes occupies the storage for b times `per_byte`; the caller has its answer `latency`
// later. Accesses of one rank are serialised. Those of several ranks are concurrent, or also serialised if
// the storage is shared. The default values, for a target without a storage, are about those of a plain disk.
struct Storage {
  Interval latency = Interval::picoseconds(1'000'000'000);
  Rate per_byte = Rate::femtoseconds_per_byte(10'000'000);  // 100 MB/s
  bool given = false;                                       // the target has a storage
  bool shared = false;                                      // one storage for all ranks
};

}  // namespace emu::model
