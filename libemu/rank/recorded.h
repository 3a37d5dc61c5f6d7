// A message as a trace shows it.
#pragma once

#include "match/message.h"
#include "rank/core.h"
#include "record/recorder.h"

namespace emu::rank {

static_assert(static_cast<int>(match::Message::Kind::data) + 1 == record::message_kinds);

// `peer`: the other end.
inline record::Envelope recorded(const match::Message& m, int peer) {
  return {static_cast<int>(m.kind), peer, m.arrival.sequence, m.envelope.tag, m.envelope.bytes,
          m.envelope.context};
}

// It has just been received, at `cost`; something is recorded.
[[gnu::cold]] inline void record_received(const Core& core, const match::Message& m, Interval cost) {
  core.recorder->received(recorded(m, m.arrival.source), core.clock.now(), cost, core.clock.path().hop);
}

}  // namespace emu::rank
