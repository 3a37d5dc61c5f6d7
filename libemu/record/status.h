// Public status of a run in progress, at the front of the shared region, for the progress
// line of `emu run`. Values may be slightly old; none is needed for correctness.
#pragma once

#include <atomic>
#include <cstdint>

namespace emu::record {

struct JobStatus {
  static constexpr std::uint64_t magic_value = 0x31757461'74736d65;  // "emstatu1"
  std::uint64_t magic = 0;
  std::int32_t ranks = 0;
  std::int32_t stride = 0;         // bytes between the records of two ranks
  std::uint64_t first_record = 0;  // offset of rank 0's record from the front of the region
};

// First part of each rank's record.
struct RankStatus {
  // The rank's virtual clock in picoseconds; Instant::never() once it has finished.
  std::atomic<std::int64_t> clock;
  std::atomic<std::int64_t> messages;  // sent so far, control messages included
};

}  // namespace emu::record
