#include "schedule.h"

#include "advised.h"

namespace loops {
namespace {

constexpr int master_rank = 0;
constexpr int request_tag = 1;
constexpr int chunk_tag = 2;

struct Request {
  Chunk done;
  std::uint64_t sum = 0;
  double seconds = 0;  // time of the chunk, or of the probe if there was no chunk
};
static_assert(sizeof(Request) == 24, "what a request takes on the wire");

// The slaves' speeds are the inverse of the times of their probes. A probe that took no time gives no information.
std::vector<double> weights_of(const std::vector<double>& probes) {
  std::vector<double> weights;
  for (double seconds : probes) weights.push_back(seconds > 0 ? 1 / seconds : 1);
  return weights;
}

class Master {
 public:
  Master(const Loop& loop, const Plan& plan, int slaves, MPI_Comm comm)
      : loop_(loop), plan_(plan), slaves_(slaves), comm_(comm) {}

  Outcome run() {
    std::vector<double> weights = plan_.weights;
    if (plan_.rule == Rule::advised) {
      try_out();
    } else if (plan_.rule == Rule::weighted && weights.empty()) {
      // All probes must have arrived before the first chunk is cut.
      std::vector<double> probes(slaves_);
      for (int i = 0; i < slaves_; ++i) {
        MPI_Status status;
        const Request request = hear(status);
        probes[status.MPI_SOURCE - 1] = request.seconds;
      }
      weights = weights_of(probes);
      chunks_ = emu::advice::make_chunks(plan_.rule, end_, slaves_, weights, plan_.costs);
      for (int slave = 0; slave < slaves_; ++slave) deal(slave);
    } else {
      chunks_ = emu::advice::make_chunks(plan_.rule, end_, slaves_, weights, plan_.costs);
    }
    while (stopped_ != slaves_) {
      MPI_Status status;
      const Request request = hear(status);
      const int slave = status.MPI_SOURCE - 1;
      outcome_.sum += request.sum;
      if (needs_clock(plan_.rule)) chunks_->clock(MPI_Wtime());
      if (request.done.count != 0)
        chunks_->took(
            slave, request.done.count,
            by_turnaround_ ? MPI_Wtime() - dealt_at_[static_cast<std::size_t>(slave)] : request.seconds);
      deal(slave);
    }
    return std::move(outcome_);
  }

 private:
  Request hear(MPI_Status& status) {
    Request request;
    MPI_Recv(&request, sizeof request, MPI_BYTE, MPI_ANY_SOURCE, request_tag, comm_, &status);
    return request;
  }
  // The master itself computes the last iterations.
  void try_out() {
    const std::int32_t count = emu::advice::tried_out(end_);
    end_ -= count;
    const double start = MPI_Wtime();
    outcome_.sum += loop_.run(end_, count);
    const double seconds = (MPI_Wtime() - start) / count;
    outcome_.dealt.push_back({{end_, count}, master_rank});
    const auto ask = [](const emu_loop& rest, emu_advice& advice) {
      return emu_advise(&rest, &advice, nullptr, 0) == EMU_ADVICE_FOUND;
    };
    chunks_ = std::make_unique<Advised>(end_, slaves_, ask, seconds);
  }
  void deal(int slave) {
    Chunk chunk{next_, 0};
    if (next_ < end_) chunk.count = chunks_->next(slave, end_ - next_);
    next_ += chunk.count;
    if (by_turnaround_) dealt_at_[static_cast<std::size_t>(slave)] = MPI_Wtime();
    MPI_Send(&chunk, sizeof chunk, MPI_BYTE, slave + 1, chunk_tag, comm_);
    if (chunk.count == 0)
      ++stopped_;
    else
      outcome_.dealt.push_back({chunk, slave + 1});
  }

  const Loop& loop_;
  const Plan& plan_;
  const int slaves_;
  const MPI_Comm comm_;
  const bool by_turnaround_ = needs_turnaround(plan_.rule);
  std::vector<double> dealt_at_ = std::vector<double>(
      static_cast<std::size_t>(slaves_));  // by slave: when its chunk was dealt, by MPI_Wtime
  std::unique_ptr<Chunks> chunks_;
  std::int32_t next_ = 0, end_ = loop_.iterations();  // range of the iterations to be dealt
  int stopped_ = 0;
  Outcome outcome_;
};

void slave(const Loop& loop, const Plan& plan, MPI_Comm comm) {
  Request request;
  if (plan.rule == Rule::weighted && plan.weights.empty()) {
    const double start = MPI_Wtime();
    work(plan.probe);
    request.seconds = MPI_Wtime() - start;
  }
  while (true) {
    MPI_Send(&request, sizeof request, MPI_BYTE, master_rank, request_tag, comm);
    MPI_Recv(&request.done, sizeof request.done, MPI_BYTE, master_rank, chunk_tag, comm, MPI_STATUS_IGNORE);
    if (request.done.count == 0) return;
    const double start = MPI_Wtime();
    request.sum = loop.run(request.done.first, request.done.count);
    request.seconds = MPI_Wtime() - start;
  }
}

}  // namespace

Outcome run(const Loop& loop, const Plan& plan, MPI_Comm comm) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  if (ranks == 1) {
    const Chunk all{0, loop.iterations()};
    return {loop.run(all.first, all.count), {{all, master_rank}}};
  }
  if (plan.counter == Counter::one_sided) return run_by_counter(loop, plan, comm);
  if (rank == master_rank) return Master(loop, plan, ranks - 1, comm).run();
  slave(loop, plan, comm);
  return {};
}

}  // namespace loops
