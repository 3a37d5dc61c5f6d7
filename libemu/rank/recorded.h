// Messages and operations in the form in which a trace records them.
#pragma once

#include "match/message.h"
#include "rank/core.h"
#include "record/recorder.h"

namespace emu::rank {

// `peer`: the rank at the other end.
inline record::Envelope recorded(const match::Message& m, int peer) {
  return {m.kind, peer, m.arrival.sequence, m.envelope.tag, m.envelope.bytes, m.envelope.context};
}

// An operation of `bytes` bytes for rank `to`.
inline record::Envelope recorded_operation(const match::Message& m, int to, model::Bytes bytes) {
  return {.peer = to,
          .bytes = bytes,
          .context = m.envelope.context,
          .operation = static_cast<record::OperationKind>(m.envelope.tag)};
}

// Records a message that has just been received, at `cost`. Requires a recorder.
[[gnu::cold]] inline void record_received(Core& core, const match::Message& m, Interval cost) {
  core.recorder->received(recorded(m, m.arrival.source), core.clock.now(), cost, core.clock.path().hop,
                          core.clock.take_late());
}

// Records the result of this rank's operation number `operation`, which has just been handled. Requires a recorder.
[[gnu::cold]] inline void record_answered(Core& core, const match::Message& m, std::uint64_t operation) {
  const record::Envelope result{.peer = m.arrival.source,
                                .sequence = operation,
                                .bytes = m.envelope.bytes,
                                .context = m.envelope.context};
  core.recorder->answered(result, core.clock.now(), core.clock.path().hop, core.clock.take_late());
}

}  // namespace emu::rank
