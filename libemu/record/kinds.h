// Kinds of messages and of one-sided operations. Their numbers are part of the trace format (record/format.md).
#pragma once

#include <cstdint>

namespace emu::record {

enum class MessageKind : std::uint8_t {
  eager,    // envelope and data
  request,  // rendezvous, first message: the envelope only
  answer,   // rendezvous, second message: the receiver is ready; or the acknowledgement of synchronous data
  data,     // rendezvous, third message
  // The kinds below occur in no trace.
  notice,  // announces a message in transit to host nodes on which it has no end
  // One-sided communication (rank/protocols/windows.h). These messages have their own numbering at each sender.
  operation,  // acts on the receiver's memory; the tag is the OperationKind
  result,     // the answer to an operation
};
inline constexpr int message_kinds = 4;  // kinds that occur in traces

// The first message of a send.
constexpr bool begins_send(MessageKind kind) {
  return kind == MessageKind::eager || kind == MessageKind::request;
}
// A control message of the rendezvous protocol.
constexpr bool is_handshake(MessageKind kind) {
  return kind == MessageKind::request || kind == MessageKind::answer;
}
constexpr bool carries_data(MessageKind kind) {
  return kind == MessageKind::eager || kind == MessageKind::data;
}

enum class OperationKind : std::uint8_t {
  act,       // access to memory
  lock,      // later operations of its origin wait until the origin has the lock
  unlock,    // takes effect after all earlier operations of its origin; has a result
  flush,     // like unlock, but keeps the lock
  withdraw,  // cancels a message: acts on the receiver's queue (rank/protocols/withdrawals.h)
};
inline constexpr int operation_kinds = 5;

}  // namespace emu::record
