// Cancelled sends (MPI_Cancel). rank/semantics.md, "Calls".
//
// The receiver decides whether a send can be cancelled: a *withdrawal* is an operation (rank/protocols/windows.h) that
// removes the message from the receiver's unexpected queue if no receive has been matched with it. Like all operations
// it takes effect at its own instant, independently of the receiver's clock. So a rank whose messages may be cancelled
// posts a receive, or probes, only when it is certain that no withdrawal precedes its clock (Scheduler::settle).
#pragma once

#include <cstdint>

#include "match/queue.h"
#include "rank/protocols/rendezvous.h"
#include "rank/protocols/windows.h"
#include "rank/scheduler.h"

namespace emu::rank {

class Withdrawals final : public WindowMemory {
 public:
  // All arguments outlive the object.
  Withdrawals(Core& core, match::Queue& queue, Egress& egress, RequestPool& pool, Rendezvous& rendezvous,
              Windows& windows, Arrivals& arrivals)
      : core_(core),
        queue_(queue),
        egress_(egress),
        pool_(pool),
        rendezvous_(rendezvous),
        windows_(windows),
        arrivals_(arrivals) {}

  // From here on ranks may cancel sends. Called by all ranks, before anything is sent, or by none.
  void begin();
  bool possible() const { return core_.withdraws; }
  // Asks for the cancellation of `send`, a send of the program. The send is complete when the receiver's answer has
  // been handled; its status then says whether it was cancelled. A send that is known to be matched, or without a peer,
  // is unchanged.
  void ask(Request* send);

  void apply(std::span<const std::byte> operation, std::byte* answer) override;

 private:
  void answered(Send* send, bool withdrawn);

  Core& core_;
  match::Queue& queue_;
  Egress& egress_;
  RequestPool& pool_;
  Rendezvous& rendezvous_;
  Windows& windows_;
  Arrivals& arrivals_;
};

}  // namespace emu::rank
