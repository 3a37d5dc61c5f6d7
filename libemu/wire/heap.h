// Memory for messages in the shared region. Each rank allocates blocks for the
// messages that it sends; the receiver returns a block to the rank that allocated it.
// Block sizes are powers of two; spans of fresh memory come from a common counter.
//
// Large free blocks return their memory to the system, except for a fixed amount plus the greatest recent use, or twice
// that for blocks that are used again and again: the next user of a returned block has to wait for zeroed pages.
#pragma once

#include <array>
#include <cstdint>

#include "base/failure.h"
#include "match/message.h"
#include "wire/table.h"

namespace emu::wire {

class Heap {
 public:
  // `self`: the slot of the allocating process.
  Heap(std::byte* base, std::size_t bytes, Table& table, int self)
      : base_(base), bytes_(bytes), table_(table), self_(self) {}

  // Null if the region is full.
  match::Message* allocate(model::Bytes payload);
  void release(match::Message* message);

  std::uint64_t offset(const match::Message* m) const {
    return static_cast<std::uint64_t>(reinterpret_cast<const std::byte*>(m) - base_);
  }
  match::Message* at(std::uint64_t offset) const { return reinterpret_cast<match::Message*>(base_ + offset); }

 private:
  static constexpr int classes = 40;
  static constexpr std::uint64_t span = 64 << 10;
  static constexpr int large = 18;  // from 256 KiB on
  static constexpr std::uint64_t hollow =
      0x80;  // in Message::home: the block's memory is returned to the system
  static constexpr std::uint64_t again = 0x40;  // there, too: not the first use of the block
  static constexpr std::uint64_t class_mask = 0x3f;
  static constexpr std::int64_t always_kept = 16 << 20;

  static int class_of(model::Bytes bytes);
  static std::uint64_t home(int owner, int cls) {
    return static_cast<std::uint64_t>(owner) << 8 | static_cast<std::uint64_t>(cls);
  }
  static int class_of(const match::Message* m) { return static_cast<int>(m->home & class_mask); }
  static bool is_hollow(const match::Message* m) { return (m->home & hollow) != 0; }
  void collect();  // blocks that receivers have returned
  // Account for a large block that is allocated, and was idle before if `was_idle`; and for one that is released.
  [[gnu::noinline]] void take_large(int cls, bool was_idle);
  [[gnu::noinline]] void give_large_back(match::Message* m);
  // Greatest size of idle blocks, this one included.
  std::int64_t kept_with(const match::Message* idle) const;
  void empty(match::Message* idle);
  [[gnu::noinline]] std::uint64_t carve(int cls);

  struct Class {
    std::uint64_t free = 0;   // offset of the first free block, linked; 0: none
    std::uint64_t fresh = 0;  // the rest of the current span
    std::uint64_t end = 0;
  };
  std::byte* base_;
  std::size_t bytes_;
  Table& table_;
  int self_;
  std::array<Class, classes> classes_{};
};

// A list of messages handed over: senders push the newest first; one process takes all, oldest first.
inline void put(std::atomic<std::uint64_t>& list, match::Message* m, const Heap& heap) {
  const std::uint64_t block = heap.offset(m);
  m->link = list.load(std::memory_order_relaxed);
  while (!list.compare_exchange_weak(m->link, block, std::memory_order_release, std::memory_order_relaxed)) {
  }
}
inline match::Message* take_all(std::atomic<std::uint64_t>& list, const Heap& heap) {
  if (list.load(std::memory_order_relaxed) == 0) return nullptr;
  std::uint64_t block = list.exchange(0, std::memory_order_acquire);
  match::Message* oldest = nullptr;
  while (block) {
    match::Message* m = heap.at(block);
    block = m->link;
    m->next = oldest;
    oldest = m;
  }
  return oldest;
}

}  // namespace emu::wire
