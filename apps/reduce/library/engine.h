// The reductions of one rank with MPI: the protocol, its transport, and the watch for failures.
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

  // Makes progress. Waits for a message if `wait` is true and there is nothing else to do.
  void progress(bool wait);
  // Shortens the next naps, because a message has arrived or the program was elsewhere.
  void wake() { quiet_since_ = never; }
  // False: the others assume that this rank has failed.
  bool close();
  // From `seconds` on (MPI_Wtime) this rank ignores all messages and sends none, as if it had failed.
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
  int farewells_ = -1;  // number of farewells to wait for; -1: unknown
  int said_farewell_ = 0;
};

}  // namespace reduce
