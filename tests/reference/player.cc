#include "reference/player.h"

#include <emu/emu.h>

#include <algorithm>
#include <cmath>

#include "reference/payload.h"

namespace emu::reference {
namespace {

int mpi_source(int from) {
  return from == nobody ? MPI_PROC_NULL : from == match::any_source ? MPI_ANY_SOURCE : from;
}
int mpi_tag(int tag) { return tag == match::any_tag ? MPI_ANY_TAG : tag; }
int mpi_peer(int to) { return to == nobody ? MPI_PROC_NULL : to; }
int count(Bytes bytes) { return static_cast<int>(bytes); }

}  // namespace

Player::Player(std::FILE* log) : log_(log), attached_(std::size_t{8} << 20) {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
  MPI_Buffer_attach(attached_.data(), static_cast<int>(attached_.size()));
  communicators_.assign(communicator_count, MPI_COMM_WORLD);
  MPI_Comm_dup(MPI_COMM_WORLD, &communicators_[1]);
  std::fprintf(log_, "setup\n");
  write({});
  MPI_Comm_split(MPI_COMM_WORLD, 0, ranks_ - rank_, &communicators_[2]);
  write({});
}

void Player::finish() {
  void* address = nullptr;
  int size = 0;
  MPI_Buffer_detach(&address, &size);
  MPI_Comm_free(&communicators_[1]);
  MPI_Comm_free(&communicators_[2]);
}

void Player::write(Outcome outcome) {
  outcome.clock = std::llround(MPI_Wtime() * 1e12);
  std::fprintf(log_, "%s\n", to_line(outcome).c_str());
  std::fflush(log_);
}

void Player::play(const Program& program) {
  program_ = &program;
  index_messages(program);
  pending_.clear();
  pending_.resize(static_cast<std::size_t>(program.slots));
  std::fprintf(log_, "program %llu\n", static_cast<unsigned long long>(program.seed));
  const auto& operations = program.ranks[static_cast<std::size_t>(rank_)];
  for (at_ = 0; at_ < operations.size(); ++at_) {
    outcome_ = {};
    operate(operations[at_]);
    write(outcome_);
  }
}

void Player::index_messages(const Program& program) {
  sent_.clear();
  for (int source = 0; source < ranks_; ++source) {
    for (const Operation& o : program.ranks[static_cast<std::size_t>(source)]) {
      if (o.out.message == 0) continue;
      sent_[o.out.message] = {source, translate(o.communicator, o.out.to, ranks_), o.out, o.communicator};
    }
  }
}

void Player::check(bool right, const char* what) {
  if (right) return;
  ++wrong_;
  const Operation& o = program_->ranks[static_cast<std::size_t>(rank_)][at_];
  std::fprintf(stderr, "program %llu, rank %d, operation %zu (%s): %s\n",
               static_cast<unsigned long long>(program_->seed), rank_, at_, describe(o).c_str(), what);
}

void Player::operate(const Operation& o) {
  switch (o.action) {
    case Action::compute:
      emu_compute(static_cast<double>(o.picoseconds) * 1e-12);
      break;
    case Action::send:
      send(o);
      break;
    case Action::isend:
      start_send(o);
      break;
    case Action::receive:
      receive(o, mpi_source(o.in.from), mpi_tag(o.in.tag));
      break;
    case Action::ireceive:
      start_receive(o);
      break;
    case Action::send_receive:
      send_receive(o);
      break;
    case Action::probe:
    case Action::iprobe:
      probe(o);
      break;
    default:
      is_collective(o.action) ? collective(o) : complete(o);
      break;
  }
}

void Player::send(const Operation& o) {
  const std::vector<char> data = payload(program_->seed, o.out.message, o.out.bytes);
  const auto call = o.out.mode == Mode::synchronous ? MPI_Ssend
                    : o.out.mode == Mode::buffered  ? MPI_Bsend
                                                    : MPI_Send;
  call(data.data(), count(o.out.bytes), MPI_BYTE, mpi_peer(o.out.to), o.out.tag,
       communicators_[static_cast<std::size_t>(o.communicator)]);
}

void Player::start_send(const Operation& o) {
  Pending& p = pending_[static_cast<std::size_t>(o.slot)];
  p.communicator = o.communicator;
  p.data = payload(program_->seed, o.out.message, o.out.bytes);
  const auto call = o.out.mode == Mode::synchronous ? MPI_Issend : MPI_Isend;
  call(p.data.data(), count(o.out.bytes), MPI_BYTE, mpi_peer(o.out.to), o.out.tag,
       communicators_[static_cast<std::size_t>(o.communicator)], &p.request);
}

void Player::receive(const Operation& o, int from, int tag) {
  std::vector<char> data(static_cast<std::size_t>(program_->bytes));
  MPI_Status status;
  MPI_Recv(data.data(), count(program_->bytes), MPI_BYTE, from, tag,
           communicators_[static_cast<std::size_t>(o.communicator)], &status);
  outcome_.completions.push_back(received(data.data(), o.communicator, status));
}

void Player::start_receive(const Operation& o) {
  Pending& p = pending_[static_cast<std::size_t>(o.slot)];
  p.receive = true;
  p.communicator = o.communicator;
  p.data.resize(static_cast<std::size_t>(program_->bytes));
  MPI_Irecv(p.data.data(), count(program_->bytes), MPI_BYTE, mpi_source(o.in.from), mpi_tag(o.in.tag),
            communicators_[static_cast<std::size_t>(o.communicator)], &p.request);
}

void Player::send_receive(const Operation& o) {
  const std::vector<char> sent = payload(program_->seed, o.out.message, o.out.bytes);
  std::vector<char> data(static_cast<std::size_t>(program_->bytes));
  MPI_Status status;
  MPI_Sendrecv(sent.data(), count(o.out.bytes), MPI_BYTE, mpi_peer(o.out.to), o.out.tag, data.data(),
               count(program_->bytes), MPI_BYTE, mpi_source(o.in.from), mpi_tag(o.in.tag),
               communicators_[static_cast<std::size_t>(o.communicator)], &status);
  outcome_.completions.push_back(received(data.data(), o.communicator, status));
}

void Player::probe(const Operation& o) {
  const MPI_Comm comm = communicators_[static_cast<std::size_t>(o.communicator)];
  MPI_Status status;
  int flag = 1;
  if (o.action == Action::probe) {
    MPI_Probe(mpi_source(o.in.from), mpi_tag(o.in.tag), comm, &status);
  } else {
    do {
      MPI_Iprobe(mpi_source(o.in.from), mpi_tag(o.in.tag), comm, &flag, &status);
      outcome_.polls += !flag;
    } while (!flag && o.until);
  }
  outcome_.answer = flag;
  if (!flag) return;
  int bytes = 0;
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  outcome_.completions.push_back({-1, status.MPI_SOURCE, status.MPI_TAG, bytes, -1});
  if (o.take) receive(o, status.MPI_SOURCE, status.MPI_TAG);
}

Completion Player::received(const char* data, int communicator, const MPI_Status& status) {
  Completion c;
  int bytes = 0;
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  if (status.MPI_SOURCE == MPI_PROC_NULL) {
    check(status.MPI_TAG == MPI_ANY_TAG && bytes == 0, "the status of a receive from nobody");
    return c;
  }
  c = {-1, status.MPI_SOURCE, status.MPI_TAG, bytes, carried(data, bytes)};
  // The payload says which message this is, if it is long enough; then it must be that message in all.
  const auto found = bytes < 4 ? sent_.end() : sent_.find(c.identity);
  check(bytes < 4 || found != sent_.end(), "the payload names no message");
  if (found == sent_.end()) return c;
  const Sent& s = found->second;
  check(s.source == translate(communicator, c.source, ranks_) && s.destination == rank_ &&
            s.communicator == communicator && s.out.tag == c.tag && s.out.bytes == c.bytes,
        "the status does not fit the message that was received");
  const std::vector<char> expected = payload(program_->seed, c.identity, bytes);
  check(std::equal(expected.begin(), expected.end(), data), "the payload is not what was sent");
  return c;
}

void Player::completed(int slot, const MPI_Status& status) {
  Pending& p = pending_[static_cast<std::size_t>(slot)];
  Completion c;
  if (p.receive) c = received(p.data.data(), p.communicator, status);
  c.slot = slot;
  outcome_.completions.push_back(c);
}

}  // namespace emu::reference
