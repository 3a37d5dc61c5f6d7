// Messages: sends, receives and probes, and the contents that arrive.
#include <algorithm>
#include <utility>

#include "reference/player/player.h"
#include "reference/program/payload.h"

namespace emu::reference {
namespace {

int mpi_source(int from) {
  return from == nobody ? MPI_PROC_NULL : from == match::any_source ? MPI_ANY_SOURCE : from;
}
int mpi_tag(int tag) { return tag == match::any_tag ? MPI_ANY_TAG : tag; }
int mpi_peer(int to) { return to == nobody ? MPI_PROC_NULL : to; }
int count(Bytes bytes) { return static_cast<int>(bytes); }

}  // namespace

void Player::send(const Operation& o) {
  const std::vector<char> data = payload(program_->seed, o.out.message, o.out.bytes);
  const auto call = o.out.mode == Mode::synchronous ? MPI_Ssend
                    : o.out.mode == Mode::buffered  ? MPI_Bsend
                                                    : MPI_Send;
  went_well(call(data.data(), count(o.out.bytes), MPI_BYTE, mpi_peer(o.out.to), o.out.tag, comm(o)));
}

Player::Pending& Player::begin(const Operation& o) {
  Pending& p = pending_[static_cast<std::size_t>(o.slot)];
  if (o.again >= 0) p = std::exchange(pending_[static_cast<std::size_t>(o.again)], {});
  p.active = true;
  p.persistent = o.persistent;
  p.communicator = communicator(o);
  return p;
}

void Player::start_send(const Operation& o) {
  Pending& p = begin(o);
  const std::vector<char> data = payload(program_->seed, o.out.message, o.out.bytes);
  // A persistent request keeps the address of the memory.
  p.data.resize(data.size());
  std::copy(data.begin(), data.end(), p.data.begin());
  if (o.persistent) {
    const auto make = o.out.mode == Mode::synchronous ? MPI_Ssend_init
                      : o.out.mode == Mode::buffered  ? MPI_Bsend_init
                                                      : MPI_Send_init;
    if (o.again < 0)
      make(p.data.data(), count(o.out.bytes), MPI_BYTE, mpi_peer(o.out.to), o.out.tag, comm(o), &p.request);
    MPI_Start(&p.request);
    return;
  }
  const auto call = o.out.mode == Mode::synchronous ? MPI_Issend : MPI_Isend;
  call(p.data.data(), count(o.out.bytes), MPI_BYTE, mpi_peer(o.out.to), o.out.tag, comm(o), &p.request);
}

void Player::receive(const Operation& o) { receive(o, mpi_source(o.in.from), mpi_tag(o.in.tag)); }

void Player::receive(const Operation& o, int from, int tag) {
  std::vector<char> data(static_cast<std::size_t>(program_->bytes));
  MPI_Status status;
  if (went_well(MPI_Recv(data.data(), count(program_->bytes), MPI_BYTE, from, tag, comm(o), &status)))
    outcome_.completions.push_back(received(data.data(), communicator(o), status));
}

void Player::start_receive(const Operation& o) {
  // A persistent receive in doubt is still under way.
  const bool stays = o.again >= 0 && pending_[static_cast<std::size_t>(o.again)].active;
  Pending& p = begin(o);
  p.receive = true;
  p.data.resize(static_cast<std::size_t>(program_->bytes));
  if (o.again < 0)
    (o.persistent ? MPI_Recv_init : MPI_Irecv)(p.data.data(), count(program_->bytes), MPI_BYTE,
                                               mpi_source(o.in.from), mpi_tag(o.in.tag), comm(o), &p.request);
  if (o.persistent && !stays) MPI_Start(&p.request);
}

void Player::receive_found(const Operation& o, MPI_Message& message) {
  if (message == MPI_MESSAGE_NULL) return;  // the probe failed
  std::vector<char> data(static_cast<std::size_t>(program_->bytes));
  if (o.slot >= 0) {
    Pending& p = begin(o);
    p.receive = true;
    p.data = std::move(data);
    MPI_Imrecv(p.data.data(), count(program_->bytes), MPI_BYTE, &message, &p.request);
  } else {
    MPI_Status status;
    if (went_well(MPI_Mrecv(data.data(), count(program_->bytes), MPI_BYTE, &message, &status)))
      outcome_.completions.push_back(received(data.data(), communicator(o), status));
  }
  check(message == MPI_MESSAGE_NULL, "a message that was received is not null");
}

void Player::send_receive(const Operation& o) {
  const std::vector<char> sent = payload(program_->seed, o.out.message, o.out.bytes);
  std::vector<char> data(static_cast<std::size_t>(program_->bytes));
  MPI_Status status;
  if (went_well(MPI_Sendrecv(sent.data(), count(o.out.bytes), MPI_BYTE, mpi_peer(o.out.to), o.out.tag,
                             data.data(), count(program_->bytes), MPI_BYTE, mpi_source(o.in.from),
                             mpi_tag(o.in.tag), comm(o), &status)))
    outcome_.completions.push_back(received(data.data(), communicator(o), status));
}

void Player::start_send_receive(const Operation& o) {
  Pending& p = begin(o);
  p.receive = true;
  p.sent = payload(program_->seed, o.out.message, o.out.bytes);
  p.data.resize(static_cast<std::size_t>(program_->bytes));
  MPI_Isendrecv(p.sent.data(), count(o.out.bytes), MPI_BYTE, mpi_peer(o.out.to), o.out.tag, p.data.data(),
                count(program_->bytes), MPI_BYTE, mpi_source(o.in.from), mpi_tag(o.in.tag), comm(o),
                &p.request);
}

void Player::probe(const Operation& o) {
  MPI_Status status;
  MPI_Message message = MPI_MESSAGE_NULL;
  int flag = 1;
  const int source = mpi_source(o.in.from), tag = mpi_tag(o.in.tag);
  if (o.action == Action::probe) {
    if (!went_well(o.matched ? MPI_Mprobe(source, tag, comm(o), &message, &status)
                             : MPI_Probe(source, tag, comm(o), &status)))
      return;
  } else {
    do {
      if (!went_well(o.matched ? MPI_Improbe(source, tag, comm(o), &flag, &message, &status)
                               : MPI_Iprobe(source, tag, comm(o), &flag, &status)))
        return;
      outcome_.polls += !flag;
    } while (!flag && o.until);
  }
  outcome_.answer = flag;
  if (!flag) return;
  int bytes = 0;
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  outcome_.completions.push_back({-1, status.MPI_SOURCE, status.MPI_TAG, bytes, -1});
  if (o.matched && !o.take)
    found_[static_cast<std::size_t>(o.slot)] = message;
  else if (o.matched)
    receive_found(o, message);
  else if (o.take)
    receive(o, status.MPI_SOURCE, status.MPI_TAG);
}

void Player::start_parts(const Operation& o) {
  Pending& p = begin(o);
  p.in_parts = true;
  p.data = payload(program_->seed, o.out.message, o.out.bytes);
  MPI_Psend_init(p.data.data(), o.parts, o.out.bytes / o.parts, MPI_BYTE, o.out.to, o.out.tag, comm(o),
                 MPI_INFO_NULL, &p.request);
  MPI_Start(&p.request);
}

void Player::receive_parts(const Operation& o) {
  Pending& p = begin(o);
  p.in_parts = p.receive = true;
  p.data.resize(static_cast<std::size_t>(o.bytes));
  MPI_Precv_init(p.data.data(), o.parts, o.bytes / o.parts, MPI_BYTE, o.in.from, o.in.tag, comm(o),
                 MPI_INFO_NULL, &p.request);
  MPI_Start(&p.request);
}

void Player::arrived(const Operation& o) {
  const Pending& p = pending_[static_cast<std::size_t>(o.slots.front())];
  if (!p.active) return;
  int flag = 0;
  do {
    MPI_Parrived(p.request, o.low, &flag);
    outcome_.polls += !flag;
  } while (!flag && o.until);
  outcome_.answer = flag;
}

// The message may use the memory long after this.
void Player::release(const Operation& o) {
  Pending& p = pending_[static_cast<std::size_t>(o.slots.front())];
  MPI_Request_free(&p.request);
  released_.push_back(std::move(p.data));
  p = {};
}

// A cancelled send is sent again; a cancelled receive is received after all.
void Player::cancel(const Operation& o) {
  Pending& p = pending_[static_cast<std::size_t>(o.slots.front())];
  if (!p.active) return;
  MPI_Cancel(&p.request);
  if (o.action == Action::cancel) return;
  MPI_Status status;
  const int code = MPI_Wait(&p.request, &status);
  completed(o.slots.front(), status, error_of(code));
  if (!outcome_.completions.front().cancelled) return;
  o.action == Action::take_back ? send(o) : receive(o);
}

Completion Player::received(const char* data, std::size_t communicator, const MPI_Status& status) {
  Completion c;
  int bytes = 0;
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  if (status.MPI_SOURCE == MPI_PROC_NULL) {
    check(status.MPI_TAG == MPI_ANY_TAG && bytes == 0, "the status of a receive from nobody");
    return c;
  }
  c = {-1, status.MPI_SOURCE, status.MPI_TAG, bytes, carried(data, bytes)};
  // The payload identifies the message if it is long enough; then all of it must match.
  const auto found = bytes < 4 ? sent_.end() : sent_.find(c.identity);
  check(bytes < 4 || found != sent_.end(), "the payload names no message");
  if (found == sent_.end()) return c;
  const Sent& s = found->second;
  const bool known = s.communicator != newest;  // the destination
  check(s.source == source_in_world(communicator, c.source) && (s.destination == rank_ || !known) &&
            (known ? communicator == static_cast<std::size_t>(s.communicator) : communicator >= newest) &&
            s.out.tag == c.tag && s.out.bytes == c.bytes,
        "the status does not fit the message that was received");
  const std::vector<char> expected = payload(program_->seed, c.identity, bytes);
  check(std::equal(expected.begin(), expected.end(), data), "the payload is not what was sent");
  return c;
}

}  // namespace emu::reference
