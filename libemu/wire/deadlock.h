// Deadlock report: the wait of each rank.
#pragma once

#include <string>
#include <type_traits>
#include <vector>

#include "wire/table.h"

namespace emu::wire {

// A rank that will never act again. Agents send it as bytes.
struct Waiter {
  std::int32_t rank;
  std::int32_t finished;       // 0: no; 2: without MPI_Finalize
  std::int32_t failed;         // with its node; counts as finished
  std::int64_t finish;         // picoseconds
  Wait wait;                   // if it has not finished
  OtherWaits other_waits;      // waits of its other threads
  std::int32_t other_threads;  // number of these threads
  Losses lost, unsent;
  LastJoined joined = {};
};
static_assert(std::is_trivially_copyable_v<Waiter>);

// Conversions to the form in the table.
void write(Wait& wait, const match::Waiting& why);
void write(Joined& joined, const match::Joined& collective);
void add(Losses& losses, const match::Loss& loss);

Waiter waiter(Table& table, const NodeMap& node_map, int rank);  // of this node

// False if all have finished.
bool deadlocked(const std::vector<Waiter>& ranks);
std::string describe_deadlock(const std::vector<Waiter>& ranks);

}  // namespace emu::wire
