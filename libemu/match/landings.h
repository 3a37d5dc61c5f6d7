// Landings of messages in transit (contention/contention.h). A wire without shared resources uses the defaults.
#pragma once

#include <cstdint>

#include "match/message.h"

namespace emu::match {

// The landing of a message: a lower bound, or the certain instant.
struct Landing {
  Instant at;
  bool certain = false;
  std::int32_t resource = -1;  // the resource that limited it last; -1: none
  // Picoseconds by which a certain landing is earlier per relative growth: of that resource's bandwidth, and of the
  // message's own rate.
  double by_resource = 0, by_own_rate = 0;
  const record::Path* path = nullptr;  // to a certain landing, on the bus; valid until landed()
};

class Landings {
 public:
  virtual ~Landings() = default;

  virtual Landing landing(const Message& message) { return {message.arrival.at, true}; }
  // A count that changes whenever a landing may have changed. The caller reads it before the landings.
  virtual std::uint64_t landing_changes() { return 0; }
  // No further message will come whose head reaches the resources before `until`, in the order of keys: computes the
  // resources up to then.
  virtual void advance(const Arrival& /*until*/) {}
  // The landing of the message has been taken in.
  virtual void landed(Message&) {}
};

}  // namespace emu::match
