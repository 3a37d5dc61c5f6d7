// How a job ends for an agent: all ranks have finished, or nobody will ever act again.
#include <algorithm>
#include <utility>

#include "wire/agent.h"
#include "wire/futex.h"

namespace emu::wire {

using Kind = FrameHead::Kind;

namespace {

constexpr std::int64_t never = Instant::never().picoseconds();

struct Finished {
  std::int64_t rank;
  record::RankSummary summary;
};

}  // namespace

// --- the end

void Agent::finish() {
  if (told_finished_) return;
  const auto locals = static_cast<std::uint32_t>(places_.local_slots());
  if (table_.front().finished.load() - finished_elsewhere_ < locals) return;
  told_finished_ = true;
  for (Talk& t : talks_) {
    begin(t, Kind::finished, locals * sizeof(Finished));
    for (int rank : places_.locals()) t.peer.connection.put(bytes_of(Finished{rank, table_.summary(rank)}));
  }
}

void Agent::take_finished(Talk& t, const std::byte* bytes, std::uint64_t size) {
  const auto count = static_cast<std::uint32_t>(size / sizeof(Finished));
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto f = take_from<Finished>(bytes);
    table_.summary(static_cast<int>(f.rank)) = f.summary;
  }
  t.finished = true;
  finished_elsewhere_ += count;
  std::atomic<std::uint32_t>& finished = table_.front().finished;
  if (finished.fetch_add(count) + count == static_cast<std::uint32_t>(places_.ranks()))
    futex_wake(finished, places_.local_slots());
}

// What the others have said last is taken in before the connections are closed, or it would be an error to
// them.
void Agent::leave() {
  for (Talk& t : talks_) {
    t.peer.connection.finish_writing();
    t.peer.connection.flush();
  }
  const auto open = [](const Talk& t) { return !t.gone; };
  for (int patience = 0; patience < 50 && std::any_of(talks_.begin(), talks_.end(), open); ++patience) {
    flush();
    wait();
  }
}

// --- standstill

void Agent::watch_standstill() {
  if (!table_.standstill()) return;
  bool everywhere = true;
  for (Talk& t : talks_) {
    if (table_.bound(places_.slot_of_node(t.peer.node)).bound() >= never) continue;
    everywhere = false;
    begin(t, Kind::ask, sizeof never);
    t.peer.connection.put(bytes_of(never));
  }
  if (!everywhere || suspected_) return;
  suspected_ = true;
  if (places_.node() == 0)
    ask_waits();
  else
    begin(talk(0), Kind::suspect, 0);
}

void Agent::ask_waits() {
  for (Talk& t : talks_) {
    t.waits.clear();
    begin(t, Kind::waits, 0);
  }
}

std::vector<Waiter> Agent::local_waits() {
  std::vector<Waiter> waits;
  for (int rank : places_.locals()) waits.push_back(waiter(table_, places_, rank));
  return waits;
}

void Agent::take_waits(Talk& t, const std::byte* bytes, std::uint64_t size) {
  if (places_.node() != 0) {
    const std::vector<Waiter> waits = local_waits();
    begin(t, Kind::waits, waits.size() * sizeof(Waiter));
    for (const Waiter& w : waits) t.peer.connection.put(bytes_of(w));
    return;
  }
  t.waits.clear();
  for (std::uint64_t i = 0; i < size / sizeof(Waiter); ++i) t.waits.push_back(take_from<Waiter>(bytes));
  std::vector<Waiter> all = local_waits();
  for (const Talk& other : talks_) {
    if (other.waits.empty()) return;
    all.insert(all.end(), other.waits.begin(), other.waits.end());
  }
  std::sort(all.begin(), all.end(), [](const Waiter& a, const Waiter& b) { return a.rank < b.rank; });
  if (deadlocked(all) && table_.front().deadlocked.exchange(1) == 0) on_failure_(describe_deadlock(all));
}

}  // namespace emu::wire
