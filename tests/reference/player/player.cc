#include "reference/player/player.h"

#include <emu/emu.h>

#include <ctime>

namespace emu::reference {
namespace {

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
    : log_(log), works_(works), all_(all) {
  if (in_threads) helper_.emplace();
  if (notices) MPI_Comm_set_errhandler(all, MPI_ERRORS_RETURN);
  MPI_Comm_group(all, &world_);
  MPI_Comm_rank(all, &rank_);
  MPI_Comm_size(all, &ranks_);
  if (all == MPI_COMM_WORLD) {
    constexpr int room = 8 << 20;
    attached_ = std::make_unique_for_overwrite<char[]>(room);
    MPI_Buffer_attach(attached_.get(), room);
  }
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
  if (attached_) MPI_Buffer_detach(&address, &size);
  MPI_Group_free(&world_);
  for (MPI_Comm& comm : communicators_)
    if (comm != all_) MPI_Comm_free(&comm);
}

void Player::write(Outcome outcome) {
  outcome.clock = emu_picoseconds();
  if (works_) {  // for the trace: here the operation ends
    emu_interval_begin("read");
    emu_interval_end("read");
  }
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
    if (p.persistent && !p.active && p.request != MPI_REQUEST_NULL) MPI_Request_free(&p.request);
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
      receive(o);
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
    case Action::release:
      release(o);
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

}  // namespace emu::reference
