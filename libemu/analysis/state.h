// What a rank does at every instant of a record.
#pragma once

#include <array>

#include "analysis/reader.h"
#include "record/summary.h"

namespace emu::analysis {

enum class State { compute, send, receive, handshake, poll, wait, down };
inline constexpr std::size_t states = 7;
inline constexpr std::array<const char*, states> state_names = {
    "compute", "send overhead", "receive overhead", "handshake", "poll", "waiting", "node down"};
inline constexpr std::array<Interval record::Breakdown::*, states> parts = {
    &record::Breakdown::compute,   &record::Breakdown::send_overhead, &record::Breakdown::receive_overhead,
    &record::Breakdown::handshake, &record::Breakdown::poll,          &record::Breakdown::wait,
    &record::Breakdown::down};

// Calls use(state, from, until) for each stretch of the time that the event takes, in order.
template <class Use>
void stretches(const Event& e, Use use) {
  const auto cut = [&](State state, Instant from, Instant until) {
    e.outages->cut(from, until,
                   [&](bool down, Instant a, Instant b) { use(down ? State::down : state, a, b); });
  };
  const bool handshake = e.message.kind == 1 || e.message.kind == 2;
  switch (e.kind) {
    case Record::sent:
      cut(State::wait, e.from, e.met);
      return cut(handshake ? State::handshake : State::send, e.met, e.now);
    case Record::received:
    case Record::found:
      cut(State::wait, e.from, e.met);
      return cut(handshake ? State::handshake : State::receive, e.met, e.now);
    case Record::waited:
      return cut(State::wait, e.from, e.now);
    case Record::polled:
      return cut(State::poll, e.from, e.now);
    default:
      return cut(State::compute, e.from, e.now);
  }
}

}  // namespace emu::analysis
