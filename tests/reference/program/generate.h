// Random programs, made so that what is hard to get right happens often: receives from any source for which
// several messages compete, at nearly or exactly the same instant; short messages behind long ones; probes
// beside posted receives; handshakes that go on inside calls on something else.
#pragma once

#include <cstdint>

#include "reference/program/batch.h"
#include "reference/program/program.h"

namespace emu::reference {

// The same for the same seed and batch, on any machine. Ranks start at the same clock or nearly; all end with
// all requests complete, all messages received, and the same clock. Some programs deadlock.
Program generate(std::uint64_t seed, const Batch& batch);

// The same for a program whose ranks go on when others have failed: they acknowledge, agree and shrink. Its
// last operation is an agreement of all that are left.
Program generate_noticing(std::uint64_t seed, const Batch& batch);

// The same for a program that cannot deadlock, whatever its computations take: calls that wait come where all
// messages are under way.
Program generate_measured(std::uint64_t seed, const Batch& batch);

// What all ranks do before the first program: the communicators.
Program setup(int ranks);

}  // namespace emu::reference
