// Random programs in which difficult cases are frequent: receives from any source for which several messages compete,
// at nearly or exactly one instant; short messages behind long ones; probes while receives are posted; handshakes that
// proceed during calls on other requests.
#pragma once

#include <cstdint>

#include "reference/program/batch.h"
#include "reference/program/program.h"

namespace emu::reference {

// The program depends only on the seed and the batch. All ranks start at (nearly) equal clocks, and end with all
// requests complete, all messages received, and equal clocks. Some programs deadlock.
Program generate(std::uint64_t seed, const Batch& batch);

// A program whose ranks continue when others have failed: they acknowledge, agree and shrink. Its last operation is an
// agreement of all remaining ranks.
Program generate_noticing(std::uint64_t seed, const Batch& batch);

// A program that cannot deadlock, however long its computations take: calls that wait follow when all messages are in
// progress.
Program generate_measured(std::uint64_t seed, const Batch& batch);

// The program of one of `concurrent_threads` threads of each rank, which play at the same time. It cannot deadlock
// either, and receives the same messages in every order of the threads' calls, except those without an intended
// receive. Cancels of sends are frequent, beside probes and matched probes.
inline constexpr int concurrent_threads = 2;
// True for the tags of messages without an intended receive.
inline bool is_stray(int tag) { return tag % 10 == 5; }
Program generate_concurrent(std::uint64_t seed, const Batch& batch, int thread);

// The operations of all ranks before the first program: they create the communicators.
Program setup(int ranks);

}  // namespace emu::reference
