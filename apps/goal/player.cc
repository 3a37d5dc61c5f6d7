#include "player.h"

#include <algorithm>
#include <functional>
#include <limits>

#include "emu/emu.h"

namespace emu::goal {
namespace {

// emu_compute takes seconds as double and rounds to picoseconds. Up to 1000 s a double is within a fraction
// of a picosecond, so the sum of such pieces is exact.
void compute(std::int64_t picoseconds) {
  constexpr std::int64_t piece = 1'000'000'000'000'000;
  for (; picoseconds > piece; picoseconds -= piece) emu_compute(1000.0);
  emu_compute(static_cast<double>(picoseconds) / 1e12);
}

}  // namespace

bool fits_in_picoseconds(const Schedule& schedule, std::int64_t unit) {
  for (const std::vector<Operation>& operations : schedule.ranks) {
    for (const Operation& op : operations) {
      if (op.kind == Kind::compute && op.amount > std::numeric_limits<std::int64_t>::max() / 2 / unit)
        return false;
    }
  }
  return true;
}

Player::Player(const std::vector<Operation>& operations, std::int64_t unit, MPI_Comm comm)
    : operations_(operations),
      unit_(unit),
      comm_(comm),
      after_start_(operations.size()),
      after_end_(operations.size()),
      missing_(operations.size()) {
  for (int i = 0; i < static_cast<int>(operations.size()); ++i) {
    for (int on : operations[i].requires_) after_end_[on].push_back(i);
    for (int on : operations[i].irequires) after_start_[on].push_back(i);
    missing_[i] = static_cast<int>(operations[i].requires_.size() + operations[i].irequires.size());
    if (missing_[i] == 0) ready_.push_back(i);  // ascending, so a heap already
  }
}

void Player::play() {
  while (!ready_.empty() || !requests_.empty()) {
    if (ready_.empty()) {
      wait_for_one();
      continue;
    }
    std::pop_heap(ready_.begin(), ready_.end(), std::greater<>());
    const int index = ready_.back();
    ready_.pop_back();
    run(index);
  }
}

void Player::run(int index) {
  const Operation& op = operations_[index];
  const bool blocking = op.kind == Kind::compute || alone(index);
  if (op.kind == Kind::compute) {
    compute(op.amount * unit_);
  } else {
    start_message(index, blocking);
  }
  release(after_start_[index]);
  if (blocking) release(after_end_[index]);
}

// Nothing is under way or ready, and its start makes nothing ready.
bool Player::alone(int index) const {
  return requests_.empty() && ready_.empty() && after_start_[index].empty();
}

void Player::start_message(int index, bool blocking) {
  const Operation& op = operations_[index];
  const int count = static_cast<int>(op.amount);
  if (blocking) {
    if (scratch_.size() < static_cast<std::size_t>(count)) scratch_.resize(count);
    if (op.kind == Kind::send) {
      MPI_Send(scratch_.data(), count, MPI_BYTE, op.peer, op.tag, comm_);
    } else {
      MPI_Recv(scratch_.data(), count, MPI_BYTE, op.peer, op.tag, comm_, MPI_STATUS_IGNORE);
    }
    return;
  }
  buffers_.emplace_back(count);
  request_of_.push_back(index);
  MPI_Request& request = requests_.emplace_back();
  if (op.kind == Kind::send) {
    MPI_Isend(buffers_.back().data(), count, MPI_BYTE, op.peer, op.tag, comm_, &request);
  } else {
    MPI_Irecv(buffers_.back().data(), count, MPI_BYTE, op.peer, op.tag, comm_, &request);
  }
}

void Player::wait_for_one() {
  int at = 0;
  MPI_Waitany(static_cast<int>(requests_.size()), requests_.data(), &at, MPI_STATUS_IGNORE);
  const int index = request_of_[at];
  requests_.erase(requests_.begin() + at);
  request_of_.erase(request_of_.begin() + at);
  buffers_.erase(buffers_.begin() + at);
  release(after_end_[index]);
}

void Player::release(const std::vector<int>& dependents) {
  for (int next : dependents) {
    if (--missing_[next] != 0) continue;
    ready_.push_back(next);
    std::push_heap(ready_.begin(), ready_.end(), std::greater<>());
  }
}

}  // namespace emu::goal
