#include "search.h"

#include <time.h>

#include <cstdint>
#include <iostream>

#include "deque.h"
#include "emu/emu.h"

namespace stealing {
namespace {

constexpr int most_chunks = 1 << 14;  // limit for each rank

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

void work(double seconds) {
  if (emu_active()) return emu_compute(seconds);
  for (const double end = cpu_seconds() + seconds; cpu_seconds() < end;) continue;
}

// The number of nodes left to visit, at rank 0; 0 when the search is over. A rank adds its new nodes, less the visited
// ones, before it opens a chunk and when it has nothing left. Until then its private nodes are counted as before.
class Left {
 public:
  explicit Left(MPI_Comm comm) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    count_ = rank == 0 ? 1 : 0;  // the root
    MPI_Win_create(&count_, sizeof count_, sizeof count_, MPI_INFO_NULL, comm, &win_);
    MPI_Win_lock_all(0, win_);
  }
  ~Left() {
    MPI_Win_unlock_all(win_);
    MPI_Win_free(&win_);
  }
  Left(const Left&) = delete;

  void change(int by) { untold_ += by; }
  // Adds this rank's change, and returns the number of nodes left according to all ranks.
  std::int64_t tell() {
    std::int64_t before = 0;
    MPI_Fetch_and_op(&untold_, &before, MPI_INT64_T, 0, 0, MPI_SUM, win_);
    MPI_Win_flush(0, win_);
    const std::int64_t after = before + untold_;
    untold_ = 0;
    if (after < 0) {
      std::cerr << "stealing: " << after
                << " nodes are left to visit by the counts of the ranks: the MPI library counted wrongly\n";
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return after;
  }

 private:
  // MPICH 4.0 on UCX may begin a window at the multiple of 16 bytes below the given address.
  alignas(16) std::int64_t count_ = 0;
  std::int64_t untold_ = 0;
  MPI_Win win_ = MPI_WIN_NULL;
};

class Worker {
 public:
  Worker(const Plan& plan, MPI_Comm comm) : plan_(plan), left_(comm), deque_(comm, plan.chunk, most_chunks) {
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &ranks_);
    drawn_ = static_cast<std::uint64_t>(rank_) + 1;
    if (rank_ == 0) deque_.push(plan.tree.root());
    MPI_Barrier(comm);
  }

  const Outcome& run() {
    do {
      visit_all();
    } while (find_more());
    return outcome_;
  }

 private:
  void visit_all() {
    while (const auto node = deque_.pop()) {
      work(plan_.cost);
      outcome_.found.visit(*node);
      const int children = plan_.tree.children(*node);
      for (int i = 0; i < children; ++i) deque_.push(plan_.tree.child(*node, i));
      left_.change(children - 1);
      if (!deque_.rich()) continue;
      left_.tell();
      while (deque_.rich()) deque_.open();
    }
  }
  // Takes the rank's own open chunks first. False: no rank has nodes left.
  bool find_more() {
    if (deque_.take(rank_)) return true;
    while (left_.tell() > 0) {
      for (int tries = 0; tries < 4 && ranks_ > 1; ++tries) {
        ++outcome_.attempts;
        if (!deque_.take(victim())) continue;
        ++outcome_.stolen;
        return true;
      }
      if (deque_.take(rank_)) return true;
    }
    return false;
  }
  // Another rank at random: xorshift (Marsaglia 2003), with a different sequence on each rank.
  int victim() {
    drawn_ ^= drawn_ << 13;
    drawn_ ^= drawn_ >> 7;
    drawn_ ^= drawn_ << 17;
    const auto others = static_cast<std::uint64_t>(ranks_ - 1);
    const int other = static_cast<int>((drawn_ >> 20) % others);
    return other < rank_ ? other : other + 1;
  }

  const Plan& plan_;
  int rank_ = 0, ranks_ = 1;
  std::uint64_t drawn_;
  Left left_;
  Deque deque_;
  Outcome outcome_;
};

}  // namespace

Outcome search(const Plan& plan, MPI_Comm comm) {
  Worker worker(plan, comm);
  const Outcome own = worker.run();
  const std::int64_t counts[] = {own.found.nodes, own.stolen, own.attempts};
  std::int64_t all[3] = {};
  Outcome outcome;
  MPI_Reduce(counts, all, 3, MPI_INT64_T, MPI_SUM, 0, comm);
  MPI_Reduce(&own.found.sum, &outcome.found.sum, 1, MPI_UINT64_T, MPI_SUM, 0, comm);
  outcome.found.nodes = all[0];
  outcome.stolen = all[1];
  outcome.attempts = all[2];
  return outcome;
}

}  // namespace stealing
