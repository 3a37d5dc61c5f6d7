// A node's agent: what its ranks have to do with other nodes goes through it. One thread in one process of
// each node, a stream socket to the agent of each other node.
//
// Messages. A rank hands a message for another node to its agent and announces it in that node's slot of the
// table: that lowers the slot's bound to the arrival, as it would lower a rank's. The agent there announces
// it to the receiver.
//
// Bounds travel on demand. A rank that waits until another node's bound has reached an instant leaves that
// instant in the slot of the node and wakes its agent, which asks. The agent there answers with a report
// (wire/agent/cut.h), a null message on demand, once the least bound of its own ranks is that far; it is then one more of those who wait for
// bounds in its own table, and reads the CPU clocks of ranks that compute. The slots of the table show, for
// each node, what cut.h calls its bound.
//
// Safety. The table's argument (wire/table.h) needs of a slot that nothing that was announced to it is
// forgotten when its bound is raised, that a lowering is counted before anything that follows from it is
// raised, and that its bound is one that holds together with those of the other slots. The first:
// set_bound() fails unless the agent has seen as many messages as were announced, and those that the node
// has not taken in are part of cut.h's bound. The second: after a report, slots whose bound falls are set
// first. The third is cut.h's, if a report is true for one moment: this agent reads the least of its
// ranks' bounds, which is one if no lowering came between; only it takes in messages, so their counts are
// those of that moment; and it takes what was handed over for other nodes after that, so what a rank sent
// before it raised its bound has been counted. It may count more than that, which only lowers a bound.
// The stream keeps the order: what was counted comes before the report, and is announced before the
// report is applied.
//
// Progress. Let the rank with the least bound of all, in-transit messages included, want others to be at
// b. Nobody is below that, so every agent answers at once, when all that was sent to it before the
// question is taken in, and what is still in transit across the new cut arrives at b or later. No slot
// stays below b.
//
// Standstill. If the bounds of all slots are `never` in a cut, nobody will act again; then node 0 asks
// everyone who waits for what, and reports a deadlock if anyone does.
//
// Last words. Several ranks may find at once why the job has to end. On a host node the first of them says so, and of several
// nodes it is said on node 0: the others' agents send theirs there.
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
  // `node_map` and `region` outlive the agent. A byte in the pipe `wakes` wakes it. `on_failure` ends the job.
  // `network`, which outlives it, too: the target's.
  Agent(const Region& region, const NodeMap& node_map, const model::Network& network, std::vector<Peer> peers,
        int wakes, std::function<void(const std::string&)> on_failure);
  ~Agent();

  // Until all ranks of the job have finished and all nodes know.
  void run();

 private:
  // What this node and another one have said to each other, beside messages.
  struct Channel final : FrameSink {
    Channel(Agent& its_agent, Peer peer);
    std::byte* place(const FrameHead& head) override { return agent.place(*this, head); }
    void take(const FrameHead& head, std::byte* body) override { agent.take(*this, head, body); }

    Agent& agent;
    const int node;
    const std::string name;  // for messages
    Connection connection;
    match::Message* placed = nullptr;  // a long message that is coming in, and the block that it is put into
    std::uint64_t placed_home = 0;
    std::uint64_t received = 0;      // messages that came from there
    std::uint64_t acknowledged = 0;  // what that node knows of it
    std::optional<std::int64_t> asked_by_us, asked_by_it;
    std::map<int, std::uint64_t> reported_received, reported_sent;  // by node: what our last report said
    bool finished = false;                                          // all its ranks have
    std::vector<Waiter> waits;
    bool gone = false;
  };

  // One round of all that may have to be done.
  void step();
  void take_outbox();
  void forward(match::Message* message);
  void ask();
  void answer();
  void report_now(Channel& channel);
  void report(Channel& channel, std::int64_t bound);
  void finish();
  void leave();
  void send_last_words();
  void flush();
  void watch_standstill();
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
  std::uint32_t finished_elsewhere_ = 0;  // ranks
  bool announced_finish_ = false;
  bool sent_last_words_ = false;
  bool suspected_ = false;  // said so to node 0, and has heard nothing since
  std::function<void(const std::string&)> on_failure_;
};

}  // namespace emu::wire
