#include "reference/player/player.h"

#include <emu/emu.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <utility>

#include "reference/program/payload.h"

namespace emu::reference {
namespace {

int mpi_source(int from) {
  return from == nobody ? MPI_PROC_NULL : from == match::any_source ? MPI_ANY_SOURCE : from;
}
int mpi_tag(int tag) { return tag == match::any_tag ? MPI_ANY_TAG : tag; }
int mpi_peer(int to) { return to == nobody ? MPI_PROC_NULL : to; }
int count(Bytes bytes) { return static_cast<int>(bytes); }

// Takes about 50 us at most.
void work(std::int64_t picoseconds) {
  volatile std::int64_t sum = 0;
  for (std::int64_t i = picoseconds % 50'000'000 / 1000; i > 0; --i) sum = sum + i;
}

void pause(std::int64_t picoseconds) {
  constexpr std::int64_t second = 1'000'000'000;
  const timespec length{.tv_sec = picoseconds / 1000 / second, .tv_nsec = picoseconds / 1000 % second};
  nanosleep(&length, nullptr);
}

}  // namespace

Player::Player(std::FILE* log, MPI_Comm all, bool notices, bool works, bool in_threads)
    : log_(log), works_(works), all_(all), attached_(all == MPI_COMM_WORLD ? std::size_t{8} << 20 : 0) {
  if (in_threads) helper_.emplace();
  if (notices) MPI_Comm_set_errhandler(all, MPI_ERRORS_RETURN);
  MPI_Comm_group(all, &world_);
  MPI_Comm_rank(all, &rank_);
  MPI_Comm_size(all, &ranks_);
  if (!attached_.empty()) MPI_Buffer_attach(attached_.data(), static_cast<int>(attached_.size()));
  communicators_.assign(communicator_count, all);
  MPI_Comm_dup(all, &communicators_[1]);
  std::fprintf(log_, "setup\n");
  write({});
  MPI_Comm_split(all, 0, ranks_ - rank_, &communicators_[2]);
  write({});
  MPI_Comm_split(all, rank_ % 2, ranks_ - rank_, &communicators_[parts]);
  write({});
  make_lasting();
}

void Player::finish() {
  helper_.reset();
  void* address = nullptr;
  int size = 0;
  if (!attached_.empty()) MPI_Buffer_detach(&address, &size);
  MPI_Group_free(&world_);
  for (MPI_Comm& comm : communicators_)
    if (comm != all_) MPI_Comm_free(&comm);
}

void Player::write(Outcome outcome) {
  outcome.clock = emu_picoseconds();
  std::fprintf(log_, "%s\n", to_line(outcome).c_str());
  std::fflush(log_);
}

void Player::play(const Program& program) {
  program_ = &program;
  index_messages(program);
  pending_.clear();
  pending_.resize(static_cast<std::size_t>(program.slots));
  found_.assign(static_cast<std::size_t>(program.slots), MPI_MESSAGE_NULL);
  std::fprintf(log_, "program %llu\n", static_cast<unsigned long long>(program.seed));
  const auto& operations = program.ranks[static_cast<std::size_t>(rank_)];
  for (at_ = 0; at_ < operations.size(); ++at_) {
    const Operation& o = operations[at_];
    if (helper_ && (program.seed + at_ / 2 + at_ / 3) % 2 == 0)
      helper_->run([&] { play(o); });
    else
      play(o);
  }
  for (Pending& p : pending_)
    if (p.persistent && p.request != MPI_REQUEST_NULL) MPI_Request_free(&p.request);
}

// If two threads play, each declares its work from the rank's clock, not from the thread's last call.
void Player::play(Operation o) {
  if (helper_) emu_picoseconds();
  outcome_ = {};
  if (o.communicator == newest) {
    int rank = 0, size = 0;
    MPI_Comm_rank(comm(o), &rank);
    MPI_Comm_size(comm(o), &size);
    o = resolve(o, rank, size);
  }
  operate(o);
  // Messages may come between a call and the reading of the clock.
  for (int i = works_ && o.action == Action::iprobe ? 10 : 0; i > 0; --i) work(49'000'000);
  write(outcome_);
}

void Player::index_messages(const Program& program) {
  sent_.clear();
  for (int source = 0; source < ranks_; ++source) {
    for (const Operation& o : program.ranks[static_cast<std::size_t>(source)]) {
      if (o.out.message == 0) continue;
      int destination = nobody;
      if (o.communicator != newest && o.out.to != nobody)
        destination = members(o.communicator, source, ranks_)[static_cast<std::size_t>(o.out.to)];
      sent_[o.out.message] = {source, destination, o.out, o.communicator};
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

std::size_t Player::communicator(const Operation& o) const {
  return o.communicator == newest ? communicators_.size() - 1 : static_cast<std::size_t>(o.communicator);
}

int Player::source_in_world(std::size_t communicator, int rank) const {
  if (communicator < newest)
    return members(static_cast<int>(communicator), rank_, ranks_)[static_cast<std::size_t>(rank)];
  MPI_Group group;
  int world = nobody;
  MPI_Comm_group(communicators_[communicator], &group);
  MPI_Group_translate_ranks(group, 1, &rank, world_, &world);
  MPI_Group_free(&group);
  return world;
}

Error Player::error_of(int code) {
  int kind = MPI_SUCCESS;
  MPI_Error_class(code, &kind);
  return kind == MPIX_ERR_PROC_FAILED           ? Error::failed
         : kind == MPIX_ERR_PROC_FAILED_PENDING ? Error::pending
                                                : Error::none;
}

bool Player::went_well(int code) {
  const Error error = error_of(code);
  check(code == MPI_SUCCESS || error != Error::none, "an error of another kind");
  if (error != Error::none) outcome_.error = error;
  return error == Error::none;
}

void Player::operate(const Operation& o) {
  switch (o.action) {
    case Action::compute:
      works_ ? work(o.picoseconds) : emu_compute(static_cast<double>(o.picoseconds) * 1e-12);
      break;
    case Action::sleep:
      pause(o.picoseconds);
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
    case Action::isend_receive:
      start_send_receive(o);
      break;
    case Action::start_parts:
      start_parts(o);
      break;
    case Action::ready:
      MPI_Pready_range(o.low, o.high, pending_[static_cast<std::size_t>(o.slots.front())].request);
      break;
    case Action::receive_parts:
      receive_parts(o);
      break;
    case Action::arrived:
      arrived(o);
      break;
    case Action::cancel:
    case Action::take_back:
    case Action::receive_anew:
      cancel(o);
      break;
    case Action::probe:
    case Action::iprobe:
      probe(o);
      break;
    case Action::receive_found:
      receive_found(o, found_[static_cast<std::size_t>(o.slots.front())]);
      break;
    case Action::acknowledge:
    case Action::get_acknowledged:
    case Action::agree:
    case Action::shrink:
    case Action::detach:
      react(o);
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

void Player::receive(const Operation& o, int from, int tag) {
  std::vector<char> data(static_cast<std::size_t>(program_->bytes));
  MPI_Status status;
  if (went_well(MPI_Recv(data.data(), count(program_->bytes), MPI_BYTE, from, tag, comm(o), &status)))
    outcome_.completions.push_back(received(data.data(), communicator(o), status));
}

void Player::start_receive(const Operation& o) {
  Pending& p = begin(o);
  p.receive = true;
  p.data.resize(static_cast<std::size_t>(program_->bytes));
  if (o.again < 0)
    (o.persistent ? MPI_Recv_init : MPI_Irecv)(p.data.data(), count(program_->bytes), MPI_BYTE,
                                               mpi_source(o.in.from), mpi_tag(o.in.tag), comm(o), &p.request);
  if (o.persistent) MPI_Start(&p.request);
}

void Player::receive_found(const Operation& o, MPI_Message& message) {
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
  o.action == Action::take_back ? send(o) : receive(o, mpi_source(o.in.from), mpi_tag(o.in.tag));
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

void Player::completed(int slot, const MPI_Status& status, Error error) {
  Pending& p = pending_[static_cast<std::size_t>(slot)];
  Completion c;
  p.active = error == Error::pending;
  if (error == Error::none) end_collective(p);
  int cancelled = 0;
  if (error == Error::none) MPI_Test_cancelled(&status, &cancelled);
  if (p.receive && !cancelled && error == Error::none) c = received(p.data.data(), p.communicator, status);
  c.slot = slot;
  c.error = error;
  c.cancelled = cancelled;
  outcome_.completions.push_back(c);
}

}  // namespace emu::reference
