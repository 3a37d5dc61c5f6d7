// Meetings of the members of a communicator, in messages that take no time: the join of clocks that making a
// communicator needs, and what goes on when ranks have failed. rank/semantics.md, "Meetings" and "Failures that
// are noticed".
#pragma once

#include <span>
#include <vector>

#include "rank/completion.h"
#include "rank/core.h"
#include "rank/egress.h"
#include "rank/rendezvous.h"
#include "rank/scheduler.h"

namespace emu::rank {

// What the members of a communicator that are left agree upon, at one instant.
struct Agreement {
  int flag = 0;               // the `and` of theirs
  bool acknowledged = false;  // all of them have acknowledged all failures
  std::vector<char> alive;    // of each member: whether it is left
  match::Context name = 0;    // one of those that they propose
};

class Meetings {
 public:
  // All outlive it.
  Meetings(Core& core, Egress& egress, Operations& operations, Rendezvous& rendezvous, Scheduler& scheduler,
           Completion& completion)
      : core_(core),
        egress_(egress),
        operations_(operations),
        rendezvous_(rendezvous),
        scheduler_(scheduler),
        completion_(completion) {}

  // All members go on from the latest of their clocks; costs nothing but the waiting. They all go on or, if
  // one of them has failed by then, none: what follows must be the host's own business, which waits for all.
  // A join has no lookahead, so a member that went on at once could miss what another one does who has yet to
  // be answered. The failed rank because of which nobody goes on; -1 if all do.
  int join(const Communicator& comm);
  Agreement agree(Communicator& comm, int flag, match::Context name);

 private:
  void send(const Communicator& comm, int member, int tag, std::span<const std::byte> what);
  // False if nothing comes up to `until`, or if that member fails and it is noticed.
  bool receive(const Communicator& comm, int member, int tag, std::span<std::byte> what, Instant until);
  int broken_join(const Communicator& comm);
  Instant fails(const Communicator& comm, int member) const { return core_.failures.at(comm.world[member]); }

  Core& core_;
  Egress& egress_;
  Operations& operations_;
  Rendezvous& rendezvous_;
  Scheduler& scheduler_;
  Completion& completion_;
};

}  // namespace emu::rank
