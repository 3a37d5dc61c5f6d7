// Memory of the messages between ranks of one process.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#include "match/message.h"

namespace emu::fiber {

class Messages {
 public:
  Messages() = default;
  Messages(const Messages&) = delete;
  ~Messages() {
    for (std::byte* const block : blocks_) std::free(block);
  }

  // Messages with a payload are few in jobs with many messages, so they have blocks of their own.
  match::Message* take(model::Bytes payload) {
    ++count_;
    if (payload > 0) [[unlikely]]
      return take_long(payload);
    if (!spare_) grow();
    match::Message* const message = spare_;
    spare_ = message->next;
    return new (message) match::Message{};
  }
  void give_back(match::Message* message) {
    --count_;
    if (message->home != 0) [[unlikely]] {
      std::free(message);
      return;
    }
    message->next = spare_;
    spare_ = message;
  }
  // Number of messages taken and not given back.
  std::int64_t count() const { return count_; }

 private:
  static constexpr std::size_t at_once = 128;

  [[gnu::noinline]] match::Message* take_long(model::Bytes payload) {
    void* const memory = std::malloc(sizeof(match::Message) + static_cast<std::size_t>(payload));
    if (!memory) throw std::bad_alloc();
    auto* const message = new (memory) match::Message{};
    message->home = 1;
    return message;
  }
  [[gnu::noinline]] void grow() {
    auto* const block = static_cast<std::byte*>(std::malloc(at_once * sizeof(match::Message)));
    if (!block) throw std::bad_alloc();
    blocks_.push_back(block);
    for (std::size_t i = at_once; i-- > 0;) {
      auto* const message = new (block + i * sizeof(match::Message)) match::Message{};
      message->next = spare_;
      spare_ = message;
    }
  }

  match::Message* spare_ = nullptr;  // linked by `next`
  std::vector<std::byte*> blocks_;
  std::int64_t count_ = 0;
};

}  // namespace emu::fiber
