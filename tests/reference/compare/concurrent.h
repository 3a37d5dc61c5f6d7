// Programs of concurrent threads: each thread of a rank plays a program of its own, on communicators of its own, at the
// same time. The order of the threads' calls is the host's, so their clocks and answers are not known in advance.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reference/compare/chain.h"

namespace emu::reference {

// One chain for each thread, of the same program numbers. The expected results are those of the program alone.
std::vector<Chain> simulate_concurrent(const Batch& batch, std::uint64_t first, std::uint64_t count);

// Each operation must be complete, and each rank must have received the messages that it receives in the simulator,
// each of them once; those without an intended receive do not count. `logs`: the player's files without ".THREAD.RANK".
std::optional<Difference> compare_concurrent(const std::vector<Chain>& threads, const std::string& logs);

}  // namespace emu::reference
