#include "wire/heap.h"

#include <algorithm>
#include <bit>
#include <new>

namespace emu::wire {

using match::Message;

[[gnu::hot]] int Heap::class_of(model::Bytes bytes) {
  const auto need = static_cast<std::uint64_t>(bytes) + sizeof(Message);
  return std::max(smallest, static_cast<int>(std::bit_width(need - 1)));
}

[[gnu::hot]] Message* Heap::allocate(model::Bytes payload) {
  const int cls = class_of(payload);
  if (cls >= classes) return nullptr;
  Class& c = classes_[static_cast<std::size_t>(cls)];
  if (c.free == 0) collect();
  std::uint64_t block = c.free;
  if (block)
    c.free = at(block)->link;
  else
    block = carve(cls);
  if (block == 0) return nullptr;
  auto* m = new (base_ + block) Message{};
  m->home = home(self_, cls);
  return m;
}

std::uint64_t Heap::carve(int cls) {
  Class& c = classes_[static_cast<std::size_t>(cls)];
  const std::uint64_t size = std::uint64_t{1} << cls;
  if (c.fresh + size > c.end) {
    const std::uint64_t take = std::max(span, size);
    const std::uint64_t from = table_.header().heap_top.fetch_add(take);
    if (from + take > bytes_) return 0;
    c.fresh = from;
    c.end = from + take;
  }
  const std::uint64_t block = c.fresh;
  c.fresh += size;
  return block;
}

[[gnu::hot]] void Heap::release(Message* m) {
  const int owner = static_cast<int>(m->home >> 8);
  std::atomic<std::uint64_t>& head = table_.record(owner).returned;
  const std::uint64_t block = offset(m);
  m->link = head.load(std::memory_order_relaxed);
  while (!head.compare_exchange_weak(m->link, block, std::memory_order_release, std::memory_order_relaxed)) {
  }
}

// Only the owner takes from the list, and it takes all: no block can leave and come back unnoticed.
[[gnu::hot]] void Heap::collect() {
  std::uint64_t block = table_.record(self_).returned.exchange(0, std::memory_order_acquire);
  while (block) {
    Message* m = at(block);
    const std::uint64_t next = m->link;
    Class& c = classes_[m->home & 0xff];
    m->link = c.free;
    c.free = block;
    block = next;
  }
}

}  // namespace emu::wire
