#include <algorithm>
#include <utility>

#include "reference/player/thread_player.h"
#include "reference/program/composites.h"

namespace emu::reference {
namespace {

void add_bytes(void*, const std::byte* from, std::byte* into, Bytes bytes) {
  for (Bytes i = 0; i < bytes; ++i)
    into[i] = static_cast<std::byte>(std::to_integer<int>(into[i]) + std::to_integer<int>(from[i]));
}

}  // namespace

std::vector<Scheduled> ThreadPlayer::schedules_of(const Operation& o) {
  const rank::Communicator& comm = communicator(o);
  std::vector<int> nodes;
  for (int member = 0; member < comm.size(); ++member)
    nodes.push_back(nodes_[static_cast<std::size_t>(comm.world[member])]);
  return schedules(o, comm.rank, nodes);
}

// The contents of blocks are checked elsewhere, by the player that calls MPI.
void ThreadPlayer::collective(const Operation& o) {
  const rank::Communicator& comm = communicator(o);
  const std::size_t room = std::max<std::size_t>(
      512, static_cast<std::size_t>(std::max<Bytes>(8, o.bytes)) * static_cast<std::size_t>(comm.size()));
  if (in_background(o)) return start_collective(o, room);
  makers_[o.communicator] += is_composite(o.action);
  // A leader of a broken group owes an exchange to the other leader, and a rank that was told of a failure ends.
  bool owes = false, told = false;
  for (const Scheduled& part : schedules_of(o)) {
    rank::Communicator there = comm;
    if (part.channel == Part::from_groups) there.context = context_of(0);
    const int tag = tag_of(o.action, part.channel, makers_[o.communicator]);
    if (part.by_pairs) {
      const bool well = exchange(there, tag, part.schedule, owes, told);
      if (owes || !(well || part.leads)) break;
      told = told || !well;
      continue;
    }
    if (owes) continue;
    std::vector<int> group;
    for (const int member : part.group) group.push_back(comm.world[member]);
    there.concerned = rank::Members(std::move(group));
    std::vector<std::byte> input(room), output(room);
    output[0] = std::byte{told};
    // A rank passes on the value that it was told.
    const std::byte* const from = part.heeds ? output.data() : input.data();
    const int failed = rank_.run(there, tag, part.schedule, {from, output.data(), &add_bytes, nullptr});
    if (part.heeds && failed < 0) told = output[0] != std::byte{0};
    if (failed >= 0 && part.leads && !told)
      owes = true;
    else if (!went_well(failed) || (part.heeds && told))
      break;
  }
  if (owes || told) outcome_.error = Error::failed;
  if (o.action == Action::edges && outcome_.error == Error::none) exchange_edges(comm);
}

// As in comm/topology_creation.cc. A failure ends the messages to this rank; it then still waits for its own.
void ThreadPlayer::exchange_edges(const rank::Communicator& comm) {
  using Kind = model::Step::Kind;
  std::vector<std::byte> memory(64);
  const rank::Memory room{memory.data(), memory.data(), nullptr, nullptr};
  std::vector<std::unique_ptr<model::Schedule>> schedules;  // at fixed addresses
  std::vector<std::unique_ptr<rank::Background>> telling;
  for (const bool into : {true, false}) {
    schedules.push_back(std::make_unique<model::Schedule>());
    for (const auto& [to, bytes] : told_edges(comm.rank, comm.size(), into))
      schedules.back()->steps.push_back({Kind::send, to, {model::Space::input, 0, bytes}, {}});
    schedules.back()->steps.push_back({Kind::wait, -1, {}, {}});
    telling.push_back(rank_.start(comm, tag_of_edges(into), *schedules.back(), room));
  }
  if (!hear_edges(comm, true) || !hear_edges(comm, false)) std::reverse(telling.begin(), telling.end());
  for (const auto& messages : telling) {
    rank::Request* const request = messages->request();
    rank_.wait_all({&request, 1});
    went_well(request->status.failed);
    rank_.free(request);
  }
}

// The messages about edges into this rank, or out of it. False: a rank has failed.
bool ThreadPlayer::hear_edges(const rank::Communicator& comm, bool into) {
  using Kind = model::Step::Kind;
  rank::Communicator aside = comm;
  aside.context = comm.collective();
  aside.acknowledged.reset();
  std::vector<std::byte> heard(64);
  const int tag = tag_of_edges(into);
  for (int i = edges_heard(comm.rank, comm.size(), into); i > 0; --i) {
    const rank::Status status = rank_.probe(aside, match::any_source, tag);
    if (!went_well(status.failed)) return false;
    model::Schedule receive;
    receive.steps = {{Kind::receive, status.source, {model::Space::output, 0, status.bytes}, {}},
                     {Kind::wait, -1, {}, {}}};
    if (!went_well(rank_.run(comm, tag, receive, {nullptr, heard.data(), nullptr, nullptr}))) return false;
  }
  return true;
}

// A rank's message to another, and the other's message. False: the other has failed. `told`: the other says that a
// rank of its group has failed.
bool ThreadPlayer::exchange(rank::Communicator there, int tag, const model::Schedule& schedule, bool owes,
                            bool& told) {
  using Kind = model::Step::Kind;
  int peer = nobody;
  Bytes out = 0, in = 0;
  for (const model::Step& step : schedule.steps) {
    if (step.kind == Kind::wait) continue;
    peer = step.peer;
    (step.kind == Kind::send ? out : in) = step.slice.bytes;
  }
  if (peer == nobody) return true;
  std::vector<char> mine(static_cast<std::size_t>(out)), theirs(static_cast<std::size_t>(in));
  if (!mine.empty()) mine[0] = owes;
  there.context = there.collective();
  const rank::Status status = rank_.send_receive(there, peer, tag, rank::Buffer::contiguous(mine.data(), out),
                                                 peer, tag, rank::Buffer::contiguous(theirs.data(), in));
  if (status.failed < 0 && in > 0) told = told || theirs[0] != 0;
  return went_well(status.failed);
}

// A persistent collective differs only in the name of its MPI function, and in the tag of further starts.
void ThreadPlayer::start_collective(const Operation& o, std::size_t room) {
  rank::Communicator& comm = communicator(o);
  Pending& p = pending(o.slot);
  p.running = std::make_unique<Running>();
  Running& r = *p.running;
  r.schedule = schedules_of(o).front().schedule;
  r.input.resize(room);
  r.output.resize(room);
  p.tag = o.again >= 0 ? pending(o.again).tag : rank::Background::next_tag(comm);
  r.background = rank_.start(comm, p.tag, r.schedule, {r.input.data(), r.output.data(), &add_bytes, nullptr});
  p.request = r.background->request();
}

bool ThreadPlayer::went_well(int failed) {
  if (failed >= 0) outcome_.error = Error::failed;
  return failed < 0;
}

std::int64_t ThreadPlayer::acknowledged(const rank::Communicator& comm) const {
  std::int64_t bits = 0;
  for (int member : comm.world)
    if (comm.acknowledged && rank_.failures().known(member) <= *comm.acknowledged)
      bits |= std::int64_t{1} << member;
  return bits;
}

// As in the entry points.
void ThreadPlayer::meet(const Operation& o) {
  rank::Communicator& comm = communicator(o);
  const bool shrinks = o.action == Action::shrink;
  const rank::Rank::Agreement agreed = rank_.agree(comm, shrinks ? 1 : o.flag);
  std::vector<int> alive;
  for (int i = 0; i < comm.size(); ++i)
    if (agreed.alive[static_cast<std::size_t>(i)]) alive.push_back(comm.world[i]);
  rank::Communicator left;
  left.context = comm.context;
  left.round = comm.agreements;
  left.world = rank::Members(std::move(alive));
  left.rank = left.world.find(rank_.number());
  for (int member : left.world)
    if (shrinks) outcome_.value |= std::int64_t{1} << member;
  rank_.pay_agreement(left, shrinks ? 64 : 8);
  if (shrinks) {
    // All ranks that created it use this context, and no other communicator has it.
    left.context = 64 * (left.context + 2) + 2 * static_cast<match::Context>(left.round);
    left.round = 0;
    communicators_.push_back(left);
    return;
  }
  outcome_.value = agreed.flag;
  if (!agreed.acknowledged) outcome_.error = Error::failed;
}

}  // namespace emu::reference
