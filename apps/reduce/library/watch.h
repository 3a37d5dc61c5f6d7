// Detection of failed ranks by silence, where MPI does not report failures.
//
// The dealer asks silent ranks for a sign of life, and regularly pings all others. All ranks watch the dealer, each
// with more patience than its predecessor in the succession: if others fail at once with the dealer, one rank is left.
#pragma once

#include <vector>

#include "reduce/protocol/peer.h"

namespace reduce {

class Watch {
 public:
  // Seconds: the dealer asks a rank that is silent for `heartbeat`; a rank that is silent for `limit` has failed.
  Watch(const Settings& settings, double heartbeat, double limit);

  // True if this rank has to look at the clock regularly.
  bool needed(const Peer& peer) const;
  void heard(int rank, double now) { heard_[static_cast<std::size_t>(rank)] = now; }
  // The caller has delivered all messages that arrived before `now`. Suspects silent ranks, or asks them.
  void look(double now, Peer& peer, Wire& wire);

 private:
  void begin(double now, const Peer& peer);
  void ask(double now, Peer& peer, Wire& wire);
  void watch_dealer(double now, Peer& peer) const;

  const Settings settings_;
  const double heartbeat_;
  const double limit_;
  std::vector<double> heard_;  // time of the last message, by rank
  bool watching_ = false;
  int view_ = 0;
  double looked_ = 0;
  double next_ = 0;
  double next_to_all_ = 0;
};

}  // namespace reduce
