// Sends that the program takes back (MPI_Cancel). rank/semantics.md, "Calls".
//
// Whether a send can be taken back is the receiver's matter: a *withdrawal* is an operation (rank/protocols/windows.h) that takes the
// message out of the receiver's unexpected queue if no receive has been matched with it. Like all operations it takes effect
// at an instant of its own, wherever the receiver's clock is; so a rank whose messages may be taken back posts a receive, or
// probes, only when it is certain that no withdrawal comes before its clock (Scheduler::settle).
#pragma once

#include <cstdint>

#include "match/queue.h"
#include "rank/protocols/rendezvous.h"
#include "rank/protocols/windows.h"
#include "rank/scheduler.h"

namespace emu::rank {

class Withdrawals final : public WindowMemory {
 public:
  // All outlive it.
  Withdrawals(Core& core, match::Queue& queue, Egress& egress, RequestPool& pool, Rendezvous& rendezvous,
              Windows& windows, Arrivals& arrivals)
      : core_(core),
        queue_(queue),
        egress_(egress),
        pool_(pool),
        rendezvous_(rendezvous),
        windows_(windows),
        arrivals_(arrivals) {}

  // From here on, before anything is sent, ranks may take sends back; all do this, or none.
  void begin();
  bool possible() const { return core_.withdraws; }
  // Whether `send`, which is the program's, was taken back its status says when it is complete, which it is not before the
  // receiver's answer has been handled. One that is known to be matched stays as it is, and so does one to nobody.
  void ask(Request* send);

  void apply(std::span<const std::byte> operation, std::byte* answer) override;

 private:
  void answered(Request* send, bool withdrawn);

  Core& core_;
  match::Queue& queue_;
  Egress& egress_;
  RequestPool& pool_;
  Rendezvous& rendezvous_;
  Windows& windows_;
  Arrivals& arrivals_;
};

}  // namespace emu::rank
