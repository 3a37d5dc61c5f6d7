#include "wire/shared_contention.h"

#include <sched.h>

#include <new>

#include "base/units.h"
#include "wire/flows.h"
#include "wire/futex.h"
#include "wire/heap.h"
#include "wire/table.h"

namespace emu::wire {

using match::Message;

namespace {

constexpr std::uint32_t free_lock = 0, taken = 1, awaited = 2;

constexpr std::size_t alignment = alignof(contention::Flow) > 64 ? alignof(contention::Flow) : 64;

template <class T>
T aligned(T n, std::size_t to) {
  return (n + to - 1) / to * to;
}

}  // namespace

SharedContention::Lock::Lock(SharedContention& of) : word_(of.header_.contention_lock) {
  std::uint32_t found = free_lock;
  if (word_.compare_exchange_strong(found, taken)) return;
  constexpr int looks = 100;
  for (int i = 0; i < looks; ++i) {
    found = free_lock;
    if (word_.load(std::memory_order_relaxed) == free_lock && word_.compare_exchange_strong(found, taken))
      return;
    __builtin_ia32_pause();
  }
  while (word_.exchange(awaited) != free_lock) futex_wait(word_, awaited);
}

SharedContention::Lock::~Lock() {
  if (word_.exchange(free_lock) == awaited) futex_wake(word_);
}

std::byte* SharedContention::make(std::byte* base, TableHeader& header, const NodeMap& node_map,
                                  const model::Network& network) {
  constexpr std::uint64_t none = 0, being_made = 1;
  std::uint64_t found = none;
  if (header.contention.compare_exchange_strong(found, being_made)) {
    const model::Resources& resources = network.resources();
    const std::size_t bytes = contention::Contention::bytes(resources.count(), node_map.local_slots());
    const std::uint64_t at =
        aligned(header.heap_top.fetch_add(aligned(bytes, alignment) + alignment), alignment);
    contention::Contention::create(base + at, resources, node_map.local_slots());
    header.contention = at;
  }
  while (header.contention == being_made) sched_yield();
  return base + header.contention;
}

SharedContention::SharedContention(std::byte* base, TableHeader& header, Heap& heap, const NodeMap& node_map,
                                   const model::Network& network)
    : base_(base),
      header_(header),
      heap_(heap),
      node_map_(node_map),
      network_(network),
      contention_(make(base, header, node_map, network)) {}

// A flow is in a block of the heap, in the place of a message's payload.
bool SharedContention::add(Message& m) {
  const int to = m.bound_for;
  find_route(network_, m, route_);
  const std::size_t size = contention::Flow::size(route_.size());
  Message* const block = heap_.allocate(static_cast<model::Bytes>(size + alignof(contention::Flow)));
  auto* const at = base_ + aligned(heap_.offset(block) + sizeof(Message), alignof(contention::Flow));
  contention::Flow& flow =
      make_flow(at, m, route_, node_map_.node_of(to) == node_map_.node() ? node_map_.slot_of(to) : -1);
  flow.block = heap_.offset(block);
  m.flow = static_cast<std::uint64_t>(at - base_);
  const Lock lock(*this);
  return contention_.add(flow);
}

contention::Flow& SharedContention::flow_of(const Message& m) const {
  return *reinterpret_cast<contention::Flow*>(base_ + m.flow);
}

contention::Landing SharedContention::landing(const Message& m) {
  const Lock lock(*this);
  return contention_.landing(flow_of(m));
}

void SharedContention::advance(const match::Arrival& until) {
  const Lock lock(*this);
  contention_.advance(until.at, until.source, until.sequence);
  stepped();
}

// The caller holds the lock.
void SharedContention::stepped() {
  header_.landings.store(contention_.steps());
  header_.worked_out.store(contention_.now().picoseconds());
  for (const contention::Flow* flow : contention_.take_gone()) heap_.release(heap_.at(flow->block));
}

void SharedContention::landed(Message& m) {
  if (m.flow == 0) return;
  const Lock lock(*this);
  contention::Flow& flow = flow_of(m);
  if (contention_.untrack(flow)) heap_.release(heap_.at(flow.block));
}

// The instant before which all heads have come; never: no rank sends any more.
Instant SharedContention::certain(std::int64_t least) const {
  return std::min(Instant::from_picoseconds(least) + network_.lookahead(), Instant::never());
}

bool SharedContention::is_settled(std::int64_t least, std::int64_t landings) const {
  const Instant until = certain(least);
  return (until.is_never() || until.picoseconds() <= header_.worked_out.load()) &&
         static_cast<std::int64_t>(header_.landings.load()) == landings;
}

SharedContention::Acts SharedContention::acts_from(int slot, std::int64_t least, std::int64_t clock,
                                                   std::int64_t reaction) {
  const Lock lock(*this);
  if (const Instant until = certain(least); !until.is_never()) {
    contention_.advance(until);
    stepped();
  }
  const Instant first =
      contention_.acts_from(slot, Instant::from_picoseconds(clock), Interval::picoseconds(reaction));
  return {first.picoseconds(), static_cast<std::int64_t>(contention_.steps())};
}

std::string too_soon(const Message& m) {
  return "an error of libemu's own: a message of rank " + std::to_string(m.arrival.source) +
         " came to shared cards or links at " + format(m.head - Instant::start(), 9) +
         ", before what was certain there. The prediction would be wrong. Please report this, "
         "with the target file and, if you can, the program";
}

std::vector<record::ResourceUse> resource_uses(const model::Resources& resources,
                                               const std::function<contention::Usage(int)>& usage) {
  std::vector<record::ResourceUse> uses;
  for (int i = 0; i < resources.count(); ++i) {
    const contention::Usage use = usage(i);
    if (use.messages == 0) continue;
    uses.push_back({i, resources.name(i), use.bytes, use.messages, use.busy, use.longest,
                    2 * use.by_it > use.bytes ? use.most_by : -1, use.load.stretch(), use.load.busy()});
  }
  return uses;
}

contention::Usage SharedContention::usage(int resource) {
  const Lock lock(*this);
  return contention_.usage(resource);
}

}  // namespace emu::wire
