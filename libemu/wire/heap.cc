#include "wire/heap.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <new>

namespace emu::wire {

using match::Message;

[[gnu::hot]] int Heap::class_of(model::Bytes bytes) {
  const auto need = static_cast<std::uint64_t>(bytes) + sizeof(Message);
  return static_cast<int>(std::bit_width(need - 1));
}

[[gnu::hot]] Message* Heap::allocate(model::Bytes payload) {
  const int cls = class_of(payload);
  if (cls >= classes) return nullptr;
  Class& c = classes_[static_cast<std::size_t>(cls)];
  if (c.free == 0) collect();
  std::uint64_t block = c.free;
  const std::uint64_t use = block ? again : 0;
  if (block)
    c.free = at(block)->link;
  else
    block = carve(cls);
  if (block == 0) return nullptr;
  if (cls >= large) [[unlikely]]
    take_large(cls, use && !is_hollow(at(block)));
  auto* m = new (base_ + block) Message{};
  m->home = home(self_, cls) | use;
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
  if (class_of(m) >= large) [[unlikely]]
    give_large_back(m);
  const int owner = static_cast<int>(m->home >> 8);
  std::atomic<std::uint64_t>& head = table_.record(owner).returned;
  const std::uint64_t block = offset(m);
  m->link = head.load(std::memory_order_relaxed);
  while (!head.compare_exchange_weak(m->link, block, std::memory_order_release, std::memory_order_relaxed)) {
  }
}

// --- large blocks. Several processes change their sums at once; approximate values suffice.

std::int64_t Heap::kept_with(const Message* idle) const {
  return always_kept +
         ((idle->home & again) ? 2 : 1) * table_.header().large_most.load(std::memory_order_relaxed);
}

void Heap::take_large(int cls, bool was_idle) {
  TableHeader& header = table_.header();
  const std::int64_t size = std::int64_t{1} << cls;
  if (was_idle) header.large_idle -= size;
  const std::int64_t taken = header.large_taken += size;
  if (taken > header.large_most) header.large_most = taken;
}

// The greatest use decays: it is forgotten once eight times as much has been released.
void Heap::give_large_back(Message* m) {
  TableHeader& header = table_.header();
  const std::int64_t size = std::int64_t{1} << class_of(m);
  const std::int64_t most = kept_with(m);
  const std::int64_t taken = header.large_taken -= size;
  const std::int64_t idle = header.large_idle += size;
  if (idle > most) empty(m);
  header.large_most = std::max(taken, header.large_most - size / 8);
}

// Keeps the header, and parts of pages at both ends.
void Heap::empty(Message* m) {
  static const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  const std::uint64_t size = std::uint64_t{1} << class_of(m), address = reinterpret_cast<std::uint64_t>(m);
  const std::uint64_t begin = (address + sizeof(Message) + page - 1) / page * page;
  const std::uint64_t end = (address + size) / page * page;
  if (madvise(reinterpret_cast<void*>(begin), end - begin, MADV_REMOVE) != 0) return;
  m->home |= hollow;
  table_.header().large_idle -= static_cast<std::int64_t>(size);
}

// Only the owner takes from the list, and it takes all: so there is no ABA problem.
[[gnu::hot]] void Heap::collect() {
  std::uint64_t block = table_.record(self_).returned.exchange(0, std::memory_order_acquire);
  while (block) {
    Message* m = at(block);
    const std::uint64_t next = m->link;
    const int cls = class_of(m);
    // The threshold is 1.5 times that of release(): receivers return memory first, and this place only if more is idle.
    if (cls >= large && !is_hollow(m) && table_.header().large_idle > kept_with(m) / 2 * 3) [[unlikely]]
      empty(m);
    Class& c = classes_[static_cast<std::size_t>(cls)];
    m->link = c.free;
    c.free = block;
    block = next;
  }
}

}  // namespace emu::wire
