// An operation as a sequence of a few kinds of step that the simulator implements. A collective becomes sends, receives
// and waits.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "match/envelope.h"
#include "model/schedule.h"
#include "reference/collectives/plan.h"
#include "reference/program/across.h"
#include "reference/program/program.h"

namespace emu::reference {

struct Step {
  enum class Kind {
    compute,
    send,   // starts one
    post,   // posts a receive
    wait,   // waits for all transfers that this operation started since the previous wait
    call,   // the completion call, probe or iprobe of the operation
    parts,  // makes a send that starts when its parts are ready
    ready,  // some of the parts are ready
    cancel,
    release,
    again,   // sends a cancelled message again, or receives it after all
    launch,  // begins a collective in the background, or a combined send and receive
    take,    // posts the receive of a message that a matched probe found
    begin,   // a collective that is part of the operation begins
    memory,  // it takes its temporary memory
    copy,
    combine,  // a reduction
    tell,     // begins to tell other ranks of their edges, in the background
    seek,     // waits for such a message from any rank, and receives it
    join,     // the next wait is for the end of the next `tell`
    heed,     // a rank that was told of a failure ends the operation
    // An agreement: it begins; its speaker has heard the others; the rank knows the agreed value.
    agree,
    decide,
    agreed,
  };
  Kind kind = Kind::compute;
  match::Context context = 0;
  Outgoing out;  // `to` is a rank in the world
  Incoming in;   // `from` too
  int slot = -1;
  Room room;        // memory
  Bytes bytes = 0;  // copy, combine
  int parts = 0;    // of a partitioned send or receive; 0: it is not partitioned
  // begin: the ranks, in the world, whose failures break the part, and as in Part.
  std::vector<int> group;
  bool by_pairs = false;
  bool leads = false;          // the rank is one of the leaders
  std::vector<Outgoing> told;  // tell: the messages
};

// A communicator at one rank.
struct Members {
  match::Context context = 0;
  int rank = 0;            // in it
  std::vector<int> world;  // of each member
};

// The steps of the rank for `operation`, whose peers are ranks in the communicator. `nodes`: of each member.
// For a collective in the background, only its beginning. `number`: as for tag_of().
std::deque<Step> script(const Operation& operation, const Members& members, const std::vector<int>& nodes,
                        int number);
// The steps of a combined send and receive.
std::deque<Step> exchange_steps(const Operation& operation, const Members& members);
// The steps of a collective in the background, whose messages have `tag`.
std::deque<Step> collective_steps(const Operation& operation, const Members& members,
                                  const std::vector<int>& nodes, int tag);
// The steps of one member of a plan.
std::deque<Step> steps_of(const Plan& plan, const Members& members, int tag);

// The messages of a collective operation of members on these nodes: of one collective, or of several in sequence.
std::vector<Part> collective_parts(const Operation& operation, const std::vector<int>& nodes);

// The library's schedule of a part, and its properties as in Part.
struct Scheduled {
  model::Schedule schedule;
  int channel = Part::on_parent;
  std::vector<int> group = {};  // the ranks whose failures break the part for this rank
  bool by_pairs = false;
  bool leads = false;
  bool heeds = false;
};
// The library's schedules for the member `rank`: for players that execute them.
std::vector<Scheduled> schedules(const Operation& operation, int rank, const std::vector<int>& nodes);

match::Context context_of(int communicator);
// The tag of a blocking operation's messages on a channel. `number`: of this operation among those of its communicator
// that make communicators.
int tag_of(Action action, int channel, int number);
// The tag of messages about edges into a rank, or out of it.
int tag_of_edges(bool into);

}  // namespace emu::reference
