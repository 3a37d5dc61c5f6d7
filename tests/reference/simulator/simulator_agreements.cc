// Agreements of the remaining ranks after failures: libemu/rank/semantics.md, "Agreements". All send to one rank, the
// speaker, which answers the remaining ranks.
#include <algorithm>

#include "reference/collectives/collectives.h"
#include "reference/simulator/simulator.h"

namespace emu::reference {
namespace {

// A flag, a boolean, a name, and a bit for each member.
Bytes ballot_bytes(std::size_t members) { return 16 + static_cast<Bytes>((members + 31) / 32 * 4); }

}  // namespace

int Simulator::speaker(int rank) const {
  const std::vector<int>& world = communicator(rank).members.world;
  return *std::max_element(world.begin(), world.end(),
                           [&](int a, int b) { return costs_.fails(a) < costs_.fails(b); });
}

Simulator::Agreement& Simulator::agreement(int rank) {
  const Communicator& c = communicator(rank);
  return agreements_[{c.members.context, c.members.world.front(), c.agreements}];
}

void Simulator::tell(int rank, const std::vector<int>& others) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  const Communicator& c = communicator(rank);
  for (const int other : others)
    r.steps.push_back(
        {.kind = Step::Kind::send,
         .context = c.members.context | 1,
         .out = {.to = other, .tag = -1 - c.agreements, .bytes = ballot_bytes(c.members.world.size())}});
  r.steps.push_back({.kind = Step::Kind::wait});
}

void Simulator::hear(int rank, int other) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  const Communicator& c = communicator(rank);
  r.steps.push_back({.kind = Step::Kind::post,
                     .context = c.members.context | 1,
                     .in = {.from = other, .tag = -1 - c.agreements}});
  r.steps.push_back({.kind = Step::Kind::wait});
}

void Simulator::begin_agreement(int rank) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  Communicator& c = communicator(rank);
  ++c.agreements;
  r.agrees = true;
  Ballot own{.flag = operation(rank).flag};
  for (int member : c.members.world)
    if (c.acknowledged && known(rank, member) <= *c.acknowledged) own.acknowledged.push_back(member);
  agreement(rank).said[rank] = own;
  if (speaker(rank) != rank) {
    tell(rank, {speaker(rank)});
    hear(rank, speaker(rank));
    r.steps.push_back({.kind = Step::Kind::agreed});
    return;
  }
  for (int member : c.members.world)
    if (member != rank) hear(rank, member);
  r.steps.push_back({.kind = Step::Kind::decide});
}

// A wait of an agreement is over: later failures do not end it.
void Simulator::end_talk(int rank) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  for (int request : r.started) {
    const Request& q = r.requests[static_cast<std::size_t>(request)];
    if (!q.failed) continue;
    ++coverage_.unheard;
    if (q.receive)
      r.unheard.push_back(r.mailbox.receives()[static_cast<std::size_t>(q.posted)].filter.source);
  }
  r.started.clear();
}

void Simulator::decide_agreement(int rank) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  Agreement& a = agreement(rank);
  const std::vector<int>& world = communicator(rank).members.world;
  a.flag = -1;
  a.acknowledged = true;
  for (int member : world) {
    const bool heard = std::find(r.unheard.begin(), r.unheard.end(), member) == r.unheard.end();
    if (heard && costs_.fails(member) > r.clock) a.left.push_back(member);
  }
  std::vector<int> others;
  for (int member : a.left) {
    const Ballot& said = a.said.at(member);
    a.flag &= said.flag;
    for (int gone : world)
      if (std::find(a.left.begin(), a.left.end(), gone) == a.left.end())
        a.acknowledged = a.acknowledged && std::find(said.acknowledged.begin(), said.acknowledged.end(),
                                                     gone) != said.acknowledged.end();
    if (member != rank) others.push_back(member);
  }
  tell(rank, others);
  r.steps.push_back({.kind = Step::Kind::agreed});
}

// The remaining messages have costs, but no effect.
void Simulator::take_agreement(int rank) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  const Agreement& a = agreement(rank);
  const bool shrinks = operation(rank).action == Action::shrink;
  const Communicator& c = communicator(rank);
  r.agrees = false;
  const auto me = static_cast<int>(std::find(a.left.begin(), a.left.end(), rank) - a.left.begin());
  Members left{c.members.context, me, a.left};
  if (shrinks) {
    for (int member : a.left) r.outcome.value |= std::int64_t{1} << member;
  } else {
    r.outcome.value = a.flag;
    if (!a.acknowledged) r.outcome.error = Error::failed;
  }
  if (a.left.size() < c.members.world.size())
    ++(shrinks ? coverage_.shrunk : a.acknowledged ? coverage_.agreed : coverage_.disagreed);
  r.group = left.world;
  const int first = first_known(rank, r.group);
  if (first >= 0 && known(rank, first) <= r.clock) {
    ++coverage_.unpaid;
  } else {
    const Operands what{.count = shrinks ? 8 : 1, .element = 8};
    for (const Step& step :
         steps_of(all_reduce(static_cast<int>(left.world.size()), what), left, c.agreements))
      r.steps.push_back(step);
  }
  if (!shrinks) return;
  const auto made =
      made_.try_emplace({left.context, c.agreements}, context_of(newest + static_cast<int>(made_.size())));
  left.context = made.first->second;
  r.newest = r.communicators.size();
  r.communicators.push_back({.members = left});
}

}  // namespace emu::reference
