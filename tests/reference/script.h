// An operation as the few kinds of step that the simulator knows. A collective becomes sends, receives and
// waits.
#pragma once

#include <cstdint>
#include <deque>

#include "match/envelope.h"
#include "model/schedule.h"
#include "reference/program.h"

namespace emu::reference {

struct Step {
  enum class Kind {
    compute,
    send,  // starts one
    post,  // posts a receive
    wait,  // for all that was started by this operation since the wait before
    call,  // the completion call, probe or iprobe that the operation is
    join,  // all ranks go on from the latest clock
  };
  Kind kind = Kind::compute;
  match::Context context = 0;
  Outgoing out;  // `to` is a rank in the world
  Incoming in;   // `from` too
  int slot = -1;
};

// What `rank` (in the world of `ranks`) does for `operation`.
std::deque<Step> script(const Operation& operation, int rank, int ranks);

// The messages of a collective operation, for the member `rank` of `ranks`.
model::Schedule schedule(const Operation& operation, int rank, int ranks);

match::Context context_of(int communicator);

}  // namespace emu::reference
