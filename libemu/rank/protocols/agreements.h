// Agreements among the members of a communicator that have not failed: MPIX_Comm_agree and MPIX_Comm_shrink.
// rank/semantics.md, "Agreements". As in MPICH there are two parts: all members report to one member and learn from
// it who is left; then these members agree on the flag (MPID_Comm_get_all_failed_procs, MPII_Allreduce_group).
#pragma once

#include <span>
#include <vector>

#include "rank/core.h"
#include "rank/protocols/completion.h"

namespace emu::rank {

// Result on which the remaining members of a communicator agree.
struct Agreement {
  int flag = 0;               // bitwise `and` of their flags
  bool acknowledged = false;  // all of them have acknowledged all failures
  std::vector<char> alive;    // for each member: true if it is left
  match::Context name = 0;    // the speaker's proposal
};

class Agreements {
 public:
  // All arguments outlive the object.
  Agreements(Core& core, Operations& operations, Completion& completion)
      : core_(core), operations_(operations), completion_(completion) {}

  // All remaining members get an equal result. The costs are those of the messages.
  Agreement agree(Communicator& comm, int flag, match::Context name);

 private:
  class Ballot;

  int speaker(const Communicator& comm) const;
  bool acknowledged(const Communicator& comm, int member) const;
  Ballot decide(const Communicator& comm, const Ballot& own);
  // Sends to each of `members`; returns when all sends are over.
  static int tag(const Communicator& comm);  // of ballots
  void send(const Communicator& comm, std::span<const int> members, const Ballot& what);
  // Returns false if the member fails before its message arrives.
  bool receive(const Communicator& comm, int member, Ballot& what);
  Instant fails(const Communicator& comm, int member) const { return core_.failures.at(comm.world[member]); }

  Core& core_;
  Operations& operations_;
  Completion& completion_;
};

}  // namespace emu::rank
