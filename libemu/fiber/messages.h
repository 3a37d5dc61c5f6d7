// Memory of the messages between ranks of one process.
#pragma once

#include <cstddef>
#include <cstdint>
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
    for (match::Message* const message : long_) std::free(message);
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
      give_back_long(message);
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
    if (long_.size() == long_.capacity()) long_.reserve(2 * long_.size() + 1);
    void* const memory = std::malloc(sizeof(match::Message) + static_cast<std::size_t>(payload));
    if (!memory) throw std::bad_alloc();
    long_.push_back(new (memory) match::Message{});
    long_.back()->home = long_.size();
    return long_.back();
  }
  [[gnu::noinline]] void give_back_long(match::Message* message) {
    const std::uint64_t home = message->home;
    long_[home - 1] = long_.back();
    long_[home - 1]->home = home;
    long_.pop_back();
    std::free(message);
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
  std::vector<match::Message*> long_;  // with a payload, each at the index before its `home`; not given back
  std::int64_t count_ = 0;
};

}  // namespace emu::fiber
