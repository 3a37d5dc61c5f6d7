#include "wire/shared_wire.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "wire/deadlock.h"
#include "wire/futex.h"
#include "wire/notice.h"

namespace emu::wire {

using match::Message;

namespace {

// Valgrind preloads its functions into the programs that it runs.
bool under_valgrind() {
  const char* const preloaded = std::getenv("LD_PRELOAD");
  return preloaded && std::strstr(preloaded, "/vgpreload_");
}

}  // namespace

// Valgrind's search for leaks reads the whole region, and that touches its pages.
std::size_t SharedWire::region_bytes(const NodeMap& node_map) {
  if (under_valgrind()) return Table::bytes(node_map) + bytes_under_valgrind;
  const auto physical =
      static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return Table::bytes(node_map) + 2 * physical;  // sparse: only touched pages count
}

SharedWire::SharedWire(Region region, NodeMap node_map, int self, const model::Network& network,
                       std::function<void(const std::string&)> on_failure)
    : region_(std::move(region)),
      node_map_(std::move(node_map)),
      network_(network),
      table_(region_.base(), node_map_, node_map_.slot_of(self), Lookaheads(network, node_map_, self)),
      heap_(region_.base(), region_.bytes(), table_, node_map_.slot_of(self)),
      self_(node_map_.slot_of(self)),
      bound_(&table_.bound(self_)),
      on_failure_(std::move(on_failure)) {
  table_.record(self_).cpu.pid = getpid();
  if (!network.resources().any()) return;
  contention_.emplace(region_.base(), table_.header(), heap_, node_map_, network);
  table_.contends(*contention_);
}

[[gnu::hot]] Message* SharedWire::allocate(model::Bytes payload) {
  Message* m = heap_.allocate(payload);
  if (!m)
    on_failure_("messages in flight need more than the " + std::to_string(region_.bytes() >> 20) +
                " MiB of memory that they share here (last: " + std::to_string(payload) + " bytes)");
  return m;
}

[[gnu::hot]] void SharedWire::deliver(int to, Message* m) {
  const int slot = node_map_.slot_of(to);
  const bool remote = slot >= node_map_.local_slots();
  const std::int64_t arrival = m->arrival.at.picoseconds();
  const bool operation = m->kind == Message::Kind::operation;
  if (remote) m->to = to;
  if (m->in_transit) [[unlikely]]
    put_in_transit(to, *m);
  put(table_.record(remote ? node_map_.agent() : slot).inbox, m, heap_);  // from here on it is the receiver's
  table_.announce(slot, arrival, operation);
  if (remote) table_.wake(node_map_.agent());
  table_.record(self_).status.messages.store(++sent_, std::memory_order_relaxed);
}

// All host nodes have to know the load of the message on the resources.
void SharedWire::put_in_transit(int to, Message& m) {
  m.bound_for = to;
  if (!contention_->add(m)) on_failure_(too_soon(m));
  if (!node_map_.several()) return;
  for (int node = 0; node < node_map_.nodes(); ++node) {
    const int any = node_map_.first_rank(node_map_.slot_of_node(node));
    if (node == node_map_.node() || node == node_map_.node_of(to)) continue;
    Message* const notice = allocate(0);
    notice->take_over(m);
    notice->kind = Message::Kind::notice;
    notice->to = any;
    put(table_.record(node_map_.agent()).inbox, notice, heap_);
    table_.announce(node_map_.slot_of_node(node), m.arrival.at.picoseconds());
    table_.wake(node_map_.agent());
  }
}

match::Landing SharedWire::landing(const Message& m) {
  if (m.flow == 0) return {m.arrival.at, true};
  const contention::Landing landing = contention_->landing(m);
  return {landing.at,       landing.certain, landing.resource, landing.gain.resource,
          landing.gain.own, landing.path};
}

void SharedWire::rest_no_more() {
  rests_ = false;
  table_.rests_no_more();
}

[[gnu::hot]] Message* SharedWire::drain() { return take_all(table_.record(self_).inbox, heap_); }

// The reason of the wait is written before the bound is raised: a thread that finds all ranks blocked for
// good reads it. So a rank that was woken in vain, whose bound is raised already, must not write it again.
[[gnu::hot]] bool SharedWire::blocked(const Block& block, std::uint64_t announced) {
  Record& record = table_.record(self_);
  if (!block.other_waits.empty() || record.other_threads > 0) [[unlikely]] {
    record.other_threads = static_cast<std::int32_t>(block.other_waits.size());
    for (std::size_t i = 0; i < std::min(block.other_waits.size(), std::size(record.other_waits)); ++i)
      write(record.other_waits[i], block.other_waits[i]);
  }
  if (block.why != published_) {
    write(record.wait, block.why);
    published_ = block.why;
  }
  if (!table_.raise_if_quiet(block, announced)) return false;
  if (block.without_transit) [[unlikely]] {
    rests_ = true;
    table_.rests(block.without_transit->picoseconds(), announced);
  }
  return true;
}

// Written before the bound is raised, like the reason of a wait.
[[gnu::hot]] void SharedWire::joins(const match::Joined& collective) {
  write(table_.record(self_).joined[joined_++ % std::tuple_size_v<LastJoined>], collective);
}

// Written before the bound is raised, like the reason of a wait.
void SharedWire::lost(const match::Loss& loss) {
  Record& record = table_.record(self_);
  add(loss.arriving ? record.lost : record.unsent, loss);
}

std::optional<Instant> SharedWire::wanted() {
  const std::int64_t least = table_.wanted(self_);
  return least > Instant::never().picoseconds() ? std::nullopt
                                                : std::optional(Instant::from_picoseconds(least));
}

[[gnu::hot]] void SharedWire::sleep(std::uint64_t announced, WakeUp wake_up) {
  if (wake_up == WakeUp::announcement) check_all_blocked();
  table_.sleep(announced, wake_up);
}

// --- measured compute

void SharedWire::measures(double scale) {
  CpuRecord& cpu = table_.record(self_).cpu;
  cpu.thread = static_cast<std::int32_t>(syscall(SYS_gettid));
  cpu.scale = scale;
}

void SharedWire::computing(std::int64_t cpu_since) {
  CpuRecord& cpu = table_.record(self_).cpu;
  cpu.since.store(cpu_since, std::memory_order_relaxed);
  cpu.epoch.fetch_add(1);
}

void SharedWire::stopped() { table_.record(self_).cpu.epoch.fetch_add(1); }

// --- the start

void SharedWire::start_together(const std::function<void(ClockReadings&)>& read) {
  TableHeader& header = table_.header();
  const auto all = static_cast<std::uint32_t>(node_map_.local_slots());
  if (header.arrived.fetch_add(1) + 1 == all) futex_wake(header.arrived);
  if (self_ == 0) {
    for (std::uint32_t n = header.arrived; n < all; n = header.arrived) futex_wait(header.arrived, n);
    read(header.clocks_at_zero);
    header.started = 1;
    futex_wake(header.started, node_map_.local_slots());
  }
  while (header.started == 0) futex_wait(header.started, 0);
}

// --- the end

void SharedWire::finish(const record::RankSummary& summary) {
  table_.summary(node_map_.first_rank(self_)) = summary;
  table_.record(self_).finished = 1;
  table_.raise(never, never);
  std::atomic<std::uint32_t>& finished = table_.header().finished;
  const auto all = static_cast<std::uint32_t>(node_map_.ranks());
  if (finished.fetch_add(1) + 1 == all) futex_wake(finished, node_map_.local_slots());
  if (node_map_.several()) table_.wake(node_map_.agent());
  check_all_blocked();
  for (std::uint32_t n = finished; n < all; n = finished) futex_wait(finished, n);
}

std::vector<record::ResourceUse> SharedWire::resource_uses(Instant end) {
  if (!contention_) return {};
  contention_->advance({end, -1, 0});
  return wire::resource_uses(network_.resources(),
                             [&](int resource) { return contention_->usage(resource); });
}

std::optional<int> SharedWire::lost_rank() {
  for (int slot = 0; slot < node_map_.local_slots(); ++slot)
    if (slot != self_ && table_.record(slot).life.lost()) return node_map_.first_rank(slot);
  return std::nullopt;
}

void SharedWire::send_final_message(const std::string& why) {
  give_notice(region_.base(), &TableHeader::last_words, why);
  table_.wake(node_map_.agent());
}

std::string SharedWire::waited_in(int rank) {
  const int slot = node_map_.slot_of(rank);
  if (slot >= node_map_.local_slots()) return "";
  const Wait& wait = table_.record(slot).wait;
  return {wait.call, strnlen(wait.call, sizeof wait.call)};
}

void SharedWire::kill_others() {
  for (int slot = 0; slot < node_map_.local_slots(); ++slot)
    if (const std::int32_t pid = table_.record(slot).cpu.pid; slot != self_ && pid > 0) kill(pid, SIGKILL);
}

[[gnu::hot]] void SharedWire::check_all_blocked() {
  if (node_map_.several() || !table_.all_blocked()) return;  // agents find deadlocks of several nodes
  std::vector<Waiter> ranks;
  for (int r = 0; r < node_map_.ranks(); ++r) ranks.push_back(waiter(table_, node_map_, r));
  if (!deadlocked(ranks) || table_.header().deadlocked.exchange(1) != 0) return;  // another rank reports it
  on_failure_(describe_deadlock(ranks));
}

}  // namespace emu::wire
