// An operation as the few kinds of step that the simulator knows. A collective becomes sends, receives and
// waits.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "match/envelope.h"
#include "model/schedule.h"
#include "reference/collectives/plan.h"
#include "reference/program/program.h"

namespace emu::reference {

struct Step {
  enum class Kind {
    compute,
    send,   // starts one
    post,   // posts a receive
    wait,   // for all that was started by this operation since the wait before
    call,   // the completion call, probe or iprobe that the operation is
    parts,  // makes a send that starts when its parts are ready
    ready,  // some of them are
    cancel,
    again,   // what was cancelled is sent again, or received after all
    launch,  // a collective begins that goes on in the background, or a send and a receive do
    take,    // posts a receive of what a matched probe has taken
    begin,   // a collective that is part of the operation begins
    // Of an agreement: it begins; its speaker has heard the others; the rank knows what was agreed.
    agree,
    decide,
    agreed,
  };
  Kind kind = Kind::compute;
  match::Context context = 0;
  Outgoing out;  // `to` is a rank in the world
  Incoming in;   // `from` too
  int slot = -1;
  int parts = 0;  // of a partitioned send, or receive; 0: it is none
};

// A communicator as one rank sees it.
struct Members {
  match::Context context = 0;
  int rank = 0;            // in it
  std::vector<int> world;  // of each member
};

// What the rank does for `operation`, whose peers are ranks in the communicator. Of a collective in the background: that it
// begins.
std::deque<Step> script(const Operation& operation, const Members& members);
// The steps of a send and a receive that begin together.
std::deque<Step> exchange_steps(const Operation& operation, const Members& members);
// The steps of a collective, whose messages have `tag`.
std::deque<Step> collective_steps(const Operation& operation, const Members& members, int tag);
// One member's part of a plan as steps.
std::deque<Step> steps_of(const Plan& plan, const Members& members, int tag);

// The messages of a collective operation among so many ranks: of one collective, or of several one after the other.
std::vector<Plan> plans(const Operation& operation, int ranks);
// The same as the library has it, for the member `rank`: for players that carry it out themselves.
std::vector<model::Schedule> schedules(const Operation& operation, int rank, int ranks);

match::Context context_of(int communicator);

}  // namespace emu::reference
