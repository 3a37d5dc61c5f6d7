// Contention of messages that share resources, as the ranks of a host node and its agent have it together
// (contention/contention.h). It is in their shared memory, under a lock.
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
  // All outlive it. The first one of a host node makes what they share.
  SharedContention(std::byte* base, TableHeader& header, Heap& heap, const NodeMap& node_map,
                   const model::Network& network);

  // A message in transit from its source to `message.bound_for`: its bytes come to the resources.
  // False: it comes before what is certain there.
  [[nodiscard]] bool add(match::Message& message);
  contention::Landing landing(const match::Message& message);
  // As Contention::advance().
  void advance(const match::Arrival& until);
  // The receiver of the message knows when it arrives.
  void landed(match::Message& message);
  // All ranks of the job act at `least` or later. In picoseconds: Contention::acts_from() of a rank of this host node,
  // with all that is certain by that; and the landings that this rests on (Contention::steps()).
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

// The text for a message that add() refuses.
std::string too_soon(const match::Message& message);

// What resources have carried, of which `usage` says it by number; those that nothing passed are left out.
std::vector<record::ResourceUse> resource_uses(const model::Resources& resources,
                                               const std::function<contention::Usage(int)>& usage);

}  // namespace emu::wire
