// A message-passing program as data: the sequence of operations of each rank. The sequential
// simulator (simulator.h) and, with MPI calls, the player (player.cc) run the same program.
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
  sleep,  // a wait for an instant, in which the rank handles events (of programs of concurrent threads)
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
  arrived,  // MPI_Parrived: a test of one part that does not change the request
  probe,
  iprobe,
  receive_found,     // the message of a matched probe
  acknowledge,       // acknowledges all known failures
  get_acknowledged,  // the members of the acknowledged failures
  agree,
  shrink,
  detach,         // waits for the handshakes of buffered sends
  start_parts,    // a partitioned send is created and started
  ready,          // some of its parts are ready
  receive_parts,  // a partitioned receive is created and started
  isend_receive,  // a send and a receive with one request
  cancel,         // of a send or a receive
  take_back,      // cancel of a send, and wait; if the send was cancelled, the message is sent again
  receive_anew,   // cancel of a receive, and wait; if it was cancelled, the message is received after all
  release,        // frees the request of a send or a receive that is under way
  barrier,
  broadcast,
  reduce,
  all_reduce,
  gather,
  scatter,
  all_gather,
  all_to_all,
  near_gather,    // among the neighbours of `web`: one block to all of them
  near_exchange,  // ... a block to each
  duplicate,      // creates a communicator like this one and frees it
  split,          // as duplicate, but by colours and keys
  // As duplicate, with a topology, for messages among neighbours (composites.h); two columns and their rows; an
  // intercommunicator of the even and the odd ranks, with messages across, which is then merged.
  ring,
  star,
  shortcuts,
  rows,
  edges,  // as `shortcuts`, but other ranks tell the neighbours of each other
  bridge,
  // As `bridge`, but other intercommunicators are made from it, by colours and keys, or from groups; not merged.
  bridge_split,
  bridge_create,
  // From groups of a session: a communicator, and an intercommunicator.
  from_group,
  from_groups,
  subset,  // a communicator of some members, which they alone make
  // Create the permanent communicators `web` and `halves`.
  make_web,
  make_halves,
};

// The envelope of a send. Peers are ranks in the operation's communicator.
struct Outgoing {
  int to = nobody;
  int tag = 0;
  Bytes bytes = 0;
  int message = 0;  // unique within the program; the payload carries it
  Mode mode = Mode::standard;
};

// The filter of a receive or a probe: a peer, nobody or match::any_source; a tag or match::any_tag.
struct Incoming {
  int from = nobody;
  int tag = match::any_tag;
};

struct Operation {
  Action action = Action::compute;
  int communicator = 0;          // index: see communicators()
  std::int64_t picoseconds = 0;  // compute, sleep
  std::int64_t end = -1;         // compute: the instant of its end, in place of a length; -1: none
  Outgoing out;
  Incoming in;
  // Index in the rank's table of a new request, or of a probe's message; used once per program.
  int slot = -1;
  std::vector<int> slots;  // completion calls: their requests; a completed request counts as null
  bool until = false;      // test*, iprobe: repeated until the answer is true
  bool take = false;       // probe, iprobe: receive the message found
  bool matched = false;    // probe, iprobe: a matched one; without `take` its message remains in `slot`
  // isend, ireceive, collectives with a slot: the request is persistent. Either the complete request of slot `again` is
  // started again, or a new one is made (-1).
  bool persistent = false;
  int again = -1;
  int root = 0;           // collectives
  int flag = 0;           // agree
  Bytes bytes = 0;        // collectives: per rank and block; a partitioned receive: of all parts
  int parts = 1;          // partitioned: number of parts
  int low = 0, high = 0;  // ready: the range of parts; arrived: `low` is the part
};

struct Program {
  std::uint64_t seed = 0;
  std::vector<std::vector<Operation>> ranks;
  int slots = 0;    // upper bound for all ranks
  Bytes bytes = 0;  // upper bound for all messages; size of every receive buffer
};

// The communicators for all operations: 0 is the world, 1 its duplicate, 2 the world in
// reverse order, 3 a part of it: the even ranks, or the odd ranks, in reverse order.
inline constexpr int ordinary_count = 4;
inline constexpr int parts = 3;
// These are for collectives only: one of all ranks whose topology is a ring with shortcuts (composites.h);
// and, with two ranks or more, an intercommunicator of the two parts. Its roots are ranks in the world.
inline constexpr int web = 4;
inline constexpr int halves = 5;
inline constexpr int communicator_count = 6;
// The communicator of the rank's last shrink, in programs that shrink. Its members are known
// only when the program runs, so peers are counted from the rank itself: 1 is the next one.
inline constexpr int newest = 6;
// Translates such peers and roots to ranks in that communicator; other operations are unchanged.
Operation resolve(Operation operation, int rank, int size);
// The members, as ranks in the world, of the communicator of rank `rank` of the world.
std::vector<int> members(int communicator, int rank, int ranks);
// Translates a rank in the world to the rank in its communicator; nobody and any source are unchanged.
int rank_in(int communicator, int rank, int ranks);

bool is_collective(Action action);
// True for a collective in the background, which has a request.
bool in_background(const Operation& operation);
// True for an operation that tests and does not wait.
bool is_test(Action action);

// A description of the operation.
std::string describe(const Operation& operation);

// The part of a message's number that its payload can contain: all of it from 4 bytes on, its lowest byte in 1 to 3
// bytes, nothing (-1) in none.
int identity(int message, Bytes bytes);

}  // namespace emu::reference
