// State of a rank at every instant of a record.
#pragma once

#include <array>

#include "analysis/trace_reader.h"
#include "record/summary.h"

namespace emu::analysis {

enum class State { compute, send, receive, handshake, poll, wait, down };

// List of all states, over which all functions about states iterate. A
// new state needs an enumerator, a row here, and a period of time in it.
struct StateRow {
  const char* name;   // in outputs
  const char* words;  // for users
  const char* color;  // in the report's page
  Interval record::Breakdown::*part;
};
// In the order of State.
inline constexpr std::array states = std::to_array<StateRow>({
    {"compute", "compute", "#3f8f5b", &record::Breakdown::compute},
    {"send_overhead", "send overhead", "#e0912f", &record::Breakdown::send_overhead},
    {"receive_overhead", "receive overhead", "#d8592f", &record::Breakdown::receive_overhead},
    {"handshake", "handshake", "#9a62b8", &record::Breakdown::handshake},
    {"poll", "poll", "#b9a13c", &record::Breakdown::poll},
    {"wait", "waiting", "#cfd6df", &record::Breakdown::wait},
    {"node_down", "node down", "#39424e", &record::Breakdown::down},
});
constexpr const StateRow& row_of(State state) { return states[static_cast<std::size_t>(state)]; }

// Calls use(state, from, until) for each stretch of the time that the event takes, in order.
template <class Use>
void stretches(const Event& e, Use use) {
  const auto cut = [&](State state, Instant from, Instant until) {
    e.outages->cut(from, until,
                   [&](bool down, Instant a, Instant b) { use(down ? State::down : state, a, b); });
  };
  const bool handshake = record::is_handshake(e.message.kind);
  switch (e.kind) {
    case Record::sent:
      cut(State::wait, e.from, e.met);
      return cut(handshake ? State::handshake : State::send, e.met, e.now);
    case Record::received:
    case Record::found:
      cut(State::wait, e.from, e.met);
      return cut(handshake ? State::handshake : State::receive, e.met, e.now);
    case Record::operated:
      cut(State::wait, e.from, e.met);
      return cut(e.message.operation == record::OperationKind::act ? State::send : State::handshake, e.met,
                 e.now);
    case Record::answered:
    case Record::waited:
      return cut(State::wait, e.from, e.now);
    case Record::polled:
      return cut(State::poll, e.from, e.now);
    default:
      return cut(State::compute, e.from, e.now);
  }
}

}  // namespace emu::analysis
