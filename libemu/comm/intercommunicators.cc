// Creation of intercommunicators, and of communicators from them. The leaders of the groups
// exchange the necessary data, and broadcast them in their groups: as in MPICH 4.0.2.

#include "comm/intercommunicators.h"

#include <mpi.h>

#include <climits>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "collective/collective_call.h"
#include "comm/creation_messages.h"
#include "comm/groups.h"
#include "model/collectives.h"
#include "mpi/calls.h"
#include "mpi/convert.h"
#include "mpi/entry.h"
#include "mpi/objects.h"

using emu::mpi::Communicator;
using emu::mpi::Error;
using emu::mpi::Members;
using emu::mpi::objects;
using emu::mpi::present;
using emu::mpi::process;
using emu::mpi::creation::LeaderLink;
using emu::rank::Buffer;
using emu::rank::Rank;
namespace creation = emu::mpi::creation;
namespace match = emu::match;
namespace model = emu::model;

namespace {

constexpr int trade_tag = (1 << 22) + 2, merge_tag = trade_tag + 1;

using List = std::vector<int>;

Buffer memory(List& list) {
  return Buffer::contiguous(list.data(), static_cast<model::Bytes>(4 * list.size()));
}

// A list that begins with the context that the own group has agreed on.
List with_context(match::Context name) {
  List list(2);
  std::memcpy(list.data(), &name, sizeof name);
  return list;
}

match::Context context_of(const List& list) {
  match::Context context;
  std::memcpy(&context, list.data(), sizeof context);
  return context;
}

// The leaders tell each other of failures: this mark replaces the last element of a list, which is a length or a rank.
void mark(List& list, int failed) { list.back() = -1 - failed; }
// Throws Error if the list is marked.
void check_marked(const List& list) {
  if (list.back() < 0) emu::mpi::check_failed(-1 - list.back());
}

// A member's part of a trade between two groups that do not know each other's members: each leader tells the other
// group if a member of its own has failed, so that no member waits in vain.
class Trade {
 public:
  // `failed`: a rank whose failure has broken the own group's part so far; -1: none has.
  Trade(Rank& rank, const emu::rank::Communicator& locals, int leader, const LeaderLink& way, int failed)
      : rank_(rank), locals_(locals), leader_(leader), way_(way), failed_(failed) {
    if (!leads()) check();
  }

  // Exchanges the own group's list for the other group's, of which the length is known. Throws Error on all members if
  // a list is marked. A failure that breaks the broadcast of a leader counts at its next exchange, or in check().
  void exchange(List& own, List& theirs) {
    if (leads()) swap(own, theirs);
    check();
    failed_ = emu::mpi::run_unless_broken(
        rank_, locals_, model::bcast(locals_.rank, locals_.size(), leader_, memory(theirs).bytes),
        {nullptr, reinterpret_cast<std::byte*>(theirs.data()), nullptr, nullptr});
    check_marked(theirs);
    if (!leads()) check();
  }
  void check() const { emu::mpi::check_failed(failed_); }

 private:
  bool leads() const { return locals_.rank == leader_; }
  void swap(List& own, List& theirs) {
    if (failed_ >= 0) mark(own, failed_);
    const int tag = way_.peers.round;
    const auto status =
        rank_.send_receive(way_.peers, way_.peer, tag, memory(own), way_.peer, tag, memory(theirs));
    if (status.failed >= 0) mark(theirs, status.failed);
  }

  Rank& rank_;
  const emu::rank::Communicator& locals_;
  const int leader_;
  const LeaderLink& way_;
  int failed_;
};

// Between the groups of an intercommunicator: the leaders, which are the first members, exchange the lengths of the
// lists and the lists, and broadcast them.
List traded(Rank& rank, const Communicator& inter, List own) {
  const model::Sides sides = emu::mpi::sides_of(inter);
  emu::rank::Communicator both = *inter.both;
  both.round = trade_tag;
  const auto exchange = [&](List& given, List& taken) {
    emu::mpi::run(rank, both, model::inter_trade(sides, memory(given).bytes, memory(taken).bytes),
                  {reinterpret_cast<const std::byte*>(given.data()),
                   reinterpret_cast<std::byte*>(taken.data()), nullptr, nullptr});
  };
  List length = {static_cast<int>(own.size())}, theirs = {0};
  exchange(length, theirs);
  theirs.resize(static_cast<std::size_t>(theirs[0]));
  exchange(own, theirs);
  return theirs;
}

Members joined(const Members& a, const Members& b) {
  List all(a.begin(), a.end());
  all.insert(all.end(), b.begin(), b.end());
  return Members(std::move(all));
}

// Throws Error on all members of both groups if a member of either has no room.
void check_both(match::Context own, match::Context theirs) { creation::check_room(own | theirs); }

// `own`, `theirs`: the contexts that the groups have agreed on. The context of the first group is used for messages
// between the groups.
Communicator between(match::Context own, Members group, int rank, match::Context theirs, Members others) {
  Communicator made;
  made.first = group[0] < others[0];
  made.context = made.first ? own : theirs;
  made.rank = rank;
  made.locals = std::make_shared<emu::rank::Communicator>();
  made.locals->context = own + 2;
  made.locals->rank = rank;
  made.locals->world = group;
  made.both = std::make_shared<emu::rank::Communicator>();
  made.both->context = made.context;
  made.both->rank = made.first ? rank : others.size() + rank;
  made.both->world = made.first ? joined(group, others) : joined(others, group);
  made.locals->concerned = made.both->world;
  made.group = std::move(group);
  made.world = std::move(others);
  return made;
}

Members members_in(const List& list) { return Members(List(list.begin() + 2, list.end())); }

Communicator create(Rank& rank, MPI_Comm comm, int leader, MPI_Comm peers, int peer, int tag, bool room) {
  const Communicator& c = creation::intra(comm);
  if (leader < 0 || leader >= c.size()) throw Error{MPI_ERR_RANK, "invalid leader " + std::to_string(leader)};
  emu::rank::Communicator way;
  if (c.rank == leader) {
    const Communicator& p = objects->communicators.find(peers);
    if (peer < 0 || peer >= p.size())
      throw Error{MPI_ERR_RANK, "invalid remote leader " + std::to_string(peer)};
    if (tag < 0 || tag > process->self.largest_tag)
      throw Error{MPI_ERR_TAG, "invalid tag " + std::to_string(tag)};
    way = p;
    way.context = p.collective();
    way.round = INT_MIN + 1 + tag;
  }
  return creation::create_inter(rank, c, leader, {way, peer}, room);
}

Communicator merged(Rank& rank, MPI_Comm comm, bool high, bool room) {
  const Communicator& c = objects->communicators.find(comm);
  if (!c.inter()) throw Error{MPI_ERR_COMM, "the communicator is not an intercommunicator"};
  const bool other = traded(rank, c, {high ? 1 : 0})[0] != 0;
  const bool first = high == other ? c.first : !high;
  Communicator made(c.context, first ? joined(c.group, c.world) : joined(c.world, c.group),
                    first ? c.rank : c.rank + c.size());
  made.round = merge_tag;
  made.context = creation::agree_on_context(rank, made, room);
  made.round = 0;
  return made;
}

}  // namespace

namespace emu::mpi::creation {

const Communicator& intra(MPI_Comm comm) {
  const Communicator& c = objects->communicators.find(comm);
  if (c.inter()) throw Error{MPI_ERR_COMM, "the communicator is an intercommunicator"};
  return c;
}

Communicator create_inter(rank::Rank& rank, const rank::Communicator& c, int leader, const LeaderLink& way,
                          bool room) {
  ContextAgreement agreement(c, room);
  Trade trade(rank, c, leader, way, run_unless_broken(rank, c, agreement.schedule(), agreement.memory()));
  const match::Context own = agreement.name();
  List list = with_context(own);
  list.insert(list.end(), c.world.begin(), c.world.end());
  List length = {static_cast<int>(list.size())}, theirs = {0};
  trade.exchange(length, theirs);
  theirs.resize(static_cast<std::size_t>(theirs[0]));
  trade.exchange(list, theirs);
  trade.check();
  check_both(own, context_of(theirs));
  const Members others = members_in(theirs);
  if (filtered(c.world, others, true).size() > 0)
    throw Error{MPI_ERR_COMM, "the two groups have members in common"};
  return between(own, c.world, c.rank, context_of(theirs), others);
}

Communicator duplicated(const Communicator& c, match::Context context) {
  if (c.inter()) return between(context, c.group, c.rank, context, c.world);
  Communicator made(context, c.group, c.rank);
  made.topology = c.topology;
  return made;
}

Communicator duplicate_inter(rank::Rank& rank, const Communicator& c, bool room) {
  const match::Context own = agree_on_name(rank, *c.locals, room);
  const List theirs = traded(rank, c, with_context(own));
  check_both(own, context_of(theirs));
  return between(own, c.group, c.rank, context_of(theirs), c.world);
}

std::optional<Communicator> split_inter(rank::Rank& rank, const Communicator& c, SplitArguments own_arguments,
                                        bool room) {
  const std::vector<SplitArguments> arguments = all_arguments(rank, *c.locals, own_arguments);
  const match::Context own = agree_on_name(rank, *c.locals, room);
  List list = with_context(own);
  for (const SplitArguments& w : arguments) list.insert(list.end(), {w.color, w.key});
  const List theirs = traded(rank, c, std::move(list));
  check_both(own, context_of(theirs));
  std::vector<SplitArguments> others;
  for (std::size_t i = 2; i < theirs.size(); i += 2) others.push_back({theirs[i], theirs[i + 1]});
  if (own_arguments.color == MPI_UNDEFINED) return std::nullopt;
  const Members near = those_of(arguments, own_arguments.color, c.group),
                far = those_of(others, own_arguments.color, c.world);
  if (far.size() == 0) return std::nullopt;
  return between(own, near, near.find(rank.number()), context_of(theirs), far);
}

std::optional<Communicator> create_inter(rank::Rank& rank, const Communicator& c, const Members& group,
                                         bool room) {
  const match::Context own = agree_on_name(rank, *c.locals, room);
  List list = with_context(own);
  list.insert(list.end(), group.begin(), group.end());
  const List theirs = traded(rank, c, std::move(list));
  check_both(own, context_of(theirs));
  const Members far = members_in(theirs);
  const int own_rank = group.find(rank.number());
  if (own_rank < 0 || far.size() == 0) return std::nullopt;
  return between(own, group, own_rank, context_of(theirs), far);
}

}  // namespace emu::mpi::creation

namespace emu::mpi::calls {

void intercomm_create(Rank& rank, MPI_Comm comm, int local_leader, MPI_Comm peer_comm, int remote_leader,
                      int tag, MPI_Comm* out) {
  present(out);
  creation::StandIn stand_in;
  *out = creation::keep(stand_in, comm,
                        create(rank, comm, local_leader, peer_comm, remote_leader, tag, stand_in.room()));
}

void intercomm_merge(Rank& rank, MPI_Comm comm, int high, MPI_Comm* out) {
  present(out);
  creation::StandIn stand_in;
  *out = creation::keep(stand_in, comm, merged(rank, comm, high != 0, stand_in.room()));
}

}  // namespace emu::mpi::calls
