// The cost model: LogGPS (Ino, Fujimoto, Hagihara, PPoPP 2001) with the overhead extended by a term that
// grows with the number of processes P (Mizutani, Ino, Hagihara, 2004, Table 1 and Fig. 3).
//
// All functions are pure. A cost is asked of the Network object for a rank, a peer and an instant, so that
// links and speeds that differ by pair or change with time fit behind the same questions.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/rate.h"
#include "base/time.h"

namespace emu::model {

using Bytes = std::int64_t;

// o(k) = fixed + per_process * P + per_byte * k
struct Overhead {
  Interval fixed;        // o'_a
  Interval per_process;  // o'_b, per process of MPI_COMM_WORLD
  Rate per_byte;         // O

  constexpr Interval of(Bytes k, int processes) const {
    return fixed + per_process * processes + per_byte.times(k);
  }
};

enum class Card {
  free,    // the paper's model: a card carries any number of messages at once
  serial,  // one resource per direction: messages pass one after another, (k-1)G each
};

// What a target file says of its network.
struct Parameters {
  Interval latency;           // L
  Interval gap;               // g: two sends of one rank start at least this far apart
  Rate gap_per_byte;          // G
  Bytes eager_limit = 0;      // S: longer messages use a handshake (rendezvous)
  bool always_eager = false;  // S is infinite
  Card card = Card::free;
  Overhead send;     // o_s
  Overhead receive;  // o_r
  Interval poll;     // one Iprobe or Test that answers false
};

// The parameters closed over the number of processes.
class Network {
 public:
  Network(const Parameters& parameters, int processes) : p_(parameters), processes_(processes) {}

  const Parameters& parameters() const { return p_; }

  // An empty message still is one byte on the wire.
  static constexpr Bytes on_wire(Bytes k) { return std::max<Bytes>(k, 1); }

  bool eager(Bytes k) const { return p_.always_eager || on_wire(k) <= p_.eager_limit; }

  Interval send_overhead(Bytes k) const { return p_.send.of(on_wire(k), processes_); }
  Interval receive_overhead(Bytes k) const { return p_.receive.of(on_wire(k), processes_); }
  // c_s, c_r: a control message of one byte.
  Interval control_send() const { return send_overhead(1); }
  Interval control_receive() const { return receive_overhead(1); }

  // From the first byte's leaving to its arrival: L, never less than 1 ps in sum with the send overhead,
  // so that causes stand strictly before effects and the rule of order always makes progress.
  Interval latency() const {
    const Interval least = Interval::picoseconds(1);
    return p_.latency + send_overhead(1) < least ? least : p_.latency;
  }
  // (k-1)G: the time by which the last byte trails the first.
  Interval occupancy(Bytes k) const { return p_.gap_per_byte.times(on_wire(k) - 1); }
  Interval gap() const { return p_.gap; }
  // Never nothing: a clock that stands still in an unsuccessful poll would never see the message it polls
  // for.
  Interval poll() const { return std::max(p_.poll, Interval::picoseconds(1)); }
  bool serial_card() const { return p_.card == Card::serial; }

  // The least virtual time between a rank's action and its arrival elsewhere: whatever a rank does at t, no
  // other rank can notice before t + lookahead, because each message pays o_s(1) + L at the least.
  Interval lookahead() const { return send_overhead(1) + latency(); }

 private:
  Parameters p_;
  int processes_;
};

}  // namespace emu::model
