// A node's agent: it carries all traffic between the node's ranks and other nodes. It is one thread in one process of
// the node, with a stream socket to the agent of each other node.
//
// Messages. A rank hands a message for another node to its agent and announces it in that node's slot of the
// table. That lowers the slot's bound to the arrival, as it would lower a rank's. The agent of the other node announces
// the message to the receiver.
//
// Bounds travel on demand. A rank that waits until another node's bound has reached an instant leaves
// that instant in the slot of the node and wakes its agent, which asks the other agent. The other agent
// answers with a report (wire/agent/cut.h), a null message on demand, once the least bound of its own
// ranks has reached the instant. Until then it is one of the waiters in its own table, and reads the CPU
// clocks of ranks that compute. The slots of the table show, for each node, the bound that cut.h defines.
//
// Safety. The argument in wire/table.h requires three properties of a slot: (1) when its bound is
// raised, nothing that was announced to it is forgotten; (2) a lowering is counted before anything that
// follows from it is raised; (3) its bound holds together with those of the other slots. (1):
// set_bound() fails unless the agent has seen as many messages as were announced, and the messages that
// the node has not taken in are part of the bound in cut.h. (2): after a report, slots whose bound
// falls are set first. (3): cut.h argues so, if a report is true for one moment. The reporting agent
// reads the least bound of its ranks, which is one bound of one moment if no lowering came between.
// Only this agent takes in messages, so their counts are those of that moment. It takes the messages
// that were handed over for other nodes after that, so every message that a rank sent before it raised
// its bound has been counted. It may count more messages, which only lowers a bound. The stream keeps
// the order: counted messages precede the report, and are announced before the report is applied.
//
// Progress. Let the rank with the least bound of all, messages in transit included,
// want the others to be at b. No bound is below b, so every agent answers at once when
// all that was sent to it before the question has been taken in, and every message
// still in transit across the new cut arrives at b or later. So no slot stays below b.
//
// Standstill. If the bounds of all slots are `never` in a cut, no rank will act again. Then node 0 asks all
// agents for the waits of their ranks, and reports a deadlock if any rank waits.
//
// Last words. Several ranks may find a reason to end the job at once. On a host node, the first of them
// reports. With several nodes, node 0 reports: the agents of the other nodes send the reason there.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "wire/agent/connection.h"
#include "wire/agent/cut.h"
#include "wire/agent/event_loop.h"
#include "wire/agent/frame_body.h"
#include "wire/agent/peer.h"
#include "wire/deadlock.h"
#include "wire/heap.h"
#include "wire/node_map.h"
#include "wire/region.h"
#include "wire/shared_contention.h"
#include "wire/table.h"

namespace emu::wire {

class Agent {
 public:
  // `node_map`, `region` and `network`, which is the target's, outlive the agent.
  // A byte in the pipe `wakes` wakes the agent. `on_failure` ends the job.
  Agent(const Region& region, const NodeMap& node_map, const model::Network& network, std::vector<Peer> peers,
        int wakes, std::function<void(const std::string&)> on_failure);
  ~Agent();

  // Returns when all ranks of the job have finished and all nodes know it.
  void run();

 private:
  // State of the exchange with another node, besides messages.
  struct Channel final : FrameSink {
    Channel(Agent& its_agent, Peer peer);
    std::byte* place(const FrameHead& head) override { return agent.place(*this, head); }
    void take(const FrameHead& head, std::byte* body) override { agent.take(*this, head, body); }

    Agent& agent;
    const int node;
    const std::string name;  // in error messages
    Connection connection;
    match::Message* placed = nullptr;  // the block of a long message that is being received
    std::uint64_t placed_home = 0;
    std::uint64_t received = 0;      // messages received from that node
    std::uint64_t acknowledged = 0;  // the count of these that the node knows
    std::optional<std::int64_t> asked_by_us, asked_by_it;
    std::map<int, std::uint64_t> reported_received, reported_sent;  // by node: counts in our last report
    bool finished = false;                                          // all its ranks have finished
    std::vector<Waiter> waits;
    bool gone = false;
  };

  // One round of all tasks.
  void step();
  void take_outbox();
  void forward(match::Message* message);
  void ask();
  void answer();
  void report_now(Channel& channel);
  void report(Channel& channel, std::int64_t bound);
  void finish();
  void leave();
  void send_final_message();
  void flush();
  void watch_all_blocked();
  void ask_waits();

  std::byte* place(Channel& channel, const FrameHead& head);
  void take(Channel& channel, const FrameHead& head, std::byte* body);
  void take_message(Channel& channel, std::byte* body, std::uint64_t size);
  match::Message* block_for(const Channel& channel, std::uint64_t size);
  void take_report(Channel& channel, const std::byte* bytes);
  void take_finished(Channel& channel, const std::byte* bytes, std::uint64_t size);
  void take_last_words(const std::byte* bytes, std::uint64_t size);
  const char* wrong_with(const Channel& channel, const FrameHead& head, const std::byte* body) const;
  void take_waits(Channel& channel, const std::byte* bytes, std::uint64_t size);
  void apply(const std::vector<int>& nodes);
  bool set(int node);

  void wait();
  void read_wakes();
  void lost(Channel& channel);
  void begin(Channel& channel, FrameHead::Kind kind, std::uint64_t bytes);
  std::vector<Waiter> local_waits();
  bool done() const;
  Channel& channel(int node) { return *by_node_[static_cast<std::size_t>(node)]; }

  const Region& region_;
  const NodeMap& node_map_;
  Table table_;
  Heap heap_;
  std::optional<SharedContention> contention_;  // where messages share resources
  Cut cut_;
  EventLoop loop_;
  Pipe wakes_;
  std::array<char, 64> wake_bytes_;
  std::deque<Channel> channels_;
  std::vector<Channel*> by_node_;       // null for this one
  std::vector<std::uint64_t> lowered_;  // by node: how often this agent has lowered its slot
  std::optional<std::chrono::nanoseconds> retry_;
  std::uint32_t finished_elsewhere_ = 0;  // number of ranks
  bool announced_finish_ = false;
  bool sent_last_words_ = false;
  bool suspected_ = false;  // has told node 0, and has received nothing since
  std::function<void(const std::string&)> on_failure_;
};

}  // namespace emu::wire
