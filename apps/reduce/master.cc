#include "master.h"

namespace reduce {
namespace {

// Reading the clock takes about as long as asking for a message: it is read every so many times.
constexpr int polls_between_readings = 72;

int workers_in(MPI_Comm comm) {
  int ranks = 0;
  MPI_Comm_size(comm, &ranks);
  return ranks - 1;
}

}  // namespace

Master::Master(const Patience& patience, MPI_Comm comm)
    : patience_(patience),
      comm_(comm),
      workers_(workers_in(comm)),
      planner_(workers_, [this](int worker, const Order& order) { send(worker, order); }),
      heard_(workers_, 0.0) {}

void Master::send(int worker, const Order& order) const {
  MPI_Send(&order, sizeof order, MPI_BYTE, worker + 1, order_tag, comm_);
}

int Master::serve() {
  while (static_cast<int>(gone_.size()) < planner_.living()) {
    if (!planner_.busy() && gone_.empty()) {
      watching_ = false;
      hear();
      continue;
    }
    if (!watching_) {
      // Silence counts from here: who computes between reductions need not answer.
      watching_ = true;
      const double now = MPI_Wtime();
      heard_.assign(workers_, now);
      next_beat_ = now + patience_.heartbeat;
    }
    int there = 0;
    for (int i = 0; i < polls_between_readings && !there; ++i)
      MPI_Iprobe(MPI_ANY_SOURCE, report_tag, comm_, &there, MPI_STATUS_IGNORE);
    if (there) hear();
    if (const double now = MPI_Wtime(); now >= next_beat_) beat(now);
  }
  end();
  return workers_ - planner_.living();
}

void Master::hear() {
  Report report;
  MPI_Status status;
  MPI_Recv(&report, sizeof report, MPI_BYTE, MPI_ANY_SOURCE, report_tag, comm_, &status);
  const int worker = status.MPI_SOURCE - 1;
  if (planner_.failed_before(worker)) return;
  heard_[worker] = MPI_Wtime();
  if (report.kind == Report::bye) gone_.insert(worker);
  planner_.heard(worker, report);
}

void Master::beat(double now) {
  for (int worker = 0; worker < workers_; ++worker) {
    if (planner_.failed_before(worker)) continue;
    const double silent = now - heard_[worker];
    if (silent > patience_.limit) {
      gone_.erase(worker);
      planner_.failed(worker);
    } else if (silent >= patience_.heartbeat) {
      send(worker, {Order::ping, none, none, none, none, none});
    }
  }
  next_beat_ = now + patience_.heartbeat;
}

void Master::end() {
  for (int worker = 0; worker < workers_; ++worker) {
    if (planner_.failed_before(worker)) {
      send(worker, {Order::end, none, none, planner_.living(), none, none});
      continue;
    }
    for (int other = 0; other < workers_; ++other)
      if (planner_.failed_before(other)) send(worker, {Order::farewell, none, none, other, none, none});
    send(worker, {Order::end, none, none, none, none, none});
  }
}

}  // namespace reduce
