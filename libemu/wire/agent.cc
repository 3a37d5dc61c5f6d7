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
constexpr std::uint64_t silent = 64;  // messages taken in without an acknowledgement

// Parts of a report, one after the other.
struct ReportHead {
  std::int64_t bound;
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

Agent::Agent(const Region& region, const NodeMap& node_map, std::vector<Peer> peers, int wakes,
             std::function<void(const std::string&)> on_failure)
    : region_(region),
      node_map_(node_map),
      table_(region.base(), node_map, node_map.agent(), Lookaheads(Interval())),
      heap_(region.base(), region.bytes(), table_, node_map.agent()),
      cut_(node_map.nodes(), node_map.node()),
      by_node_(static_cast<std::size_t>(node_map.nodes())),
      lowered_(static_cast<std::size_t>(node_map.nodes())),
      wakes_(wakes),
      on_failure_(std::move(on_failure)) {
  epoll_ = epoll_create1(EPOLL_CLOEXEC);
  epoll_event event{};
  event.events = EPOLLIN;
  epoll_ctl(epoll_, EPOLL_CTL_ADD, wakes_, &event);
  channels_.reserve(peers.size());
  for (Peer& peer : peers) channels_.push_back(Channel{.peer = std::move(peer)});
  for (Channel& c : channels_) {
    by_node_[static_cast<std::size_t>(c.peer.node)] = &c;
    event.data.ptr = &c;
    epoll_ctl(epoll_, EPOLL_CTL_ADD, c.peer.connection.fd(), &event);
  }
}

Agent::~Agent() {
  if (epoll_ >= 0) close(epoll_);
}

// --- the loop

void Agent::run() {
  Record& self = table_.record(node_map_.agent());
  while (!done()) {
    self.asleep = 1;  // from here on a wake-up leaves a byte in the pipe
    step();
    if (!done()) wait();
    self.asleep = 0;
  }
  leave();
}

bool Agent::done() const {
  return announced_finish_ &&
         std::all_of(channels_.begin(), channels_.end(), [](const Channel& c) { return c.finished; });
}

void Agent::step() {
  retry_.reset();
  take_outbox();
  answer();
  ask();
  finish();
  send_last_words();
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
    auto* c = static_cast<Channel*>(events[i].data.ptr);
    if (!c) {
      char drop[64];
      [[maybe_unused]] const ssize_t dropped = ::read(wakes_, drop, sizeof drop);
    } else if (events[i].events & ~EPOLLOUT) {
      read(*c);
    }
  }
}

void Agent::flush() {
  for (Channel& c : channels_) {
    if (c.gone) continue;
    if (c.received - c.acknowledged >= silent) begin(c, Kind::taken_in, 0);
    if (!c.peer.connection.flush()) {
      lost(c);
      continue;
    }
    if (c.peer.connection.pending() == c.listed) continue;
    c.listed = !c.listed;
    epoll_event event{};
    event.events = EPOLLIN | (c.listed ? EPOLLOUT : 0u);
    event.data.ptr = &c;
    epoll_ctl(epoll_, EPOLL_CTL_MOD, c.peer.connection.fd(), &event);
  }
}

void Agent::read(Channel& c) {
  if (c.gone) return;
  const bool open =
      c.peer.connection.read([&](const FrameHead& head, const std::byte* bytes) { take(c, head, bytes); });
  if (!open) lost(c);
}

// An agent leaves when it knows that all ranks of the job have finished, which its peers may not know yet.
void Agent::lost(Channel& c) {
  c.gone = true;
  epoll_ctl(epoll_, EPOLL_CTL_DEL, c.peer.connection.fd(), nullptr);
  if (c.finished) return;
  on_failure_("lost " + c.peer.name + " before its ranks had finished: " + c.peer.connection.reason());
}

void Agent::begin(Channel& c, Kind kind, std::uint64_t bytes) {
  c.acknowledged = c.received;
  c.peer.connection.begin({.kind = kind, .bytes = bytes, .received = c.received});
}

void Agent::take(Channel& c, const FrameHead& head, const std::byte* bytes) {
  cut_.own(c.peer.node).taken_in(head.received);
  suspected_ = false;
  switch (head.kind) {
    case Kind::message:
      return take_message(c, bytes, head.bytes);
    case Kind::taken_in:
      return;
    case Kind::ask: {
      const auto needed = take_from<std::int64_t>(bytes);
      if (needed == never)  // to see whether everybody waits for ever: not worth waiting for
        report_now(c);
      else
        c.asked_by_it = needed;  // what it waits for now, whatever it asked before
      return;
    }
    case Kind::report:
      return take_report(c, bytes, head.bytes);
    case Kind::finished:
      return take_finished(c, bytes, head.bytes);
    case Kind::suspect:
      return ask_waits();
    case Kind::waits:
      return take_waits(c, bytes, head.bytes);
    case Kind::last_words:
      return take_last_words(bytes, head.bytes);
  }
}

// --- messages

void Agent::take_outbox() {
  Message* next = nullptr;
  for (Message* m = take_all(table_.record(node_map_.agent()).inbox, heap_); m; m = next) {
    next = m->next;
    forward(m);
    heap_.release(m);
  }
}

void Agent::forward(Message* m) {
  const int node = node_map_.node_of(m->to);
  cut_.own(node).send(m->arrival.at.picoseconds());
  const auto carried = static_cast<std::uint64_t>(m->carried());
  begin(channel(node), Kind::message, sizeof *m + carried);
  channel(node).peer.connection.put(bytes_of(*m));
  channel(node).peer.connection.put({m->payload(), carried});
}

void Agent::take_message(Channel& c, const std::byte* bytes, std::uint64_t size) {
  const std::uint64_t carried = size - sizeof(Message);
  Message* m = heap_.allocate(static_cast<model::Bytes>(carried));
  if (!m)
    on_failure_("messages in flight need more than the " + std::to_string(region_.bytes() >> 20) +
                " MiB of shared memory that this host can give (last: " + std::to_string(carried) +
                " bytes from " + c.peer.name + ")");
  const std::uint64_t home = m->home;
  std::memcpy(static_cast<void*>(m), bytes, size);
  m->home = home;
  const int slot = node_map_.slot_of(m->to);
  const std::int64_t arrival = m->arrival.at.picoseconds();
  put(table_.record(slot).inbox, m, heap_);
  table_.announce(slot, arrival, m->kind == Message::Kind::operation);
  ++c.received;
}

// --- bounds

void Agent::ask() {
  for (Channel& c : channels_) {
    const int slot = node_map_.slot_of_node(c.peer.node);
    const std::int64_t wanted = table_.wanted(slot);
    if (wanted > never) continue;
    if (c.asked_by_us && *c.asked_by_us <= wanted) continue;
    c.asked_by_us = wanted;
    begin(c, Kind::ask, sizeof wanted);
    c.peer.connection.put(bytes_of(wanted));
  }
}

void Agent::answer() {
  for (;;) {
    std::optional<std::int64_t> least;
    for (const Channel& c : channels_)
      if (c.asked_by_it) least = std::min(*c.asked_by_it, least.value_or(never));
    if (!least) return;
    const auto bound = table_.local_bound(*least, retry_);
    if (!bound) return;
    take_outbox();  // what was sent before that bound goes ahead of the report, and is counted in it
    for (Channel& c : channels_)
      if (c.asked_by_it && *c.asked_by_it <= *bound) {
        c.asked_by_it.reset();
        report(c, *bound);
      }
  }
}

void Agent::report_now(Channel& c) {
  const std::int64_t bound = table_.local_bound();
  take_outbox();
  report(c, bound);
}

void Agent::report(Channel& c, std::int64_t bound) {
  std::vector<std::byte> text;
  const auto add = [&text](std::span<const std::byte> bytes) {
    text.insert(text.end(), bytes.begin(), bytes.end());
  };
  ReportHead head{bound, 0, 0};
  add(bytes_of(head));
  for (const Channel& from : channels_) {
    std::uint64_t& reported = c.reported_received[from.peer.node];
    if (reported == from.received) continue;
    reported = from.received;
    add(bytes_of(ReportReceived{from.peer.node, from.received}));
    ++head.received;
  }
  for (const Channel& to : channels_) {
    if (&to == &c) continue;
    const Flow& flow = cut_.own(to.peer.node);
    std::uint64_t& reported = c.reported_sent[to.peer.node];
    if (reported == flow.sent()) continue;
    reported = flow.sent();
    const auto& arrivals = flow.arrivals();
    add(bytes_of(ReportSent{to.peer.node, static_cast<std::uint32_t>(arrivals.size()), flow.first()}));
    for (const std::int64_t& arrival : arrivals) add(bytes_of(arrival));
    ++head.sent;
  }
  std::memcpy(text.data(), &head, sizeof head);
  begin(c, Kind::report, text.size());
  c.peer.connection.put(text);
}

void Agent::take_report(Channel& c, const std::byte* bytes, std::uint64_t) {
  const int node = c.peer.node;
  const auto head = take_from<ReportHead>(bytes);
  std::vector<int> changed = {node};
  if (c.asked_by_us && *c.asked_by_us <= head.bound) c.asked_by_us.reset();
  cut_.bound(node, head.bound);
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
}

// Falls first: whoever sees another node further than before is to see what that rests upon.
void Agent::apply(const std::vector<int>& nodes) {
  std::vector<int> rising;
  for (int node : nodes) {
    if (cut_.bound(node) > table_.bound(node_map_.slot_of_node(node)).bound())
      rising.push_back(node);
    else
      while (!set(node)) take_outbox();
  }
  for (int node : rising)
    while (!set(node)) take_outbox();
}

// Fails if a rank has just announced a message to that node that the outbox has not shown yet.
bool Agent::set(int node) {
  const int slot = node_map_.slot_of_node(node);
  const std::uint64_t announced = table_.bound(slot).announced();
  std::uint64_t& lowered = lowered_[static_cast<std::size_t>(node)];
  if (announced > cut_.own(node).sent() + lowered) return false;
  const auto count = table_.set_bound(slot, cut_.bound(node), announced);
  if (count) lowered += *count - announced;
  return count.has_value();
}

}  // namespace emu::wire
