// End of a job for an agent: all ranks have finished, or none will ever act again.
#include <algorithm>
#include <span>
#include <string>

#include "wire/agent/agent.h"
#include "wire/futex.h"
#include "wire/notice.h"

namespace emu::wire {

using Kind = FrameHead::Kind;

// --- the end

void Agent::finish() {
  if (announced_finish_) return;
  const auto locals = static_cast<std::uint32_t>(node_map_.local_slots());
  if (table_.header().finished.load() - finished_elsewhere_ < locals) return;
  announced_finish_ = true;
  for (Channel& c : channels_) {
    begin(c, Kind::finished, locals * sizeof(Finished));
    for (int rank : node_map_.locals()) c.connection.put(bytes_of(Finished{rank, table_.summary(rank)}));
  }
}

void Agent::take_finished(Channel& c, const std::byte* bytes, std::uint64_t size) {
  const auto count = static_cast<std::uint32_t>(size / sizeof(Finished));
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto f = take_from<Finished>(bytes);
    table_.summary(static_cast<int>(f.rank)) = f.summary;
  }
  c.finished = true;
  finished_elsewhere_ += count;
  std::atomic<std::uint32_t>& finished = table_.header().finished;
  if (finished.fetch_add(count) + count == static_cast<std::uint32_t>(node_map_.ranks()))
    futex_wake(finished, node_map_.local_slots());
}

// Receives the last frames of the others before the connections are closed; otherwise the others would see an
// error.
void Agent::leave() {
  for (Channel& c : channels_) {
    c.connection.finish_writing();
    c.connection.flush();
  }
  const auto open = [](const Channel& c) { return !c.gone; };
  for (int patience = 0; patience < 50 && std::any_of(channels_.begin(), channels_.end(), open); ++patience) {
    flush();
    wait();
  }
}

// --- last words

void Agent::send_final_message() {
  if (sent_last_words_ || table_.header().last_words.there == 0) return;
  sent_last_words_ = true;
  const std::string text =
      read_notice(region_.base(), &TableHeader::last_words).substr(0, longest_last_words);
  begin(channel(0), Kind::last_words, text.size());
  channel(0).connection.put(std::as_bytes(std::span(text)));
}

// Without effect if a rank of this node already ends the job.
void Agent::take_last_words(const std::byte* bytes, std::uint64_t size) {
  if (table_.header().ending.exchange(1) == 0) on_failure_({reinterpret_cast<const char*>(bytes), size});
}

// --- all ranks blocked

void Agent::watch_all_blocked() {
  if (!table_.all_blocked()) return;
  bool everywhere = true;
  for (Channel& c : channels_) {
    if (table_.bound(node_map_.slot_of_node(c.node)).bound() >= never) continue;
    everywhere = false;
    begin(c, Kind::ask, sizeof never);
    c.connection.put(bytes_of(never));
  }
  if (!everywhere || suspected_) return;
  suspected_ = true;
  if (node_map_.node() == 0)
    ask_waits();
  else
    begin(channel(0), Kind::suspect, 0);
}

void Agent::ask_waits() {
  for (Channel& c : channels_) {
    c.waits.clear();
    begin(c, Kind::waits, 0);
  }
}

std::vector<Waiter> Agent::local_waits() {
  std::vector<Waiter> waits;
  for (int rank : node_map_.locals()) waits.push_back(waiter(table_, node_map_, rank));
  return waits;
}

void Agent::take_waits(Channel& c, const std::byte* bytes, std::uint64_t size) {
  if (node_map_.node() != 0) {
    const std::vector<Waiter> waits = local_waits();
    begin(c, Kind::waits, waits.size() * sizeof(Waiter));
    for (const Waiter& w : waits) c.connection.put(bytes_of(w));
    return;
  }
  c.waits.clear();
  for (std::uint64_t i = 0; i < size / sizeof(Waiter); ++i) c.waits.push_back(take_from<Waiter>(bytes));
  std::vector<Waiter> all = local_waits();
  for (const Channel& other : channels_) {
    if (other.waits.empty()) return;
    all.insert(all.end(), other.waits.begin(), other.waits.end());
  }
  std::sort(all.begin(), all.end(), [](const Waiter& a, const Waiter& b) { return a.rank < b.rank; });
  if (deadlocked(all) && table_.header().deadlocked.exchange(1) == 0) on_failure_(describe_deadlock(all));
}

}  // namespace emu::wire
