// The wire between ranks of one node: messages and bounds in a shared region, sleeping on futexes.
#pragma once

#include <functional>
#include <string>

#include "match/wire.h"
#include "wire/heap.h"
#include "wire/region.h"
#include "wire/table.h"

namespace emu::wire {

class SharedWire final : public match::Wire {
 public:
  // Bytes of a region for `ranks` ranks: room for as many messages in flight as memory allows.
  static std::size_t region_bytes(int ranks);

  // `on_failure` ends the job with a message (and does not return).
  SharedWire(Region region, int ranks, int self, Interval lookahead,
             std::function<void(const std::string&)> on_failure);

  match::Message* allocate(model::Bytes payload) override;
  void release(match::Message* message) override { heap_.release(message); }
  void deliver(int to, match::Message* message) override;
  std::uint64_t announced() const override { return bound_->announced(); }
  match::Message* drain() override;
  void running(Instant clock) override { table_.raise(clock.picoseconds(), clock.picoseconds()); }
  bool blocked(const Block& block, std::uint64_t announced) override {
    return table_.raise_if_quiet(block, announced);
  }
  std::optional<int> in_the_way(const match::Arrival& key, const match::Concern& concern,
                                std::uint64_t announced) override {
    return table_.in_the_way(key, concern, announced);
  }
  std::optional<int> short_of(int rank, Instant at, std::uint64_t announced) override {
    return table_.short_of(rank, at.picoseconds(), announced);
  }
  void sleep(std::uint64_t announced, bool in_the_way, const match::Waiting& why) override;

  // --- measured compute: what this thread runs from here on will be charged, until stopped().
  void computing(std::int64_t cpu_since);
  void stopped();
  void measures(double scale);

  // --- the start: returns once all ranks have called it. In between, rank 0 calls `read`, and what it reads
  // are the clocks at virtual time 0.
  void start_together(const std::function<void(ClockReadings&)>& read);
  const ClockReadings& clocks_at_zero() { return table_.front().clocks_at_zero; }

  // --- the end: this rank has finished; returns when all have. The summaries of all can be read then.
  void finish(const trace::RankSummary& summary);
  const trace::RankSummary& summary(int rank) { return table_.record(rank).summary; }

  const Region& region() const { return region_; }

 private:
  void check_standstill();
  std::string report();

  Region region_;
  Table table_;
  Heap heap_;
  const int self_;
  Bound* bound_;
  std::int64_t sent_ = 0;
  const char* told_call_ = nullptr;  // what the record says this rank waits in
  std::function<void(const std::string&)> on_failure_;
};

}  // namespace emu::wire
