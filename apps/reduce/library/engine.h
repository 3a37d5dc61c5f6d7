// One rank's reductions with MPI: the protocol, its transport, and the watch.
#pragma once

#include <memory>
#include <vector>

#include "reduce/library/reduce.h"
#include "reduce/library/transport.h"
#include "reduce/library/watch.h"
#include "reduce/protocol/peer.h"

namespace reduce {

class Engine {
 public:
  Engine(MPI_Comm comm, const reduce_settings& given, const Settings& settings);

  Peer& peer() { return peer_; }
  const Peer& peer() const { return peer_; }
  const Transport& transport() const { return transport_; }
  const reduce_settings& given() const { return given_; }

  // Does what there is to do: waits if there is nothing and it may.
  void progress(bool wait);
  // Something has happened, or the program been elsewhere: the next naps are short.
  void wake() { quiet_since_ = never; }
  // False: this rank is held for failed.
  bool close();
  // From then on (MPI_Wtime) this rank neither hears nor says anything, as if it had failed.
  void fail_at(double seconds) { fails_at_ = seconds; }
  bool mute() const { return mute_; }

 private:
  bool combine();
  bool hear(bool wait);
  void take(const Transport::News& news);

  const reduce_settings given_;
  Transport transport_;
  Peer peer_;
  Watch watch_;
  static constexpr double never = -1;
  double fails_at_ = never;
  double quiet_since_ = never;
  bool mute_ = false;
  int farewells_ = -1;  // to wait for; -1: not known
  int said_farewell_ = 0;
};

}  // namespace reduce
