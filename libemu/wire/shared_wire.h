// The wire between ranks of one node: messages and bounds in a shared region, sleep by futexes. Messages to
// another node go to this node's agent (wire/agent/agent.h) in the same region.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "match/sharing.h"
#include "match/wire.h"
#include "wire/heap.h"
#include "wire/region.h"
#include "wire/shared_contention.h"
#include "wire/table.h"

namespace emu::wire {

class SharedWire final : public match::Wire {
 public:
  // Messages in flight of a job under valgrind.
  static constexpr std::size_t bytes_under_valgrind = std::size_t{1} << 30;
  // Size of a region: room for as many messages in flight as memory allows.
  static std::size_t region_bytes(const NodeMap& node_map);

  // `self`: a rank of this node. `on_failure` ends the job with a message (and does not return).
  SharedWire(Region region, NodeMap node_map, int self, const model::Network& network,
             std::function<void(const std::string&)> on_failure);

  match::Message* allocate(model::Bytes payload) override;
  [[gnu::hot]] void release(match::Message* message) override { heap_.release(message); }
  void deliver(int to, match::Message* message) override;
  [[gnu::hot]] std::uint64_t announced() override {
    if (rests_) [[unlikely]]
      rest_no_more();
    return bound_->announced();
  }
  match::Message* drain() override;
  [[gnu::hot]] void running(Instant clock) override {
    table_.raise(clock.picoseconds(), clock.picoseconds());
  }
  bool serving(Instant clock, Instant bound, std::uint64_t announced) override {
    return table_.raise_if_quiet({clock, bound, Interval(), {}}, announced);
  }
  bool blocked(const Block& block, std::uint64_t announced) override;
  match::Landing landing(const match::Message& message) override;
  std::uint64_t landing_changes() override { return table_.header().landings.load(); }
  void advance(const match::Arrival& until) override { contention_->advance(until); }
  void landed(match::Message& message) override { contention_->landed(message); }
  void joins(const match::Joined& collective) override;
  void lost(const match::Loss& loss) override;
  [[gnu::hot]] std::optional<int> blocking_rank(const match::Arrival& key, const match::Sources& sources,
                                                std::uint64_t announced) override {
    return rank_of(table_.blocking_rank(key, sources, announced));
  }
  std::optional<int> bound_below(int rank, Instant at, std::uint64_t announced) override {
    return rank_of(table_.bound_below(node_map_.slot_of(rank), at.picoseconds(), announced));
  }
  std::optional<Instant> horizon(const match::Sources& sources, Instant most,
                                 std::uint64_t announced) override {
    const auto until = table_.horizon(sources, most.picoseconds(), announced);
    return until ? std::optional(Instant::from_picoseconds(*until)) : std::nullopt;
  }
  std::optional<Instant> wanted() override;
  void sleep(std::uint64_t announced, WakeUp wake_up) override;

  // --- measured compute: the CPU time of this thread from here on will be charged, until stopped().
  void computing(std::int64_t cpu_since);
  void stopped();
  void measures(double scale);

  // --- start: returns once all ranks of the node have called it. Before that,
  // the first rank calls `read`, which reads the clocks at virtual time 0.
  void start_together(const std::function<void(ClockReadings&)>& read);
  const ClockReadings& clocks_at_zero() { return table_.header().clocks_at_zero; }

  // --- end: this rank has finished. Returns when all ranks have; the summaries of all can be read then.
  void finish(const record::RankSummary& summary);
  const record::RankSummary& summary(int rank) { return table_.summary(rank); }
  // Use of the shared resources when all ranks have finished, the last one at `end`.
  std::vector<record::ResourceUse> resource_uses(Instant end);

  // --- several threads: a thread that sleeps informs `sharing`, which outlives the use of the wire; wake() ends the
  // sleep.
  void shares(match::Sharing& sharing) { table_.shares(sharing); }
  void wake() { table_.wake(self_); }

  // True if any rank of this node waits; may be called on any thread.
  bool any_waits() const { return table_.any_asleep(); }

  // --- life signs of the ranks of this node: this thread runs a rank, until end_life()
  void begin_life() { table_.record(self_).life.begin(); }
  void end_life() { table_.record(self_).life.end(); }
  // A rank whose thread is gone without end_life(); may be called on any thread.
  std::optional<int> lost_rank();
  // This rank ends the job prematurely.
  void end_job() { table_.header().ending = 1; }
  // As end_job(); false if another rank of this host node already ends it.
  bool end_job_first() { return table_.header().ending.exchange(1) == 0; }
  // On nodes other than node 0, called after end_job_first(): sends the reason to node 0, which reports it.
  void send_final_message(const std::string& why);
  bool job_ends() { return table_.header().ending != 0; }

  // The call in which `rank` waited last; empty if unknown here.
  std::string waited_in(int rank);

  // Kills the processes of this node's other ranks, where no process manager can.
  void kill_others();

  const Region& region() const { return region_; }
  const NodeMap& node_map() const { return node_map_; }
  // A byte written to this file wakes this node's agent.
  void wakes_agent_by(int fd) { table_.wakes_agent_by(fd); }

 private:
  void check_all_blocked();
  void put_in_transit(int to, match::Message& message);
  void rest_no_more();
  std::optional<int> rank_of(std::optional<int> slot) const {
    if (slot) slot = node_map_.first_rank(*slot);
    return slot;
  }

  Region region_;
  const NodeMap node_map_;
  const model::Network& network_;
  Table table_;
  Heap heap_;
  std::optional<SharedContention> contention_;  // where messages share resources
  bool rests_ = false;                          // this rank's bound rests on messages in transit
  const int self_;                              // the rank's slot
  Bound* bound_;
  std::int64_t sent_ = 0;
  std::size_t joined_ = 0;                     // number of collectives so far
  match::Waiting published_{.call = nullptr};  // what the record says that this rank waits for
  std::function<void(const std::string&)> on_failure_;
};

}  // namespace emu::wire
