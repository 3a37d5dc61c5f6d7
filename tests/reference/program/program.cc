#include "reference/program/program.h"

#include <algorithm>
#include <array>

namespace emu::reference {
namespace {

struct NamedAction {
  Action action;
  const char* name;
};
// In the order of the enumerators.
constexpr auto actions = std::to_array<NamedAction>({
    {Action::compute, "compute"},
    {Action::sleep, "sleep"},
    {Action::send, "send"},
    {Action::isend, "isend"},
    {Action::receive, "recv"},
    {Action::ireceive, "irecv"},
    {Action::send_receive, "sendrecv"},
    {Action::wait, "wait"},
    {Action::wait_all, "waitall"},
    {Action::wait_any, "waitany"},
    {Action::wait_some, "waitsome"},
    {Action::test, "test"},
    {Action::test_all, "testall"},
    {Action::test_any, "testany"},
    {Action::test_some, "testsome"},
    {Action::arrived, "parrived"},
    {Action::probe, "probe"},
    {Action::iprobe, "iprobe"},
    {Action::receive_found, "mrecv"},
    {Action::acknowledge, "failure_ack"},
    {Action::get_acknowledged, "failure_get_acked"},
    {Action::agree, "agree"},
    {Action::shrink, "shrink"},
    {Action::detach, "buffer_detach"},
    {Action::start_parts, "psend"},
    {Action::ready, "pready"},
    {Action::receive_parts, "precv"},
    {Action::isend_receive, "isendrecv"},
    {Action::cancel, "cancel"},
    {Action::take_back, "cancel, wait, send again"},
    {Action::receive_anew, "cancel, wait, receive anew"},
    {Action::release, "request_free"},
    {Action::barrier, "barrier"},
    {Action::broadcast, "bcast"},
    {Action::reduce, "reduce"},
    {Action::all_reduce, "allreduce"},
    {Action::gather, "gather"},
    {Action::scatter, "scatter"},
    {Action::all_gather, "allgather"},
    {Action::all_to_all, "alltoall"},
    {Action::near_gather, "neighbor_allgather"},
    {Action::near_exchange, "neighbor_alltoall"},
    {Action::duplicate, "comm_dup"},
    {Action::split, "comm_split"},
    {Action::ring, "ring, by cart_create"},
    {Action::star, "star, by graph_create"},
    {Action::shortcuts, "ring with shortcuts, by dist_graph_create_adjacent"},
    {Action::rows, "rows, by cart_sub"},
    {Action::edges, "ring with shortcuts, by dist_graph_create"},
    {Action::bridge, "intercomm_create, sendrecv, bcast, merge"},
    {Action::bridge_split, "intercomm_create, comm_split of it, sendrecv, bcast"},
    {Action::bridge_create, "intercomm_create, comm_create of it, sendrecv, bcast"},
    {Action::from_group, "comm_create_from_group, allgather"},
    {Action::from_groups, "intercomm_create_from_groups, sendrecv, bcast, merge"},
    {Action::subset, "comm_create_group, allgather"},
    {Action::make_web, "dist_graph_create_adjacent"},
    {Action::make_halves, "intercomm_create"},
});
static_assert(actions.size() == static_cast<std::size_t>(Action::make_halves) + 1);
static_assert(std::ranges::is_sorted(actions, {}, &NamedAction::action));

const char* name(Action action) { return actions[static_cast<std::size_t>(action)].name; }

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
