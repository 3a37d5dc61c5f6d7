// Movement of messages between ranks.
#pragma once

#include <cstdint>

#include "match/message.h"

namespace emu::match {

class Transport {
 public:
  virtual ~Transport() = default;

  // A message with room for `payload` bytes.
  virtual Message* allocate(model::Bytes payload) = 0;
  virtual void release(Message* message) = 0;

  // Hands the message over, announces it, and lowers the receiver's bound to its arrival, in this order and
  // before any later raise of this rank's own bound.
  virtual void deliver(int to, Message* message) = 0;

  // Takes the messages that have been handed over, oldest first per source, linked by `next`; null if there are none.
  // This and earlier calls return every message that was announced up to the value of announced() read before the call.
  virtual std::uint64_t announced() = 0;
  virtual Message* drain() = 0;
};

}  // namespace emu::match
