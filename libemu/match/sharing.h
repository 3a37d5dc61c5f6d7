// Interface of a rank's threads to the wire on which one of them sleeps.
#pragma once

#include <chrono>
#include <optional>

namespace emu::match {

// Several threads that share a rank. While one of them sleeps on the wire, others may use the rank.
class Sharing {
 public:
  virtual ~Sharing() = default;
  virtual bool several() = 0;
  // The thread sleeps now, at most for the returned time.
  virtual std::optional<std::chrono::nanoseconds> release() = 0;
  // The thread continues, as soon as no other thread uses the rank.
  virtual void take() = 0;
};

}  // namespace emu::match
