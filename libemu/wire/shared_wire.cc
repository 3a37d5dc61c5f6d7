#include "wire/shared_wire.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "wire/futex.h"

namespace emu::wire {

using match::Message;

std::size_t SharedWire::region_bytes(int ranks) {
  const auto physical =
      static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return Table::bytes(ranks) + 2 * physical;  // sparse: pages count once touched
}

SharedWire::SharedWire(Region region, int ranks, int self, Interval lookahead,
                       std::function<void(const std::string&)> on_failure)
    : region_(std::move(region)),
      table_(region_.base(), ranks, self, lookahead),
      heap_(region_.base(), region_.bytes(), table_, self),
      self_(self),
      bound_(&table_.bound(self)),
      on_failure_(std::move(on_failure)) {}

Message* SharedWire::allocate(model::Bytes payload) {
  Message* m = heap_.allocate(payload);
  if (!m)
    on_failure_("messages in flight need more than the " + std::to_string(region_.bytes() >> 20) +
                " MiB of shared memory that this host can give (last: " + std::to_string(payload) +
                " bytes)");
  return m;
}

void SharedWire::deliver(int to, Message* m) {
  const std::int64_t arrival = m->arrival.at.picoseconds();
  std::atomic<std::uint64_t>& inbox = table_.record(to).inbox;
  const std::uint64_t block = heap_.offset(m);
  m->link = inbox.load(std::memory_order_relaxed);
  while (!inbox.compare_exchange_weak(m->link, block, std::memory_order_release, std::memory_order_relaxed)) {
  }
  table_.announce(to, arrival);
  table_.record(self_).status.messages.store(++sent_, std::memory_order_relaxed);
}

Message* SharedWire::drain() {
  std::atomic<std::uint64_t>& inbox = table_.record(self_).inbox;
  if (inbox.load(std::memory_order_relaxed) == 0) return nullptr;
  std::uint64_t block = inbox.exchange(0, std::memory_order_acquire);
  Message* oldest = nullptr;  // the list is newest first: turn it round
  while (block) {
    Message* m = heap_.at(block);
    block = m->link;
    m->next = oldest;
    oldest = m;
  }
  return oldest;
}

void SharedWire::sleep(std::uint64_t announced, bool in_the_way, const match::Waiting& why) {
  Wait& wait = table_.record(self_).wait;
  if (why.call != told_call_) {
    told_call_ = why.call;
    std::strncpy(wait.call, why.call, sizeof wait.call - 1);
  }
  wait.peer = why.peer;
  wait.tag = why.tag;
  wait.requests = why.requests;
  if (!in_the_way) check_standstill();
  table_.sleep(announced, in_the_way);
}

// --- measured compute

void SharedWire::measures(double scale) {
  CpuRecord& cpu = table_.record(self_).cpu;
  cpu.scale = scale;
  cpu.pid = getpid();
  cpu.thread = static_cast<std::int32_t>(syscall(SYS_gettid));
}

void SharedWire::computing(std::int64_t cpu_since) {
  CpuRecord& cpu = table_.record(self_).cpu;
  cpu.since.store(cpu_since, std::memory_order_relaxed);
  cpu.epoch.fetch_add(1);
}

void SharedWire::stopped() { table_.record(self_).cpu.epoch.fetch_add(1); }

// --- the start

void SharedWire::start_together(const std::function<void(ClockReadings&)>& read) {
  Front& front = table_.front();
  const auto all = static_cast<std::uint32_t>(table_.ranks());
  if (front.arrived.fetch_add(1) + 1 == all) futex_wake(front.arrived);
  if (self_ == 0) {
    for (std::uint32_t n = front.arrived; n < all; n = front.arrived) futex_wait(front.arrived, n);
    read(front.clocks_at_zero);
    front.started = 1;
    futex_wake(front.started, table_.ranks());
  }
  while (front.started == 0) futex_wait(front.started, 0);
}

// --- the end

void SharedWire::finish(const trace::RankSummary& summary) {
  Record& self = table_.record(self_);
  self.summary = summary;
  self.finished = 1;
  const std::int64_t never = Instant::never().picoseconds();
  table_.raise(never, never);
  std::atomic<std::uint32_t>& finished = table_.front().finished;
  const auto all = static_cast<std::uint32_t>(table_.ranks());
  if (finished.fetch_add(1) + 1 == all) {
    futex_wake(finished, table_.ranks());
    return;
  }
  check_standstill();
  for (std::uint32_t n = finished; n < all; n = finished) futex_wait(finished, n);
}

void SharedWire::check_standstill() {
  if (!table_.standstill()) return;
  bool all = true;
  for (int i = 0; i < table_.ranks(); ++i) all = all && table_.record(i).finished;
  if (all || table_.front().deadlocked.exchange(1) != 0) return;  // another rank reports it
  on_failure_(report());
}

std::string SharedWire::report() {
  std::string text = "deadlock: no rank can go on.";
  int told = 0, finished = 0;
  std::string failed;
  for (int i = 0; i < table_.ranks(); ++i) {
    const Record& r = table_.record(i);
    if (r.finished) {
      if (r.summary.failed)
        failed += (failed.empty() ? "" : ", ") + std::to_string(i) + " at " +
                  std::to_string(r.summary.finish.seconds()) + " s";
      else
        ++finished;
      continue;
    }
    if (++told > 32) continue;
    const Wait& w = r.wait;
    text += "\n  rank " + std::to_string(i) + " waits in " + w.call + " for ";
    text += w.peer == match::any_source ? "any source"
            : w.peer < 0                ? "nobody"
                                        : "rank " + std::to_string(w.peer);
    text += w.tag == match::any_tag ? ", any tag" : ", tag " + std::to_string(w.tag);
    if (w.requests == 2) text += " (and 1 more request)";
    if (w.requests > 2) text += " (and " + std::to_string(w.requests - 1) + " more requests)";
  }
  if (told > 32) text += "\n  ... and " + std::to_string(told - 32) + " more ranks wait";
  if (finished)
    text += "\n  finished already: " + std::to_string(finished) + (finished == 1 ? " rank" : " ranks");
  if (!failed.empty()) text += "\n  failed with their nodes: rank " + failed;
  return text;
}

}  // namespace emu::wire
