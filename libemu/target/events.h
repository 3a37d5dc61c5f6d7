// [[event]] of a target file, before its kind is interpreted.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/time.h"
#include "target/table.h"

namespace emu::target {

enum class EventKind { speed, fail, recover, link };

struct Event {
  Table table;
  EventKind kind;
  std::size_t number;  // in the file, from 1
};

// All events of a known kind. Reports keys that an event of its kind does not have.
std::vector<Event> read_events(const Table& root);

// Position and time of an event, for messages about contradictions: "event 2 of the file, from 1 s to 5 s".
std::string name(std::size_t number, Instant from, Instant until);
// "from 1 s to 5 s"; without an end: "from 1 s".
std::string period(Instant from, Instant until);

}  // namespace emu::target
