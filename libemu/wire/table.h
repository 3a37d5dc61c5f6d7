// The table of bounds, in which ranks of one node read each other's progress. It has a slot for
// each of these ranks and, if there are more nodes, one for each node (wire/node_map.h). The
// bound of another node is what that node's agent reports; wire/agent/agent.h argues why such a
// bound may be used like the bound of a rank. Below, "rank" also means the slot of a node.
//
// Each rank publishes a bound: an instant before which it does nothing that another rank can notice.
// Let la be the lookahead: a message arrives at least la after the instant at which its sender acts. A rank
// that wants to act on an arrival `key` checks for every other rank s that (bound(s) + la, s) is beyond key:
// then no message from s can arrive before key any more. A rank s whose own messages do not matter can still make
// another rank send. That takes two messages, so bound(s) + 2 la must be beyond key.
//
// Some links are slower than others (wire/lookaheads.h). Two conditions replace these for a rank s: bound(s)
// plus the least time from s to this rank, for messages of s itself; and bound(s) plus the least time of a chain
// of messages from s through other ranks to this rank, for messages that s causes. Both sums must be beyond key.
// So two clusters that are far from each other need not synchronise at the latency within a cluster.
//
// Safety. Let B(t) be the least bound of all ranks at real time t. Every message not announced at t leaves
// its sender at B(t) or later, so it arrives at B(t) + la or later:
//   - The bound of a running rank is its clock, which only grows. A blocked rank acts at its least known arrival or
//     later, or because of a message that is announced later: by induction this message arrives at B(t) + la or
//     later, and the rank acts then or later.
//   - A sender hands the message over, then announces it: one atomic step counts it and makes the receiver's bound no
//     later than the earliest instant at which it can make the receiver act. Only then the sender raises its own bound.
//     So at every moment the sender's old bound or the receiver's new bound accounts for the message.
//   - A blocked rank raises its bound only if nothing was announced since it last drained (the same atomic variable).
//   - A reader does not see all bounds at one moment. It walks a tree of minima (wire/minima.h), and reads before
//     and after the walk how many lowerings the root has counted. If this number has changed, it starts again. If not:
//     suppose that a message lowered a bound for which the reader took a higher value. The lowering had not reached
//     the root when the walk ended, so the sender had not yet raised its own bound, and the sender's bound as the
//     walk read it accounts for the message.
// With lookaheads of pairs the argument applies to each receiver separately: the causes of a
// message lead back to an act of some rank s at bound(s) or later. The message is one of s
// itself, or the last of a chain from s, so it arrives no sooner than the corresponding sum.
//
// Servers. If a rank's memory is open to others (rank/protocols/window_server.h), its slot represents two logical
// processes: the rank, and a server that acts at the arrival of each operation, independently of the rank's clock, and
// does nothing else. The bound of the slot is the lesser of the two bounds. So the announcement of an operation lowers
// the bound to the arrival, even if the rank's clock is later; any other message lowers it to the clock at the least. A
// running rank publishes as its bound the arrival of the first operation that has not taken effect, if that is before
// its clock. With these rules the proof above applies to servers as it does to ranks: the answer of a server leaves at
// the bound of its slot or later, and before that bound is raised. An answer pays no overhead, so la is the least
// latency alone, at least 1 ps, in every job whose program may create windows (Network::lookahead). A rank that waits
// for an answer is blocked like any other rank: until the operation takes effect, the server's bound accounts for what
// that rank does; after that, the announcement of the answer does. An operation that waits for a lock has taken effect:
// its server does nothing until the unlock, which is announced in its turn. tests/reference/promela/windows.pml
// explores all orders of two origins, a lock, and a target that computes. The CPU time of a computing rank
// (wire/cpu_reader.h) must not raise the bound of a slot with a server, because it says nothing about the server. So
// ranks with windows do not publish their CPU time.
//
// Messages in transit. If messages share resources (wire/shared_contention.h), the arrival of a message is not known
// when it is sent. Its sender adds it to the resources, announces it with a lower bound of its arrival, and then raises
// its own bound. Here la is a lower bound of the time until the message's head comes to the resources. So at a moment
// with least bound B, all messages whose heads come before B + la are on the resources, and what happens on them up to
// that instant is certain. A rank that waits for a message in transit publishes two values: as its bound, the least
// instant at which the message can land, and the bound that it would have without such messages. A rank that is blocked
// by the former may compute what happens on the resources up to B + la, and raise the bound to the landing instant
// known then, which is never less. This is correct as long as the owner has not acted and nothing was announced to it:
// both count in the word that the raise is conditional on (Table::push, Table::rests_no_more). Progress: the rank with
// the least bound B has a message that lands by B, which is certain and ends its wait; or its message lands at B + la
// at the earliest, so that its bound is raised beyond B.
//
// Reads. Data that a rank reads in another rank's memory (rank/protocols/rendezvous.h) are a message of the reader to
// itself. Only the shared resources are known to others: there its head comes after the overhead of the send, a way to
// the sender and a way back. The first and the last of these three are at least la.
//
// Progress. la >= 1 ps. The rank with the least bound b has its least event at b, or it runs. No bound is below b,
// and b + la > b, so no other rank blocks it: it acts. If all bounds are `never`, no message is in flight
// (it would have lowered a bound), no rank runs, and no rank will ever act: the program is deadlocked or has
// finished.
#pragma once

#include <sys/types.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/paged.h"
#include "match/bounds.h"
#include "match/sharing.h"
#include "record/status.h"
#include "record/summary.h"
#include "wire/bound.h"
#include "wire/cpu_reader.h"
#include "wire/life.h"
#include "wire/lookaheads.h"
#include "wire/minima.h"
#include "wire/node_map.h"

namespace emu::wire {

class SharedContention;

// The wait of a sleeping rank, for the deadlock report: match::Waiting, match::Running.
struct Running {
  char call[28];  // empty: none
  std::int32_t first;
  std::uint64_t context;
  std::int64_t number;
  std::array<std::int32_t, 4> peers;
  std::int32_t peer_count;
};
struct Wait {
  char call[28];
  std::int32_t peer;
  std::int32_t tag;
  std::int32_t requests;
  Running behind;
};

using OtherWaits = std::array<Wait, 3>;  // the waits of other threads; of more threads, the first ones

// The last collectives in which a rank took part, for the deadlock report: match::Joined.
struct Joined {
  char call[28];
  std::int32_t first;
  std::int32_t root;
  std::uint64_t context;
  std::int64_t number;  // 0: unused entry
  std::int64_t bytes;
  std::int32_t background;
};
using LastJoined = std::array<Joined, 4>;

// Messages lost because the rank's node was down, for the deadlock report.
struct Losses {
  std::int64_t count;
  std::int64_t at;    // of the first, in picoseconds: match::Loss
  std::int32_t peer;  // of the first
};

struct alignas(64) Record {
  record::RankStatus status;  // clock: an announcement lowers the bound no further, except by an operation
  std::atomic<std::uint32_t> asleep;  // futex: 1 while the rank sleeps
  std::atomic<std::int32_t> finished;
  std::atomic<std::int64_t> reaction;  // blocked: time from an arrival to the first act that it can cause
  std::atomic<std::int64_t> needs;     // asleep: the bound of another rank that it waits for
  std::atomic<std::int64_t> watched;   // the least bound of this rank that others wait for
  std::atomic<std::int32_t> awaits;    // with `needs`: the slot of that rank
  std::atomic<std::int64_t> without_transit;  // blocked: the bound without the messages in transit to it
  // Not 0: the bound rests on messages in transit, and others may raise it as long as the count of announcements is
  // this value - 1.
  std::atomic<std::uint64_t> rests;
  // The header's `landings` and this record's `rests` when a process last found no reason to raise the bound.
  Bound looked_at;
  std::atomic<std::int32_t>
      listens;  // asleep: every announcement wakes it, even one that does not lower its bound
  alignas(64) std::atomic<std::uint64_t> inbox;  // messages handed over: offset of the newest, a linked list
  alignas(64)
      std::atomic<std::uint64_t> returned;  // blocks of this rank that receivers have released, a linked list
  CpuRecord cpu;
  Wait wait;
  // Number of the rank's other threads that wait, and the waits of the first ones.
  std::int32_t other_threads;
  OtherWaits other_waits;
  Losses lost;    // that would have arrived
  Losses unsent;  // that were not sent
  LastJoined joined;
  Life life;
};

// Readings of the host's clocks that tell the time, in nanoseconds, by clockid_t; 0 for all other
// clocks.
using ClockReadings = std::array<std::int64_t, 16>;

// A text of one process for the others of this node: wire/notice.h.
struct Notice {
  std::uint64_t at, bytes;           // offset and size
  std::atomic<std::uint32_t> there;  // futex: 1 once the text is there
};

struct alignas(64) TableHeader {
  record::JobStatus status;
  Notice notice;                          // from the first rank of the node, to the others
  Notice last_words;                      // from a rank that ends the job, to the agent: for node 0
  std::atomic<std::uint32_t> bits;        // union of the bits from ranks of the node: wire/notice.h
  std::atomic<std::uint32_t> given;       // futex: number of ranks that have given theirs
  std::atomic<std::uint32_t> arrived;     // futex: number of ranks that are ready to start
  std::atomic<std::uint32_t> started;     // futex: 1 once all ranks are ready
  ClockReadings clocks_at_zero;           // at virtual time 0, equal on all ranks
  std::atomic<std::uint64_t> heap_top;    // offset of unused memory
  std::atomic<std::uint64_t> contention;  // its offset (wire/shared_contention.h); 0: none; 1: being made
  std::atomic<std::uint32_t> contention_lock;
  std::atomic<std::uint64_t> landings;   // Contention::steps()
  std::atomic<std::int64_t> worked_out;  // Contention::now(), in picoseconds
  // Bytes of large message blocks (wire/heap.h): in use; idle, but not returned to the system; and the greatest recent
  // number of bytes in use.
  std::atomic<std::int64_t> large_taken, large_idle, large_most;
  std::atomic<std::uint32_t> finished;    // futex: ranks of the job known to have finished
  std::atomic<std::uint32_t> deadlocked;  // a rank found a deadlock and reports it
  std::atomic<std::uint32_t> ending;      // a rank of this node ends the job, and with it the others
};

// Waiters for a rank's bound: a set of ranks, which may contain more ranks than were added. So the sets of all ranks
// together do not grow with the square of the number of ranks. A bit represents `share` consecutive ranks, of which
// Record::awaits names the members.
struct Watchers {
  static constexpr std::size_t word_bits = 64, most_words = 4;

  explicit Watchers(int slots)
      : words(std::min(most_words, (static_cast<std::size_t>(slots) + word_bits - 1) / word_bits)),
        share((static_cast<std::size_t>(slots) + words * word_bits - 1) / (words * word_bits)) {}

  const std::size_t words;  // number of words of a set
  const std::size_t share;
};

class Table {
 public:
  using WakeUp = match::Bounds::WakeUp;

  // Size of the table at the front of a region.
  static std::size_t bytes(const NodeMap& node_map);
  // Initialises zeroed memory. Called by one process, before the others attach.
  static void create(std::byte* base, const NodeMap& node_map);
  // `self`: the slot of the user. `node_map` outlives the table.
  Table(std::byte* base, const NodeMap& node_map, int self, Lookaheads lookaheads);

  TableHeader& header() { return *header_; }
  Record& record(int slot) { return records_[slot]; }
  Bound& bound(int slot) { return bounds_[slot]; }
  // Summary of a finished rank of the job, as far as this node knows it.
  record::RankSummary& summary(int rank) { return summaries_[rank]; }

  // --- owner
  void raise(std::int64_t clock, std::int64_t bound);  // or lowers, which counts as an announcement
  bool raise_if_quiet(const match::Bounds::Block& block, std::uint64_t announced);
  // From here on the own bound rests on messages in transit, until rests_no_more(). Others may raise it meanwhile.
  void rests(std::int64_t without_transit, std::uint64_t announced);
  void rests_no_more();

  // --- sender. Announces a message to `to` that arrives at `arrival`; wakes the receiver if its bound
  // falls. `operation`: the receiver's server acts at the arrival, independently of the receiver's clock.
  void announce(int to, std::int64_t arrival, bool operation = false);

  // --- waiting rank. Functions of match::Bounds of equal names, for slots.
  std::optional<int> blocking_rank(const match::Arrival& key, const match::Sources& sources,
                                   std::uint64_t announced);
  std::optional<std::int64_t> horizon(const match::Sources& sources, std::int64_t most,
                                      std::uint64_t announced);
  std::optional<int> bound_below(int slot, std::int64_t at, std::uint64_t announced);
  void sleep(std::uint64_t announced, WakeUp wake_up);
  // Messages share resources, managed by `contention`, which outlives the table.
  void contends(SharedContention& contention) { contention_ = &contention; }
  // A thread that sleeps releases the rank to these threads, which outlive the table.
  void shares(match::Sharing& sharing) { sharing_ = &sharing; }
  // True if the bounds of all ranks of this node are `never`: none of them will act again.
  bool all_blocked();

  void wake(int slot);
  // True if any rank of this node sleeps. For any process.
  bool any_asleep() const;
  // The agent sleeps elsewhere than on its futex: a byte written to this file wakes it.
  void wakes_agent_by(int fd) { agent_fd_ = fd; }

  // --- agent
  // The least bound of this node's ranks. No value if it is below `needed`: then the agent is woken when the bound may
  // have reached `needed`, or repeats the call after `retry`, if set.
  std::optional<std::int64_t> local_bound(std::int64_t needed,
                                          std::optional<std::chrono::nanoseconds>& retry);
  // Sets another node's bound, if the count of announcements to it is `announced`. A fall counts as one more
  // announcement. Returns the new count; no value, and no change, if the count was different.
  std::optional<std::uint64_t> set_bound(int slot, std::int64_t bound, std::uint64_t announced);
  // The least bound of another node that some rank waits for and that the node has not reached; above `never` if no
  // rank waits.
  std::int64_t wanted(int slot);
  // The least bound of this node's ranks, now or a moment ago.
  std::int64_t local_bound();

 private:
  // The least bound with which `slot` does not block `key`.
  std::int64_t threshold(int slot, const match::Arrival& key, const match::Sources& sources) const;
  // The instant before which no message that `slot` causes can arrive, given that its bound is `bound`.
  std::int64_t reach(int slot, std::int64_t bound, const match::Sources& sources) const;
  // True if messages of `slot` itself are among `sources`, not only messages that they cause.
  bool direct(int slot, const match::Sources& sources) const;
  void mark(const match::Sources& sources);
  bool note_blocker(int slot, std::int64_t needed, std::int64_t& furthest);
  // The least bound of all slots, at one moment.
  std::int64_t least_bound();
  // Raises the bound of a rank that rests on messages in transit as far as is certain.
  [[gnu::noinline]] void push(int slot);
  // Registers as a waiter for the blocker. Returns false if there is no need to wait any more.
  bool watch();
  void want(int slot);
  void ask();
  // The time for which a computing blocker certainly remains the blocker.
  std::optional<std::chrono::nanoseconds> patience();
  [[gnu::hot]] void fire(int slot, std::int64_t bound) {
    if (records_[slot].watched.load() <= bound) [[unlikely]]
      fire_watched(slot, bound);
  }
  [[gnu::noinline]] void fire_watched(int slot, std::int64_t bound);
  std::int64_t wake_watchers(int slot, std::int64_t bound);
  // Wakes the waiters of `slot` behind a bit of its set that need no more than `bound`. Returns the least bound that
  // the others need; above `never` if there are no others.
  std::int64_t wake_behind(std::size_t bit, int slot, std::int64_t bound);
  void raised(int slot, std::int64_t before);
  void lowered(int slot);
  std::uint64_t lowerings() const { return locals_.lowerings() + (others_ ? others_->lowerings() : 0); }
  std::atomic<std::uint64_t>* watchers(int slot) {
    return watchers_ + static_cast<std::size_t>(slot) * sets_.words;
  }

  const NodeMap& node_map_;
  const int self_;
  const Lookaheads lookaheads_;
  const Watchers sets_;
  TableHeader* header_;
  Record* records_;
  std::atomic<std::uint64_t>* watchers_;
  record::RankSummary* summaries_;
  Bound* bounds_;
  Minima locals_;
  std::optional<Minima> others_;  // over the nodes
  CpuReader cpu_reader_;
  int agent_fd_ = -1;
  match::Sharing* sharing_ = nullptr;
  SharedContention* contention_ = nullptr;

  // The named sources are those with the current stamp.
  Paged<std::uint32_t, 256> marks_;
  std::uint32_t stamp_ = 0;

  // Result of the last blocking_rank(). Of several blocking ranks it names the one with the greatest
  // bound: it was probably woken last, and the others are likely to be beyond their bounds when it is.
  int blocker_ = 0;
  std::int64_t needed_ = 0;
  std::int64_t missing_ = 0;  // measured compute: distance of the blocker's bound from needed_
};

}  // namespace emu::wire
