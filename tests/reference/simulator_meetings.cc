// Where members of a communicator meet at no cost: joins, and what those agree upon that are left. One of them,
// the speaker, hears the others in their order and answers.
#include <algorithm>

#include "reference/collectives/collectives.h"
#include "reference/simulator.h"

namespace emu::reference {

int Simulator::speaker(int rank) const {
  const std::vector<int>& world = communicator(rank).members.world;
  if (ranks_[static_cast<std::size_t>(rank)].steps.front().kind == Step::Kind::join) return world.front();
  return *std::max_element(world.begin(), world.end(),
                           [&](int a, int b) { return costs_.fails(a) < costs_.fails(b); });
}

int Simulator::expected(int rank) const {
  const int who = speaker(rank);
  if (who != rank) return who;
  const Meeting& m = ranks_[static_cast<std::size_t>(rank)].meeting;
  return communicator(rank).members.world[m.hearing];
}

Instant Simulator::last_call(int rank) const {
  Instant first = Instant::never();
  for (int member : communicator(rank).members.world) first = std::min(first, costs_.fails(member));
  return first.is_never() ? first : first - Interval::picoseconds(1);
}

// What it waits for, if it was said.
const Simulator::MeetingMessage* Simulator::meeting_message(int rank) const {
  const Rank& r = ranks_[static_cast<std::size_t>(rank)];
  const bool join = r.steps.front().kind == Step::Kind::join;
  for (const MeetingMessage& w : r.meeting_messages) {
    if (w.from != expected(rank) || w.number != r.meeting.number ||
        w.context != communicator(rank).members.context)
      continue;
    return join && (r.meeting.given_up || w.at > last_call(rank)) ? nullptr : &w;
  }
  return nullptr;
}

// Nobody that waits for a message of a meeting begins what it would not live to pay for.
int Simulator::next_handshake(int rank, Instant until) const {
  const Rank& r = ranks_[static_cast<std::size_t>(rank)];
  const int event = least_event(rank, until, nullptr);
  if (event < 0 || r.meeting.given_up) return event;
  const Message& m = r.mailbox.messages()[static_cast<std::size_t>(event)];
  const int peer = m.envelope.source;
  Interval cost = costs_.receive_overhead(peer, rank, 1);
  if (m.kind == Message::Kind::request) {
    cost += costs_.send_overhead(rank, peer, 1);
  } else {
    const Request& send = r.requests[static_cast<std::size_t>(m.send)];
    cost += costs_.send_overhead(rank, send.destination, send.out.bytes);
  }
  const Instant begins = std::max(r.clock, m.ready());
  return costs_.after(rank, cost, begins).is_never() ? -1 : event;
}

Instant Simulator::next_in_meeting(int rank) const {
  const Rank& r = ranks_[static_cast<std::size_t>(rank)];
  const int event = next_handshake(rank, Instant::never());
  Instant next = event < 0 ? Instant::never() : r.mailbox.messages()[static_cast<std::size_t>(event)].ready();
  if (const MeetingMessage* w = meeting_message(rank)) next = std::min(next, w->at);
  if (r.steps.front().kind == Step::Kind::join && !r.meeting.given_up && !last_call(rank).is_never())
    next = std::min(next, last_call(rank) + Interval::picoseconds(1));
  return next;
}

void Simulator::send_meeting_message(int from, int to, MeetingMessage message) {
  Rank& r = ranks_[static_cast<std::size_t>(from)];
  message.from = from;
  message.context = communicator(from).members.context;
  message.number = r.meeting.number;
  message.at = r.clock;
  ranks_[static_cast<std::size_t>(to)].meeting_messages.push_back(message);
}

// One thing at a time. True once it is over.
bool Simulator::meet(int rank, Instant now) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  Meeting& m = r.meeting;
  const bool join = r.steps.front().kind == Step::Kind::join;
  if (!m.told) {
    begin_meeting(rank);
    return m.over;
  }
  const Instant until = join && !m.given_up ? std::min(now, last_call(rank)) : now;
  const MeetingMessage* w = meeting_message(rank);
  const int event = next_handshake(rank, until);
  const auto f = failure(rank);
  const auto* message = event < 0 ? nullptr : &r.mailbox.messages()[static_cast<std::size_t>(event)];
  if (w && w->at <= now && (!message || w->at < message->ready())) {
    hear(rank);
  } else if (message && !(f && f->at < message->ready())) {
    handle(rank, event);
    ++coverage_.progressed;
  } else if (f && f->at <= now) {
    handle(rank, *f);
  } else if (until < now) {
    m.given_up = true;
    r.entry = r.clock;
  }
  return m.over || r.steps.empty();
}

void Simulator::begin_meeting(int rank) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  Communicator& c = communicator(rank);
  Meeting& m = r.meeting;
  m.told = true;
  m.number = r.steps.front().kind == Step::Kind::join ? -++c.joins : ++c.agreements;
  r.entry = r.clock;
  MeetingMessage own{.from = rank, .flag = operation(rank).flag};
  for (int member : c.members.world)
    if (c.acknowledged && known(rank, member) <= *c.acknowledged) own.of.push_back(member);
  if (speaker(rank) != rank) return send_meeting_message(rank, speaker(rank), own);
  m.heard.push_back(own);
  if (c.members.world.front() == rank) hear_next(rank);
}

void Simulator::hear(int rank) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  const auto place = r.meeting_messages.begin() + (meeting_message(rank) - r.meeting_messages.data());
  const MeetingMessage heard = *place;
  r.meeting_messages.erase(place);
  coverage_.not_begun += least_event(rank, heard.at, nullptr) >= 0;
  if (speaker(rank) != rank && r.clock > heard.at) narrow_.emplace_back(costs_.node_of(rank), r.clock);
  wait_until(rank, heard.at);
  if (r.failed) return;
  if (speaker(rank) != rank) return go_on(rank, heard);
  r.meeting.heard.push_back(heard);
  hear_next(rank);
}

void Simulator::hear_next(int rank) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  const std::vector<int>& world = communicator(rank).members.world;
  std::size_t& hearing = r.meeting.hearing;
  ++hearing;
  if (hearing < world.size() && world[hearing] == rank) ++hearing;
  r.entry = r.clock;
  if (hearing >= world.size()) all_heard(rank);
}

void Simulator::all_heard(int rank) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  const std::vector<int>& world = communicator(rank).members.world;
  if (r.steps.front().kind == Step::Kind::join) {
    r.meeting.given_up = r.clock > last_call(rank);
    r.meeting.hearing = 0;
    if (r.meeting.given_up) return;
    for (int member : world)
      if (member != rank) send_meeting_message(rank, member, {});
    return go_on(rank, {});
  }
  MeetingMessage answer{.flag = -1, .acknowledged = true};
  std::vector<MeetingMessage> left;
  for (const MeetingMessage& w : r.meeting.heard)
    if (costs_.fails(w.from) > r.clock) left.push_back(w);
  for (int member : world)
    if (std::any_of(left.begin(), left.end(), [&](const MeetingMessage& w) { return w.from == member; }))
      answer.of.push_back(member);
  for (const MeetingMessage& w : left) {
    answer.flag &= w.flag;
    for (int member : world) {
      const bool gone = std::find(answer.of.begin(), answer.of.end(), member) == answer.of.end();
      const bool acknowledged = std::find(w.of.begin(), w.of.end(), member) != w.of.end();
      if (gone && !acknowledged) answer.acknowledged = false;
    }
  }
  for (int member : answer.of)
    if (member != rank) send_meeting_message(rank, member, answer);
  go_on(rank, answer);
}

void Simulator::go_on(int rank, const MeetingMessage& agreed) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  r.meeting.over = true;
  if (r.steps.front().kind == Step::Kind::join) return;
  const bool shrinks = operation(rank).action == Action::shrink;
  Communicator& c = communicator(rank);
  const auto me = static_cast<int>(std::find(agreed.of.begin(), agreed.of.end(), rank) - agreed.of.begin());
  Members left{c.members.context, me, agreed.of};
  if (shrinks) {
    for (int member : agreed.of) r.outcome.value |= std::int64_t{1} << member;
  } else {
    r.outcome.value = agreed.flag;
    if (!agreed.acknowledged) r.outcome.error = Error::failed;
  }
  if (agreed.of.size() < c.members.world.size())
    ++(shrinks ? coverage_.shrunk : agreed.acknowledged ? coverage_.agreed : coverage_.disagreed);
  r.group = left.world;
  const int first = first_known(rank, r.group);
  if (first >= 0 && known(rank, first) <= r.clock) {
    ++coverage_.unpaid;
  } else {
    const Operands what{.count = shrinks ? 8 : 1, .element = 8};
    for (const Step& step :
         steps_of(all_reduce(static_cast<int>(left.world.size()), what), left, r.meeting.number))
      r.steps.push_back(step);
  }
  if (!shrinks) return;
  const auto made = made_.try_emplace({left.context, r.meeting.number},
                                      context_of(newest + static_cast<int>(made_.size())));
  left.context = made.first->second;
  r.newest = r.communicators.size();
  r.communicators.push_back({.members = left});
}

}  // namespace emu::reference
