// Detection of failed ranks by silence, where MPI does not report failures.
//
// The dealer asks who is silent for a sign of life, and tells all others now and then that it lives. All watch it, each
// with more patience than its predecessor in the succession: whoever fails at once with it, one is left who notices.
#pragma once

#include <vector>

#include "reduce/protocol/peer.h"

namespace reduce {

class Watch {
 public:
  // Seconds: who is silent for `heartbeat` is asked, who is for `limit` has failed.
  Watch(const Settings& settings, double heartbeat, double limit);

  // Whether this rank has to look at the clock now and then.
  bool needed(const Peer& peer) const;
  void heard(int rank, double now) { heard_[static_cast<std::size_t>(rank)] = now; }
  // At `now` everything that has arrived is heard. Suspects the peer's others, and asks them.
  void look(double now, Peer& peer, Wire& wire);

 private:
  void begin(double now, const Peer& peer);
  void ask(double now, Peer& peer, Wire& wire);
  void watch_dealer(double now, Peer& peer) const;

  const Settings settings_;
  const double heartbeat_;
  const double limit_;
  std::vector<double> heard_;  // when, of each rank
  bool watching_ = false;
  int view_ = 0;
  double looked_ = 0;
  double next_ = 0;
  double next_to_all_ = 0;
};

}  // namespace reduce
