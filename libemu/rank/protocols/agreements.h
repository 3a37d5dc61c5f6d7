// Agreements of those members of a communicator that are left when others have failed: what MPIX_Comm_agree and
// MPIX_Comm_shrink do. rank/semantics.md, "Agreements". MPICH's has the same two parts: all tell one member what they know
// and hear from it who is left, and those agree on the flag (MPID_Comm_get_all_failed_procs, MPII_Allreduce_group).
#pragma once

#include <span>
#include <vector>

#include "rank/core.h"
#include "rank/protocols/completion.h"

namespace emu::rank {

// What the members of a communicator that are left agree upon.
struct Agreement {
  int flag = 0;               // the `and` of theirs
  bool acknowledged = false;  // all of them have acknowledged all failures
  std::vector<char> alive;    // of each member: whether it is left
  match::Context name = 0;    // one of those that they propose
};

class Agreements {
 public:
  // All outlive it.
  Agreements(Core& core, Operations& operations, Completion& completion)
      : core_(core), operations_(operations), completion_(completion) {}

  // All that are left get the same. What it costs is what its messages cost.
  Agreement agree(Communicator& comm, int flag, match::Context name);

 private:
  class Ballot;

  int speaker(const Communicator& comm) const;
  bool acknowledged(const Communicator& comm, int member) const;
  Ballot decide(const Communicator& comm, const Ballot& own);
  // To each of `members`; returns when all sends are over.
  static int tag(const Communicator& comm);  // of ballots
  void send(const Communicator& comm, std::span<const int> members, const Ballot& what);
  // False if that member fails without having sent it.
  bool receive(const Communicator& comm, int member, Ballot& what);
  Instant fails(const Communicator& comm, int member) const { return core_.failures.at(comm.world[member]); }

  Core& core_;
  Operations& operations_;
  Completion& completion_;
};

}  // namespace emu::rank
