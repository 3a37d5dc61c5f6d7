// What an agent does while ranks of the job run: messages and bounds. The rest is in agent_end.cc.
#include "wire/agent.h"

#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace emu::wire {

using Kind = FrameHead::Kind;
using match::Message;

namespace {

constexpr std::int64_t never = Instant::never().picoseconds();
constexpr std::uint64_t silent = 64;  // messages taken in without a word

// Parts of a report, one after the other.
struct ReportHead {
  std::int64_t bound;
  std::uint64_t hears;           // 1: a rank there may hear what takes no time (wire/table.h)
  std::uint32_t received, sent;  // how many of each follow
};
struct ReportReceived {
  std::int64_t from;
  std::uint64_t count;
};
struct ReportSent {  // `arrivals` of them follow: std::int64_t
  std::int32_t to;
  std::uint32_t arrivals;
  std::uint64_t first;
};

}  // namespace

Agent::Agent(const Region& region, const Places& places, std::vector<Peer> peers, int wakes,
             std::function<void(const std::string&)> on_failure)
    : region_(region),
      places_(places),
      table_(region.base(), places, places.agent(), Lookaheads(Interval())),
      heap_(region.base(), region.bytes(), table_, places.agent()),
      cut_(places.nodes(), places.node()),
      by_node_(static_cast<std::size_t>(places.nodes())),
      lowered_(static_cast<std::size_t>(places.nodes())),
      wakes_(wakes),
      on_failure_(std::move(on_failure)) {
  epoll_ = epoll_create1(EPOLL_CLOEXEC);
  epoll_event event{};
  event.events = EPOLLIN;
  epoll_ctl(epoll_, EPOLL_CTL_ADD, wakes_, &event);
  talks_.reserve(peers.size());
  for (Peer& peer : peers) talks_.push_back(Talk{.peer = std::move(peer)});
  for (Talk& t : talks_) {
    by_node_[static_cast<std::size_t>(t.peer.node)] = &t;
    event.data.ptr = &t;
    epoll_ctl(epoll_, EPOLL_CTL_ADD, t.peer.connection.fd(), &event);
  }
}

Agent::~Agent() {
  if (epoll_ >= 0) close(epoll_);
}

// --- the loop

void Agent::run() {
  Record& self = table_.record(places_.agent());
  while (!done()) {
    self.asleep = 1;  // from here on a wake-up leaves a byte in the pipe
    step();
    if (!done()) wait();
    self.asleep = 0;
  }
  leave();
}

bool Agent::done() const {
  return told_finished_ &&
         std::all_of(talks_.begin(), talks_.end(), [](const Talk& t) { return t.finished; });
}

void Agent::step() {
  retry_.reset();
  take_outbox();
  answer();
  ask();
  finish();
  flush();
}

void Agent::wait() {
  using std::chrono::duration_cast;
  using std::chrono::milliseconds;
  // Whether everybody waits for ever is looked at now and then only.
  int timeout = 200;
  if (retry_) timeout = std::max(1, static_cast<int>(duration_cast<milliseconds>(*retry_).count()));
  epoll_event events[64];
  const int n = epoll_wait(epoll_, events, 64, timeout);
  if (n == 0 && !retry_ && !done()) watch_standstill();
  for (int i = 0; i < n; ++i) {
    auto* t = static_cast<Talk*>(events[i].data.ptr);
    if (!t) {
      char drop[64];
      [[maybe_unused]] const ssize_t dropped = ::read(wakes_, drop, sizeof drop);
    } else if (events[i].events & ~EPOLLOUT) {
      read(*t);
    }
  }
}

void Agent::flush() {
  for (Talk& t : talks_) {
    if (t.gone) continue;
    if (t.received - t.told_received >= silent) begin(t, Kind::taken_in, 0);
    if (!t.peer.connection.flush()) {
      lost(t);
      continue;
    }
    if (t.peer.connection.pending() == t.listed) continue;
    t.listed = !t.listed;
    epoll_event event{};
    event.events = EPOLLIN | (t.listed ? EPOLLOUT : 0u);
    event.data.ptr = &t;
    epoll_ctl(epoll_, EPOLL_CTL_MOD, t.peer.connection.fd(), &event);
  }
}

void Agent::read(Talk& t) {
  if (t.gone) return;
  const bool open =
      t.peer.connection.read([&](const FrameHead& head, const std::byte* bytes) { take(t, head, bytes); });
  if (!open) lost(t);
}

// An agent leaves when it knows that all ranks of the job have finished, which its peers may not know yet.
void Agent::lost(Talk& t) {
  t.gone = true;
  epoll_ctl(epoll_, EPOLL_CTL_DEL, t.peer.connection.fd(), nullptr);
  if (t.finished) return;
  on_failure_("lost " + t.peer.name + " before its ranks had finished: " + t.peer.connection.reason());
}

void Agent::begin(Talk& t, Kind kind, std::uint64_t bytes) {
  t.told_received = t.received;
  t.peer.connection.begin({.kind = kind, .bytes = bytes, .received = t.received});
}

void Agent::take(Talk& t, const FrameHead& head, const std::byte* bytes) {
  cut_.own(t.peer.node).taken_in(head.received);
  suspected_ = false;
  switch (head.kind) {
    case Kind::message:
      return take_message(t, bytes, head.bytes);
    case Kind::taken_in:
      return;
    case Kind::ask: {
      const auto needed = take_from<std::int64_t>(bytes);
      if (needed == never)  // to see whether everybody waits for ever: not worth waiting for
        tell(t);
      else
        t.asked_by_it = needed;  // what it waits for now, whatever it asked before
      return;
    }
    case Kind::report:
      return take_report(t, bytes, head.bytes);
    case Kind::finished:
      return take_finished(t, bytes, head.bytes);
    case Kind::suspect:
      return ask_waits();
    case Kind::waits:
      return take_waits(t, bytes, head.bytes);
  }
}

// --- messages

void Agent::take_outbox() {
  Message* next = nullptr;
  for (Message* m = take_all(table_.record(places_.agent()).inbox, heap_); m; m = next) {
    next = m->next;
    forward(m);
    heap_.release(m);
  }
}

void Agent::forward(Message* m) {
  const int node = places_.node_of(m->to);
  cut_.own(node).send(m->arrival.at.picoseconds());
  const auto carried = static_cast<std::uint64_t>(m->carried());
  begin(talk(node), Kind::message, sizeof *m + carried);
  talk(node).peer.connection.put(bytes_of(*m));
  talk(node).peer.connection.put({m->payload(), carried});
}

void Agent::take_message(Talk& t, const std::byte* bytes, std::uint64_t size) {
  const std::uint64_t carried = size - sizeof(Message);
  Message* m = heap_.allocate(static_cast<model::Bytes>(carried));
  if (!m)
    on_failure_("messages in flight need more than the " + std::to_string(region_.bytes() >> 20) +
                " MiB of shared memory that this host can give (last: " + std::to_string(carried) +
                " bytes from " + t.peer.name + ")");
  const std::uint64_t home = m->home;
  std::memcpy(static_cast<void*>(m), bytes, size);
  m->home = home;
  const int slot = places_.slot_of(m->to);
  const std::int64_t arrival = m->arrival.at.picoseconds();
  const bool word = m->kind == Message::Kind::join;
  put(table_.record(slot).inbox, m, heap_);
  table_.announce(slot, arrival, word);
  ++t.received;
}

// --- bounds

void Agent::ask() {
  for (Talk& t : talks_) {
    const int slot = places_.slot_of_node(t.peer.node);
    const std::int64_t wanted = table_.wanted(slot);
    if (wanted > never) continue;
    if (t.asked_by_us && *t.asked_by_us <= wanted) continue;
    t.asked_by_us = wanted;
    begin(t, Kind::ask, sizeof wanted);
    t.peer.connection.put(bytes_of(wanted));
  }
}

void Agent::answer() {
  for (;;) {
    std::optional<std::int64_t> least;
    for (const Talk& t : talks_)
      if (t.asked_by_it) least = std::min(*t.asked_by_it, least.value_or(never));
    if (!least) return;
    const auto bound = table_.local_bound(*least, retry_);
    if (!bound) return;
    take_outbox();  // what was sent before that bound goes ahead of the report, and is counted in it
    for (Talk& t : talks_)
      if (t.asked_by_it && *t.asked_by_it <= *bound) {
        t.asked_by_it.reset();
        report(t, *bound);
      }
  }
}

void Agent::tell(Talk& t) {
  const std::int64_t bound = table_.local_bound();
  take_outbox();
  report(t, bound);
}

void Agent::report(Talk& t, std::int64_t bound) {
  std::vector<std::byte> text;
  const auto add = [&text](std::span<const std::byte> bytes) {
    text.insert(text.end(), bytes.begin(), bytes.end());
  };
  ReportHead head{bound, table_.heard(), 0, 0};
  add(bytes_of(head));
  for (const Talk& from : talks_) {
    std::uint64_t& reported = t.reported_received[from.peer.node];
    if (reported == from.received) continue;
    reported = from.received;
    add(bytes_of(ReportReceived{from.peer.node, from.received}));
    ++head.received;
  }
  for (const Talk& to : talks_) {
    if (&to == &t) continue;
    const Flow& flow = cut_.own(to.peer.node);
    std::uint64_t& reported = t.reported_sent[to.peer.node];
    if (reported == flow.sent()) continue;
    reported = flow.sent();
    const auto& arrivals = flow.arrivals();
    add(bytes_of(ReportSent{to.peer.node, static_cast<std::uint32_t>(arrivals.size()), flow.first()}));
    for (const std::int64_t& arrival : arrivals) add(bytes_of(arrival));
    ++head.sent;
  }
  std::memcpy(text.data(), &head, sizeof head);
  begin(t, Kind::report, text.size());
  t.peer.connection.put(text);
}

void Agent::take_report(Talk& t, const std::byte* bytes, std::uint64_t) {
  const int node = t.peer.node;
  const auto head = take_from<ReportHead>(bytes);
  std::vector<int> changed = {node};
  if (t.asked_by_us && *t.asked_by_us <= head.bound) t.asked_by_us.reset();
  cut_.bound(node, head.bound);
  const bool heard = std::exchange(t.hears, head.hears != 0);
  if (t.hears && !heard) table_.front().hearing_elsewhere.set(true);
  for (std::uint32_t i = 0; i < head.received; ++i) {
    const auto part = take_from<ReportReceived>(bytes);
    cut_.received(node, static_cast<int>(part.from), part.count);
  }
  for (std::uint32_t i = 0; i < head.sent; ++i) {
    const auto part = take_from<ReportSent>(bytes);
    std::deque<std::int64_t> arrivals;
    for (std::uint32_t k = 0; k < part.arrivals; ++k) arrivals.push_back(take_from<std::int64_t>(bytes));
    cut_.sent(node, part.to).learn(part.first, std::move(arrivals));
    changed.push_back(part.to);
  }
  apply(changed);
  if (heard && !t.hears) table_.front().hearing_elsewhere.set(false);
}

// Falls first: whoever sees another node further than before is to see what that rests upon.
void Agent::apply(const std::vector<int>& nodes) {
  std::vector<int> rising;
  for (int node : nodes) {
    if (cut_.bound(node) > table_.bound(places_.slot_of_node(node)).bound())
      rising.push_back(node);
    else
      while (!set(node)) take_outbox();
  }
  for (int node : rising)
    while (!set(node)) take_outbox();
}

// Fails if a rank has just announced a message to that node that the outbox has not shown yet.
bool Agent::set(int node) {
  const int slot = places_.slot_of_node(node);
  const std::uint64_t announced = table_.bound(slot).announced();
  std::uint64_t& lowered = lowered_[static_cast<std::size_t>(node)];
  if (announced > cut_.own(node).sent() + lowered) return false;
  const auto count = table_.set_bound(slot, cut_.bound(node), announced);
  if (count) lowered += *count - announced;
  return count.has_value();
}

}  // namespace emu::wire
