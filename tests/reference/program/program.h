// A message-passing program as data: what each rank does, one operation after the other. The same program is
// run by the sequential simulator (simulator.h) and, as MPI calls, by the player (player.cc).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "match/envelope.h"
#include "model/network.h"

namespace emu::reference {

using model::Bytes;

inline constexpr int nobody = -1;  // the peer MPI_PROC_NULL

enum class Mode { standard, synchronous, buffered };

enum class Action {
  compute,
  send,
  isend,
  receive,
  ireceive,
  send_receive,
  wait,
  wait_all,
  wait_any,
  wait_some,
  test,
  test_all,
  test_any,
  test_some,
  arrived,  // whether a part has (MPI_Parrived): a test that leaves the request as it is
  probe,
  iprobe,
  receive_found,     // what a matched probe has taken
  acknowledge,       // all failures that are known
  get_acknowledged,  // which members they are of
  agree,
  shrink,
  detach,         // waits for the handshakes of buffered sends
  start_parts,    // a partitioned send is made and started
  ready,          // some of its parts are
  receive_parts,  // a partitioned receive is made and started
  isend_receive,  // both at once, with one request
  cancel,         // of a send or a receive
  take_back,      // cancel of a send, wait; and if it was cancelled, the message is sent again
  receive_anew,   // cancel of a receive, wait; and if it was cancelled, the message is received after all
  barrier,
  broadcast,
  reduce,
  all_reduce,
  gather,
  scatter,
  all_gather,
  all_to_all,
  near_gather,    // among the neighbours of `web`: a block to all of them
  near_exchange,  // ... a block to each
  duplicate,      // makes a communicator like this one and frees it again
  split,          // as duplicate, but by colours and keys
  // As duplicate, with a topology, for messages among neighbours (composites.h); two columns and their rows; an
  // intercommunicator of the even and the odd ranks, with messages across, and merged.
  ring,
  star,
  shortcuts,
  rows,
  bridge,
  // The same from groups of a session: a communicator, and an intercommunicator.
  from_group,
  from_groups,
  // Makes `web`, and `halves`, which last.
  make_web,
  make_halves,
};

// What a send says. Peers are ranks in the operation's communicator.
struct Outgoing {
  int to = nobody;
  int tag = 0;
  Bytes bytes = 0;
  int message = 0;  // unique within the program; the payload carries it
  Mode mode = Mode::standard;
};

// What a receive or a probe accepts: a peer, nobody or match::any_source; a tag or match::any_tag.
struct Incoming {
  int from = nobody;
  int tag = match::any_tag;
};

struct Operation {
  Action action = Action::compute;
  int communicator = 0;          // index: see communicators()
  std::int64_t picoseconds = 0;  // compute
  Outgoing out;
  Incoming in;
  int slot = -1;  // of what begins: its place in the rank's table of requests, or of what probes found;
                  // used once per program
  std::vector<int> slots;  // completion calls: on which requests; a completed one counts as null
  bool until = false;      // test*, iprobe: again and again until the answer is true
  bool take = false;       // probe, iprobe: receive what was found
  bool matched = false;    // probe, iprobe: a matched one; without `take` it leaves what it found in `slot`
  // isend, ireceive, collectives with a slot: the request is persistent; that of slot `again`, which is complete, is
  // started once more, or a new one is made (-1).
  bool persistent = false;
  int again = -1;
  int root = 0;           // collectives
  int flag = 0;           // agree
  Bytes bytes = 0;        // collectives: per rank and block; a partitioned receive: of all parts
  int parts = 1;          // partitioned: how many
  int low = 0, high = 0;  // ready: the parts from this one to that one; arrived: the first of them
};

struct Program {
  std::uint64_t seed = 0;
  std::vector<std::vector<Operation>> ranks;
  int slots = 0;    // no rank uses more
  Bytes bytes = 0;  // no message is longer; what every receive buffer holds
};

// The communicators that programs use for everything: 0 is the world, 1 its duplicate, 2 the world in reverse order, 3 a part of it:
// the even ranks, or the odd ones, in reverse order.
inline constexpr int ordinary_count = 4;
inline constexpr int parts = 3;
// In these there are collectives only: one whose topology is a ring with shortcuts (composites.h), of all ranks; and, where there
// are two ranks or more, an intercommunicator of the two parts. Roots in that are ranks in the world.
inline constexpr int web = 4;
inline constexpr int halves = 5;
inline constexpr int communicator_count = 6;
// The one that the rank's last shrink made, in programs that have one. Who its members are shows only when the
// program runs, so peers in it are counted from the rank on: 1 is the next one.
inline constexpr int newest = 6;
// Such peers, and roots, as ranks in that communicator; other operations as they are.
Operation resolve(Operation operation, int rank, int size);
// Ranks in the world of the members of the communicator that `rank`, a rank in the world, is in.
std::vector<int> members(int communicator, int rank, int ranks);
// The rank in its communicator of a rank in the world; nobody and any source stay what they are.
int rank_in(int communicator, int rank, int ranks);

bool is_collective(Action action);
// A collective that goes on in the background: it has a request.
bool in_background(const Operation& operation);
// One that asks and does not wait.
bool is_test(Action action);

// The operation in words.
std::string describe(const Operation& operation);

// What of a message's number its payload can carry: all of it from 4 bytes on, the lowest byte of it in
// 1 to 3 bytes, nothing (-1) in none.
int identity(int message, Bytes bytes);

}  // namespace emu::reference
