// Work of an agent while ranks of the job run: messages and bounds. end.cc has the rest.
#include "wire/agent/agent.h"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <cstring>
#include <thread>
#include <utility>

namespace emu::wire {

using Kind = FrameHead::Kind;
using match::Message;

namespace {

constexpr std::uint64_t silent = 64;  // messages taken in without an acknowledgement

// Payloads from this size on are sent from the shared memory where they are, and not copied.
constexpr std::uint64_t least_borrowed = 16 << 10;

}  // namespace

Agent::Agent(const Region& region, const NodeMap& node_map, const model::Network& network,
             std::vector<Peer> peers, int wakes, std::function<void(const std::string&)> on_failure)
    : region_(region),
      node_map_(node_map),
      table_(region.base(), node_map, node_map.agent(), Lookaheads(Interval())),
      heap_(region.base(), region.bytes(), table_, node_map.agent()),
      cut_(node_map.nodes(), node_map.node()),
      // One thread runs the loop, so it needs no locks.
      loop_(BOOST_ASIO_CONCURRENCY_HINT_UNSAFE),
      wakes_(loop_, wakes),
      by_node_(static_cast<std::size_t>(node_map.nodes())),
      lowered_(static_cast<std::size_t>(node_map.nodes())),
      on_failure_(std::move(on_failure)) {
  if (network.resources().any()) {
    contention_.emplace(region.base(), table_.header(), heap_, node_map, network);
    table_.contends(*contention_);
  }
  for (Peer& peer : peers) {
    Channel& c = channels_.emplace_back(*this, std::move(peer));
    by_node_[static_cast<std::size_t>(c.node)] = &c;
    c.connection.start([this, &c] { lost(c); });
  }
  read_wakes();
}

Agent::~Agent() { wakes_.release(); }

Agent::Channel::Channel(Agent& its_agent, Peer peer)
    : agent(its_agent),
      node(peer.node),
      name(std::move(peer.name)),
      connection(agent.loop_, std::move(peer.socket), *this,
                 frame_limits(agent.node_map_, node, agent.region_.bytes())) {}

// --- the loop

void Agent::run() {
  Record& self = table_.record(node_map_.agent());
  while (!done()) {
    self.asleep = 1;  // from here on each wake-up writes a byte to the pipe
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
  send_final_message();
  flush();
}

void Agent::wait() {
  // The check for a standstill runs only now and then.
  std::chrono::nanoseconds timeout = std::chrono::milliseconds(200);
  if (retry_) timeout = std::max<std::chrono::nanoseconds>(*retry_, std::chrono::milliseconds(1));
  if (loop_.run_one_for(timeout) == 0 && !retry_ && !done()) watch_all_blocked();
}

// The bytes have no meaning: a process that wakes this agent has written its request elsewhere.
void Agent::read_wakes() {
  wakes_.async_read_some(boost::asio::buffer(wake_bytes_), [this](const auto& error, std::size_t) {
    if (!error) read_wakes();
  });
}

void Agent::flush() {
  for (Channel& c : channels_) {
    if (c.gone) continue;
    if (c.received - c.acknowledged >= silent) begin(c, Kind::taken_in, 0);
    if (!c.connection.flush()) lost(c);
  }
}

// An agent leaves when it knows that all ranks of the job have finished; its peers may not know that yet. If a rank was
// killed, the supervisor of the other node ends the job, and names the rank: it gets a second for that.
void Agent::lost(Channel& c) {
  if (std::exchange(c.gone, true) || c.finished) return;
  std::this_thread::sleep_for(std::chrono::seconds(1));
  on_failure_("lost " + c.name + " before its ranks had finished: " + c.connection.reason());
}

void Agent::begin(Channel& c, Kind kind, std::uint64_t bytes) {
  c.acknowledged = c.received;
  c.connection.begin({.kind = kind, .bytes = bytes, .received = c.received});
}

std::byte* Agent::place(Channel& c, const FrameHead& head) {
  if (head.kind != Kind::message) return nullptr;
  c.placed = block_for(c, head.bytes);
  c.placed_home = c.placed->home;
  return reinterpret_cast<std::byte*>(c.placed);
}

const char* Agent::wrong_with(const Channel& c, const FrameHead& head, const std::byte* body) const {
  const std::span all(body, head.bytes);
  switch (head.kind) {
    case Kind::message:
      if (const char* wrong = wrong_with_message(all, node_map_, c.node)) return wrong;
      return !contention_ && is_in_transit(body) ? "a message in transit where none is" : nullptr;
    case Kind::report:
      return wrong_with_report(all, node_map_, c.node);
    case Kind::finished:
      return c.finished ? "a second end of its ranks" : wrong_with_finished(all, node_map_, c.node);
    case Kind::waits:
      return wrong_with_waits(all, node_map_, c.node);
    default:
      return nullptr;
  }
}

void Agent::take(Channel& c, const FrameHead& head, std::byte* body) {
  const std::byte* bytes = body;
  if (const char* wrong = wrong_with(c, head, bytes)) [[unlikely]]
    return on_failure_("lost " + c.name + ": it sent what no agent sends: " + wrong);
  cut_.own(c.node).taken_in(head.received);
  suspected_ = false;
  switch (head.kind) {
    case Kind::message:
      return take_message(c, body, head.bytes);
    case Kind::taken_in:
      return;
    case Kind::ask: {
      const auto needed = take_from<std::int64_t>(bytes);
      if (needed == never)  // checks for a standstill: not worth waiting for
        report_now(c);
      else
        c.asked_by_it = needed;  // replaces earlier questions
      return;
    }
    case Kind::report:
      return take_report(c, bytes);
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
  }
}

void Agent::forward(Message* m) {
  const int node = node_map_.node_of(m->to);
  cut_.own(node).send(m->arrival.at.picoseconds());
  const auto carried = static_cast<std::uint64_t>(m->carried());
  Channel& c = channel(node);
  begin(c, Kind::message, sizeof *m + carried);
  if (carried >= least_borrowed) {
    c.connection.put({reinterpret_cast<const std::byte*>(m), sizeof *m + carried},
                     [this, m] { heap_.release(m); });
    return;
  }
  c.connection.put(bytes_of(*m));
  c.connection.put({m->payload(), carried});
  heap_.release(m);
}

Message* Agent::block_for(const Channel& c, std::uint64_t size) {
  const std::uint64_t carried = size - sizeof(Message);
  Message* m = heap_.allocate(static_cast<model::Bytes>(carried));
  if (!m)
    on_failure_("messages in flight need more than the " + std::to_string(region_.bytes() >> 20) +
                " MiB of memory that they share here (last: " + std::to_string(carried) + " bytes from " +
                c.name + ")");
  return m;
}

void Agent::take_message(Channel& c, std::byte* body, std::uint64_t size) {
  const bool placed = reinterpret_cast<std::byte*>(c.placed) == body;
  Message* m = placed ? std::exchange(c.placed, nullptr) : block_for(c, size);
  const std::uint64_t home = placed ? c.placed_home : m->home;
  if (!placed) std::memcpy(static_cast<void*>(m), body, size);
  m->home = home;
  if (m->in_transit && !contention_->add(*m)) on_failure_(too_soon(*m));
  if (m->kind == Message::Kind::notice && m->in_transit) {
    heap_.release(m);
    ++c.received;
    return;
  }
  const int slot = node_map_.slot_of(m->to);
  const std::int64_t arrival = m->arrival.at.picoseconds();
  const bool operation = m->kind == Message::Kind::operation;
  put(table_.record(slot).inbox, m, heap_);  // from here on it is the receiver's
  table_.announce(slot, arrival, operation);
  ++c.received;
}

// --- bounds

void Agent::ask() {
  for (Channel& c : channels_) {
    const int slot = node_map_.slot_of_node(c.node);
    const std::int64_t wanted = table_.wanted(slot);
    if (wanted > never) continue;
    if (c.asked_by_us && *c.asked_by_us <= wanted) continue;
    c.asked_by_us = wanted;
    begin(c, Kind::ask, sizeof wanted);
    c.connection.put(bytes_of(wanted));
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
    take_outbox();  // messages sent before that bound precede the report, and are counted in it
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
    std::uint64_t& reported = c.reported_received[from.node];
    if (reported == from.received) continue;
    reported = from.received;
    add(bytes_of(ReportReceived{from.node, from.received}));
    ++head.received;
  }
  for (const Channel& to : channels_) {
    if (&to == &c) continue;
    const Flow& flow = cut_.own(to.node);
    std::uint64_t& reported = c.reported_sent[to.node];
    if (reported == flow.sent()) continue;
    reported = flow.sent();
    const auto& arrivals = flow.arrivals();
    add(bytes_of(ReportSent{to.node, static_cast<std::uint32_t>(arrivals.size()), flow.first()}));
    for (const std::int64_t& arrival : arrivals) add(bytes_of(arrival));
    ++head.sent;
  }
  std::memcpy(text.data(), &head, sizeof head);
  begin(c, Kind::report, text.size());
  c.connection.put(text);
}

void Agent::take_report(Channel& c, const std::byte* bytes) {
  const std::vector<int> changed = learn_report(cut_, c.node, bytes);
  const auto bound = take_from<ReportHead>(bytes).bound;
  if (c.asked_by_us && *c.asked_by_us <= bound) c.asked_by_us.reset();
  apply(changed);
}

// Falls come first: a rank that reads a higher bound of one node must also read the lower bounds that it depends on.
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

// Fails if a rank has announced a message to that node that has not appeared in the outbox yet.
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
