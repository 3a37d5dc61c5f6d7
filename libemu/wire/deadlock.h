// The report of a deadlock: who waits for whom.
#pragma once

#include <string>
#include <type_traits>
#include <vector>

#include "wire/table.h"

namespace emu::wire {

// A rank that will never act again. Agents send it as it is.
struct Waiter {
  std::int32_t rank;
  std::int32_t finished;        // 0 if not, 2 without MPI_Finalize
  std::int32_t failed;          // with its node, which counts as finished
  std::int64_t finish;          // picoseconds
  Wait wait;                    // if it has not finished
  OthersWaits beside;           // what other threads of it wait for
  std::int32_t threads_beside;  // how many of them there are
  Losses lost, unsent;
  LastJoined joined = {};
};
static_assert(std::is_trivially_copyable_v<Waiter>);

// As the table has them.
void write(Wait& wait, const match::Waiting& why);
void write(Joined& joined, const match::Joined& collective);
void add(Losses& losses, const match::Loss& loss);

Waiter waiter(Table& table, const NodeMap& node_map, int rank);  // of this node

// Not if all have finished.
bool deadlocked(const std::vector<Waiter>& ranks);
std::string describe_deadlock(const std::vector<Waiter>& ranks);

}  // namespace emu::wire
