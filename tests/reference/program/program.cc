#include "reference/program/program.h"

#include <algorithm>

namespace emu::reference {
namespace {

const char* name(Action action) {
  switch (action) {
    case Action::compute:
      return "compute";
    case Action::sleep:
      return "sleep";
    case Action::send:
      return "send";
    case Action::isend:
      return "isend";
    case Action::receive:
      return "recv";
    case Action::ireceive:
      return "irecv";
    case Action::send_receive:
      return "sendrecv";
    case Action::wait:
      return "wait";
    case Action::wait_all:
      return "waitall";
    case Action::wait_any:
      return "waitany";
    case Action::wait_some:
      return "waitsome";
    case Action::test:
      return "test";
    case Action::test_all:
      return "testall";
    case Action::test_any:
      return "testany";
    case Action::test_some:
      return "testsome";
    case Action::arrived:
      return "parrived";
    case Action::probe:
      return "probe";
    case Action::iprobe:
      return "iprobe";
    case Action::receive_found:
      return "mrecv";
    case Action::acknowledge:
      return "failure_ack";
    case Action::get_acknowledged:
      return "failure_get_acked";
    case Action::agree:
      return "agree";
    case Action::shrink:
      return "shrink";
    case Action::detach:
      return "buffer_detach";
    case Action::start_parts:
      return "psend";
    case Action::ready:
      return "pready";
    case Action::receive_parts:
      return "precv";
    case Action::isend_receive:
      return "isendrecv";
    case Action::cancel:
      return "cancel";
    case Action::take_back:
      return "cancel, wait, send again";
    case Action::receive_anew:
      return "cancel, wait, receive anew";
    case Action::release:
      return "request_free";
    case Action::barrier:
      return "barrier";
    case Action::broadcast:
      return "bcast";
    case Action::reduce:
      return "reduce";
    case Action::all_reduce:
      return "allreduce";
    case Action::gather:
      return "gather";
    case Action::scatter:
      return "scatter";
    case Action::all_gather:
      return "allgather";
    case Action::all_to_all:
      return "alltoall";
    case Action::near_gather:
      return "neighbor_allgather";
    case Action::near_exchange:
      return "neighbor_alltoall";
    case Action::duplicate:
      return "comm_dup";
    case Action::split:
      return "comm_split";
    case Action::ring:
      return "ring, by cart_create";
    case Action::star:
      return "star, by graph_create";
    case Action::shortcuts:
      return "ring with shortcuts, by dist_graph_create_adjacent";
    case Action::edges:
      return "ring with shortcuts, by dist_graph_create";
    case Action::rows:
      return "rows, by cart_sub";
    case Action::bridge:
      return "intercomm_create, sendrecv, bcast, merge";
    case Action::bridge_split:
      return "intercomm_create, comm_split of it, sendrecv, bcast";
    case Action::bridge_create:
      return "intercomm_create, comm_create of it, sendrecv, bcast";
    case Action::from_group:
      return "comm_create_from_group, allgather";
    case Action::from_groups:
      return "intercomm_create_from_groups, sendrecv, bcast, merge";
    case Action::make_web:
      return "dist_graph_create_adjacent";
    case Action::make_halves:
      return "intercomm_create";
  }
  return "?";
}

std::string peer(int rank) {
  if (rank == match::any_source) return "any source";
  return rank == nobody ? "nobody" : std::to_string(rank);
}

std::string words(const Outgoing& out) {
  const char* mode = out.mode == Mode::synchronous ? "synchronous "
                     : out.mode == Mode::buffered  ? "buffered "
                                                   : "";
  return " " + std::string(mode) + std::to_string(out.bytes) + " B to " + peer(out.to) + " tag " +
         std::to_string(out.tag) + " (message " + std::to_string(out.message) + ")";
}

std::string words(const Incoming& in) {
  return " from " + peer(in.from) + " tag " + (in.tag == match::any_tag ? "any" : std::to_string(in.tag));
}

std::string requests(const std::vector<int>& slots) {
  std::string text = " of requests";
  for (int slot : slots) text += " " + std::to_string(slot);
  return text;
}

}  // namespace

std::vector<int> members(int communicator, int rank, int ranks) {
  std::vector<int> world;
  for (int i = 0; i < ranks; ++i)
    if (communicator != parts || i % 2 == rank % 2) world.push_back(i);
  if (communicator == 2 || communicator == parts) std::reverse(world.begin(), world.end());
  return world;
}

int rank_in(int communicator, int rank, int ranks) {
  if (rank < 0) return rank;
  const std::vector<int> all = members(communicator, rank, ranks);
  return static_cast<int>(std::find(all.begin(), all.end(), rank) - all.begin());
}

Operation resolve(Operation o, int rank, int size) {
  if (o.communicator != newest) return o;
  if (o.out.to >= 0) o.out.to = (rank + o.out.to) % size;
  if (o.in.from >= 0) o.in.from = (rank + o.in.from) % size;
  o.root %= size;
  return o;
}

bool is_collective(Action action) { return action >= Action::barrier; }

bool in_background(const Operation& o) { return is_collective(o.action) && o.slot >= 0; }

bool is_test(Action action) { return action >= Action::test && action <= Action::arrived; }

std::string describe(const Operation& o) {
  std::string text = name(o.action);
  if (o.action == Action::compute || o.action == Action::sleep)
    return text + " " + std::to_string(o.picoseconds) + " ps";
  const bool sends = o.action == Action::send || o.action == Action::isend ||
                     o.action == Action::send_receive || o.action == Action::isend_receive ||
                     o.action == Action::start_parts || o.action == Action::take_back;
  const bool receives = o.action == Action::receive || o.action == Action::ireceive ||
                        o.action == Action::send_receive || o.action == Action::isend_receive ||
                        o.action == Action::probe || o.action == Action::iprobe ||
                        o.action == Action::receive_parts || o.action == Action::receive_anew;
  if (sends) text += words(o.out);
  if (receives) text += words(o.in);
  if (!o.slots.empty()) text += requests(o.slots);
  if (o.slot >= 0) text += " as request " + std::to_string(o.slot);
  if (o.persistent) text += ", persistent";
  if (o.again >= 0) text += ", that of request " + std::to_string(o.again) + " again";
  if (o.matched) text += ", matched";
  if (o.parts > 1) text += " in " + std::to_string(o.parts) + " parts";
  if (o.action == Action::ready) text += ", parts " + std::to_string(o.low) + " to " + std::to_string(o.high);
  if (o.until) text += ", until true";
  if (o.take) text += ", then recv of what was found";
  if (is_collective(o.action))
    text += " of " + std::to_string(o.bytes) + " B, root " + std::to_string(o.root);
  if (o.action == Action::agree) text += " on " + std::to_string(o.flag);
  if (o.communicator == newest) return text + ", newest communicator, peers from here on";
  if (o.communicator != 0) text += ", communicator " + std::to_string(o.communicator);
  return text;
}

int identity(int message, Bytes bytes) {
  if (bytes == 0) return -1;
  return bytes < 4 ? message & 0xff : message;
}

}  // namespace emu::reference
