#include "deque.h"

namespace stealing {

Deque::Deque(MPI_Comm comm, int chunk, int chunks)
    : chunk_(static_cast<std::size_t>(chunk)),
      chunks_(chunks),
      memory_(cells + chunk_ * static_cast<std::size_t>(chunks)) {
  MPI_Comm_rank(comm, &rank_);
  MPI_Win_create(memory_.data(), static_cast<MPI_Aint>(memory_.size() * sizeof memory_[0]), sizeof memory_[0],
                 MPI_INFO_NULL, comm, &win_);
  MPI_Win_lock_all(0, win_);
}

Deque::~Deque() {
  MPI_Win_unlock_all(win_);
  MPI_Win_free(&win_);
}

std::optional<Node> Deque::pop() {
  if (own_.empty()) return std::nullopt;
  const Node node = own_.back();
  own_.pop_back();
  return node;
}

// Writes the nodes before the number of chunks. The number is written with an operation like those of thieves, so that
// a thief that sees it also sees the nodes.
void Deque::open() {
  static_assert(sizeof(Node) == sizeof(std::uint64_t));
  const auto at = cells + static_cast<std::size_t>(opened_) * chunk_;
  const int count = static_cast<int>(chunk_);
  MPI_Put(own_.data(), count, MPI_UINT64_T, rank_, static_cast<MPI_Aint>(at), count, MPI_UINT64_T, win_);
  MPI_Win_flush(rank_, win_);
  own_.erase(own_.begin(), own_.begin() + count);
  const std::int64_t more = ++opened_;
  MPI_Accumulate(&more, 1, MPI_INT64_T, rank_, opened, 1, MPI_INT64_T, MPI_REPLACE, win_);
  MPI_Win_flush(rank_, win_);
}

bool Deque::take(int victim) {
  std::int64_t state[cells] = {};
  MPI_Get_accumulate(nullptr, 0, MPI_INT64_T, state, cells, MPI_INT64_T, victim, 0, cells, MPI_INT64_T,
                     MPI_NO_OP, win_);
  MPI_Win_flush(victim, win_);
  if (state[gone] >= state[opened]) return false;
  const std::int64_t next = state[gone] + 1;
  std::int64_t before = 0;
  MPI_Compare_and_swap(&next, &state[gone], &before, MPI_INT64_T, victim, gone, win_);
  MPI_Win_flush(victim, win_);
  if (before != state[gone]) return false;
  std::vector<Node> taken(chunk_);
  const auto at = static_cast<MPI_Aint>(cells + static_cast<std::size_t>(before) * chunk_);
  const int count = static_cast<int>(chunk_);
  MPI_Get(taken.data(), count, MPI_UINT64_T, victim, at, count, MPI_UINT64_T, win_);
  MPI_Win_flush(victim, win_);
  own_.insert(own_.end(), taken.begin(), taken.end());
  return true;
}

}  // namespace stealing
