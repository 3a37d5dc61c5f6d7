// Nodes that fail and recover: [[event]] with kind = "fail" or "recover".
#pragma once

#include <vector>

#include "target/table.h"
#include "target/target.h"

namespace emu::target {

enum class EventKind { speed, fail, recover, link };

// An event of the file.
struct Event {
  Table table;
  EventKind kind;
  std::size_t number;  // in the file, from 1
};
// All whose kind is one.
std::vector<Event> read_kinds(const Table& root);

// Fills in `outages`, and the speed 0 that they mean, from those of all events that are about failures.
void read_failures(const std::vector<Event>& events, Target& target);

}  // namespace emu::target
