// How this process competes for the host's CPUs.
#pragma once

namespace emu::wire {

// Ranks that mostly wake, pass a message on and sleep again should not wait behind others' time slices: asks
// for slices of 0.1 ms, which makes the scheduler run this process soon after it wakes (Linux 6.12 and later;
// elsewhere, nothing).
void prefer_short_slices();

}  // namespace emu::wire
