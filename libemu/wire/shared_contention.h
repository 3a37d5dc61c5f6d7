// Contention of messages that share resources (contention/contention.h), in the memory that the ranks and the agent of
// a host node share, under a lock.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "contention/contention.h"
#include "match/message.h"
#include "model/network.h"
#include "record/summary.h"
#include "wire/node_map.h"

namespace emu::wire {

class Heap;
struct TableHeader;

class SharedContention {
 public:
  // All arguments outlive the object. The first object of a host node creates the shared state.
  SharedContention(std::byte* base, TableHeader& header, Heap& heap, const NodeMap& node_map,
                   const model::Network& network);

  // Adds a message in transit, from its source to `message.bound_for`: its bytes come to the resources. False: its head
  // comes before an instant that has already been computed.
  [[nodiscard]] bool add(match::Message& message);
  contention::Landing landing(const match::Message& message);
  // As Contention::advance().
  void advance(const match::Arrival& until);
  // The landing of the message has been taken in.
  void landed(match::Message& message);
  // Requires that all ranks of the job act at `least` or later. Computes everything that is certain because of that.
  // `from`: Contention::acts_from() of a rank of this host node, in picoseconds. `landings`: Contention::steps() of the
  // state from which it was computed.
  struct Acts {
    std::int64_t from, landings;
  };
  Acts acts_from(int slot, std::int64_t least, std::int64_t clock, std::int64_t reaction);
  // Returns true if acts_from() with this `least` would return the same landings. Takes no lock.
  bool is_settled(std::int64_t least, std::int64_t landings) const;

  // For the report of a run.
  int resources() const { return contention_.resources(); }
  contention::Usage usage(int resource);

 private:
  class Lock {
   public:
    explicit Lock(SharedContention& of);
    ~Lock();

   private:
    std::atomic<std::uint32_t>& word_;
  };

  Instant certain(std::int64_t least) const;
  static std::byte* make(std::byte* base, TableHeader& header, const NodeMap& node_map,
                         const model::Network& network);
  contention::Flow& flow_of(const match::Message& message) const;
  void stepped();

  std::byte* const base_;
  TableHeader& header_;
  Heap& heap_;
  const NodeMap& node_map_;
  const model::Network& network_;
  contention::Contention contention_;
  std::vector<std::int32_t> route_;  // scratch
};

// The error for a message that add() refuses.
std::string too_soon(const match::Message& message);

// Use of the resources that any message has passed. `usage` gives the use of a resource by its number.
std::vector<record::ResourceUse> resource_uses(const model::Resources& resources,
                                               const std::function<contention::Usage(int)>& usage);

}  // namespace emu::wire
