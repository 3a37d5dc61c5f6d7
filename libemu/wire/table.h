// The table of bounds: how ranks of one node know how far the others are. It has a slot for each of them and,
// if there are more nodes, one for each node (wire/node_map.h): the bound of another node is what its agent
// says of it, and wire/agent/agent.h argues why that may stand in the table like a bound of a rank. Below, a rank
// is also such a slot.
//
// Each rank publishes a bound: it will do nothing that another rank can notice at an earlier virtual instant.
// Let la be the lookahead: a message arrives at least la after the instant at which its sender acts. A rank
// that wants to act on an arrival `key` asks for every other rank s whether (bound(s) + la, s) is beyond key:
// then no message from s can still come before. A rank that may not matter itself can still make another one
// send, which takes two messages: bound(s) + 2 la.
//
// Some links are slower than others (wire/lookaheads.h). For a message of s itself it is enough to add what
// one from s to this rank takes at the least, and for one that s makes another rank send, the least that a
// chain of messages from s through others takes; both must be beyond key. So two clusters that are far from
// each other need not keep step by the latency within them.
//
// Safety. Let B(t) be the least bound of all ranks at real time t. Every message not announced at t leaves
// its sender at B(t) or later, hence arrives at B(t) + la or later:
//   - a running rank's bound is its clock, which only grows; a blocked rank acts at its least known arrival
//     or later, or because of a message that is announced later, which by induction arrives at B(t) + la or
//     later, and then acts later still;
//   - a sender hands the message over, then announces it and lowers the receiver's bound to the arrival in
//     one atomic step, and only then raises its own bound. So at every moment either the sender's old bound
//     or the receiver's lowered one accounts for the message;
//   - a blocked rank raises its bound only if nothing was announced since it last drained (the same atomic variable);
//   - a reader does not see all bounds at one moment: it walks a tree of minima (wire/minima.h) and reads
//     before and after how many lowerings the root has been told of. If that has changed, it starts again. If
//     not: a message that lowered a bound the reader took for higher was not told to the root when the walk
//     ended, so its sender had not yet raised its own bound, and what the walk read of the sender accounts
//     for the message.
// With lookaheads of pairs it holds for each receiver by itself: what causes a message leads back to an act
// of some rank s at bound(s) or later, and the message is that of s itself or the last of a chain from s, so
// it arrives no sooner than what was added to bound(s).
//
// Servers. Where a rank's memory is open to others (rank/protocols/windows.h), its slot stands for two logical processes: its own, and
// a server that acts at the arrival of each operation, however far the rank's clock is, and does nothing else. The slot's bound
// is the lesser of theirs. So an operation that is announced lowers it to its arrival, below the rank's clock if that is
// further, where any other message lowers it to the clock at the least; and a rank that runs publishes the arrival of the first
// operation that has not taken effect, if that is less than its clock. With that the proof above holds of servers as it does
// of ranks: a server's answer leaves at its slot's bound or later, and before the bound is raised. It pays no overhead, so la is the
// least latency alone, at least 1 ps, in every job whose program may make windows (Network::lookahead). A rank that waits for
// an answer is blocked like any other: until the operation takes effect, the server's bound accounts for the answer, and then the
// announcement of the answer for what that rank does. An operation that waits for a lock has taken effect: its server
// does nothing until the unlock, which is announced in its turn. tests/reference/promela/windows.pml plays two origins, a lock and a target
// that computes in all orders.
// Who computes beside must not be taken for further than its clock by its CPU time (wire/cpu_reader.h): that would pass the
// server by. So ranks with windows do not offer it.
//
// Messages in transit. Where messages share resources (wire/shared_contention.h), the arrival of one is not known when it is
// sent. Its sender adds it to the resources, announces it with an instant before which it cannot arrive, and then raises its own
// bound; what la is added to is then the coming of its head to the resources. So of a moment at which the least bound is B, all
// messages are on the resources whose heads come before B + la, and what happens there up to that instant is certain. A rank that
// waits for a message in transit publishes as its bound the least instant at which the message can land, and what the bound were
// without such messages. Anyone who finds it in the way may work out what happens on the resources up to B + la, and raise the
// bound to the instant that is known then, which is never less. That is right as long as the rank has not acted and nothing was
// announced to it: both count in the word that the raise is conditional on (Table::push, Table::rests_no_more). It goes on:
// the rank of the least bound B has a message that lands by B, which is certain and ends its wait, or one whose least
// instant, at B + la, lies beyond B.
//
// Progress. la >= 1 ps. The rank with the least bound b has its least event at b or runs. Nobody's bound is
// below b, and b + la > b, so nobody stands in its way: it acts. If all bounds are `never`, no message is in
// flight (it would have lowered a bound), nobody runs, and nobody will ever act: the program is deadlocked or
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
#include "match/wire.h"
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

// What a sleeping rank waits for, for the report of a deadlock: match::Waiting, match::Running.
struct Running {
  char call[28];  // empty: there is none
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

using OthersWaits = std::array<Wait, 3>;  // what threads beside wait for; of more of them the first

// The last collectives that a rank took part in, for that report too: match::Joined.
struct Joined {
  char call[28];
  std::int32_t first;
  std::int32_t root;
  std::uint64_t context;
  std::int64_t number;  // 0: nothing stands here
  std::int64_t bytes;
  std::int32_t background;
};
using LastJoined = std::array<Joined, 4>;

// Messages lost because the rank's node was down, for that report too.
struct Losses {
  std::int64_t count;
  std::int64_t at;    // of the first, in picoseconds: match::Loss
  std::int32_t peer;  // of the first
};

struct alignas(64) Record {
  record::RankStatus status;          // clock: no announcement lowers the bound below it
  std::atomic<std::uint32_t> asleep;  // futex: 1 while the rank sleeps
  std::atomic<std::int32_t> finished;
  std::atomic<std::int64_t> reaction;         // blocked: from an arrival to the first act that it can cause
  std::atomic<std::int64_t> needs;            // asleep: the bound of another rank that it waits for
  std::atomic<std::int64_t> watched;          // the least of the bounds of this rank that others wait for
  std::atomic<std::int32_t> awaits;           // with `needs`: which rank's bound
  std::atomic<std::int64_t> without_transit;  // blocked: the bound if no message were in transit to it
  // The bound rests on messages in transit, and others may raise it as long as no more than that was announced: the count of
  // announcements, plus 1. 0: it does not.
  std::atomic<std::uint64_t> rests;
  // Of a look that found no more to raise: the header's `landings`, and `rests`, of that moment.
  Bound looked_at;
  std::atomic<std::int32_t>
      listens;  // asleep: every announcement wakes it, though its bound be that of a rank that runs
  alignas(64) std::atomic<std::uint64_t> inbox;     // messages handed over: offset of the newest, linked
  alignas(64) std::atomic<std::uint64_t> returned;  // blocks of this rank that receivers gave back, linked
  CpuRecord cpu;
  Wait wait;
  // Of several threads of the rank the others: how many, and what the first of them wait for.
  std::int32_t threads_beside;
  OthersWaits beside;
  Losses lost;    // arriving
  Losses unsent;  // not sent any more
  LastJoined joined;
  Life life;
};

// What each of the host's clocks that tell the time shows, in nanoseconds, by its clockid_t; 0 for the
// others.
using ClockReadings = std::array<std::int64_t, 16>;

// A text for other processes of this node: wire/notice.h.
struct Notice {
  std::uint64_t at, bytes;           // offset and size
  std::atomic<std::uint32_t> there;  // futex: 1 once it is
};

struct alignas(64) TableHeader {
  record::JobStatus status;
  Notice notice;                        // of the first rank of the node, to the others
  Notice last_words;                    // of a rank that wants the job to end, to the agent: for node 0
  std::atomic<std::uint32_t> bits;      // that ranks of the node have given: wire/notice.h
  std::atomic<std::uint32_t> given;     // futex: how many have
  std::atomic<std::uint32_t> arrived;   // futex: ranks that are ready to start
  std::atomic<std::uint32_t> started;   // futex: 1 once all are
  ClockReadings clocks_at_zero;         // at virtual time 0, the same on all ranks; then set
  std::atomic<std::uint64_t> heap_top;  // offset of memory never used
  std::atomic<std::uint64_t>
      contention;  // its offset (wire/shared_contention.h); 0: none; 1: it is being made
  std::atomic<std::uint32_t> contention_lock;
  std::atomic<std::uint64_t> landings;   // Contention::steps()
  std::atomic<std::int64_t> worked_out;  // Contention::now(), in picoseconds
  // Bytes of large blocks for messages (wire/heap.h): taken; not taken, though the system has not got their memory back; and the most
  // that were taken of late.
  std::atomic<std::int64_t> large_taken, large_idle, large_most;
  std::atomic<std::uint32_t> finished;  // futex: ranks of the job that have finished, as far as is known here
  std::atomic<std::uint32_t> deadlocked;  // a rank found a deadlock and reports it
  std::atomic<std::uint32_t> ending;      // a rank of this node ends the job, and so the others
};

// Those who wait for a rank's bound: a set of ranks that may have more members than have been put in, so that the sets
// of all ranks together do not grow with the square of their number. A bit stands for `share` ranks, one after the other,
// and Record::awaits says which of them are meant.
struct Watchers {
  static constexpr std::size_t word_bits = 64, most_words = 4;

  explicit Watchers(int slots)
      : words(std::min(most_words, (static_cast<std::size_t>(slots) + word_bits - 1) / word_bits)),
        share((static_cast<std::size_t>(slots) + words * word_bits - 1) / (words * word_bits)) {}

  const std::size_t words;  // of a set
  const std::size_t share;
};

class Table {
 public:
  // Bytes that the table takes at the front of a region.
  static std::size_t bytes(const NodeMap& node_map);
  // Over zeroed memory, `create` by one process before the others attach.
  static void create(std::byte* base, const NodeMap& node_map);
  // `self`: the slot of who uses it. `node_map` outlives the table.
  Table(std::byte* base, const NodeMap& node_map, int self, Lookaheads lookaheads);

  TableHeader& header() { return *header_; }
  Record& record(int slot) { return records_[slot]; }
  Bound& bound(int slot) { return bounds_[slot]; }
  // What each rank of the job left when it finished, as far as this node knows.
  record::RankSummary& summary(int rank) { return summaries_[rank]; }

  // --- as the owner
  void raise(std::int64_t clock, std::int64_t bound);  // or lowers, which counts as an announcement
  bool raise_if_quiet(const match::Wire::Block& block, std::uint64_t announced);
  // Its bound rests on messages in transit from here on, until it says otherwise. Others may raise it meanwhile.
  void rests(std::int64_t without_transit, std::uint64_t announced);
  void rests_no_more();

  // --- as a sender: announces a message to `to` that arrives at `arrival`; wakes it if that matters to it.
  // `operation`: it makes the receiver's server act at its arrival, however far the receiver's clock is.
  void announce(int to, std::int64_t arrival, bool operation = false);

  // --- as one who waits: match::Wire's calls of the same names, but for slots.
  std::optional<int> in_the_way(const match::Arrival& key, const match::Sources& sources,
                                std::uint64_t announced);
  std::optional<std::int64_t> horizon(const match::Sources& sources, std::int64_t most,
                                      std::uint64_t announced);
  std::optional<int> short_of(int slot, std::int64_t at, std::uint64_t announced);
  void sleep(std::uint64_t announced, bool in_the_way);
  // Messages share resources. It outlives the table.
  void contends(SharedContention& contention) { contention_ = &contention; }
  // Whoever sleeps lets these go on. They outlive the table.
  void shares(match::Sharing& sharing) { sharing_ = &sharing; }
  // All bounds are `never`: nobody will ever act again. Of this node's ranks, that is.
  bool standstill();

  void wake(int slot);
  // The agent sleeps elsewhere than on its futex: a byte written to this file wakes it.
  void wakes_agent_by(int fd) { agent_fd_ = fd; }

  // --- as the agent
  // The bound of this node: the least of its ranks'. If that is below `needed`, nothing; then the agent is
  // woken once there is hope, or should look again after `retry`, if that is set.
  std::optional<std::int64_t> local_bound(std::int64_t needed,
                                          std::optional<std::chrono::nanoseconds>& retry);
  // Sets another node's bound, if the count of what was announced to it is `announced`. A fall counts as one
  // more announcement. The count then; nothing, and nothing has changed, if it was another one before.
  std::optional<std::uint64_t> set_bound(int slot, std::int64_t bound, std::uint64_t announced);
  // The least bound of another node that somebody waits for and that it has not reached; above `never` if
  // nobody does.
  std::int64_t wanted(int slot);
  // The least bound of this node's ranks, now or a moment ago.
  std::int64_t local_bound();

 private:
  // The least bound with which `slot` is out of the way.
  std::int64_t threshold(int slot, const match::Arrival& key, const match::Sources& sources) const;
  // The instant before which no message that `slot` causes can arrive, if its bound is `bound`.
  std::int64_t reach(int slot, std::int64_t bound, const match::Sources& sources) const;
  // Whether messages of `slot` itself are among `sources`, not just about what they cause.
  bool direct(int slot, const match::Sources& sources) const;
  void mark(const match::Sources& sources);
  bool stands(int slot, std::int64_t needed, std::int64_t& furthest);
  // The least bound of all slots, at one moment.
  std::int64_t least_bound();
  // Raises the bound of a rank that rests on messages in transit as far as is certain.
  [[gnu::noinline]] void push(int slot);
  // Registers as one who waits for the blocker. False if there is no need to wait any more.
  bool watch();
  void want(int slot);
  void ask();
  // The blocker computes: for how long it cannot be out of the way.
  std::optional<std::chrono::nanoseconds> patience();
  void fire(int slot, std::int64_t bound);
  std::int64_t wake_watchers(int slot, std::int64_t bound);
  // Wakes those of the ranks behind a bit of the set of `slot` that need no more than `bound`. What the others need at the
  // least; above `never` if there are none.
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

  // Sources that are named: those with the current stamp.
  Paged<std::uint32_t, 256> marks_;
  std::uint32_t stamp_ = 0;

  // What the last in_the_way() found. Of several ranks in the way it names the one that is furthest already:
  // it was woken last, most likely, and by the time it is out of the way the others are too.
  int blocker_ = 0;
  std::int64_t needed_ = 0;
  std::int64_t short_of_ = 0;  // measured compute: how far the blocker's bound is from it
};

}  // namespace emu::wire
