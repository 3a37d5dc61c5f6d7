#include "dynamic_masters.h"

#include <cstring>

#include "dynamic_master.h"
#include "single_master.h"

namespace strategies {
namespace {

using dynamic::Master;
using dynamic::Order;
using dynamic::Report;
using dynamic::Setting;

constexpr int first_master = 0;

// Time of a round trip between ranks 0 and 1, before other communication begins.
double measure_round_trip(int rank, MPI_Comm comm) {
  double trip = 0;
  Order order;
  Report report;
  if (rank == first_master) {
    const double start = MPI_Wtime();
    MPI_Send(&order, sizeof order, MPI_BYTE, 1, dynamic::order_tag, comm);
    MPI_Recv(&report, sizeof report, MPI_BYTE, 1, dynamic::report_tag, comm, MPI_STATUS_IGNORE);
    trip = MPI_Wtime() - start;
  } else if (rank == 1) {
    MPI_Recv(&order, sizeof order, MPI_BYTE, first_master, dynamic::order_tag, comm, MPI_STATUS_IGNORE);
    MPI_Send(&report, sizeof report, MPI_BYTE, first_master, dynamic::report_tag, comm);
  }
  MPI_Bcast(&trip, 1, MPI_DOUBLE, first_master, comm);
  return trip;
}

// Obeys its present master until it is stopped.
class Slave {
 public:
  explicit Slave(const Setting& setting)
      : setting_(setting), message_(sizeof(Report) + setting.task_items * setting.workload.item_bytes()) {}

  void run() {
    while (true) {
      Order order;
      MPI_Recv(&order, sizeof order, MPI_BYTE, master_, dynamic::order_tag, setting_.comm, MPI_STATUS_IGNORE);
      const float waited = asked_ < 0 ? -1 : static_cast<float>(MPI_Wtime() - asked_);
      switch (order.kind) {
        case Order::work:
          work(order.range, waited);
          break;
        case Order::join:
          join(order.peer);
          break;
        case Order::lead:
          lead(order);
          break;
        case Order::stop:
          return;
      }
    }
  }

 private:
  void work(Range task, float waited) {
    const std::size_t size = task.count * setting_.workload.item_bytes();
    setting_.workload.compute(task, std::span(message_).subspan(sizeof(Report), size));
    const Report report{Report::result, task, 0, 0, waited};
    std::memcpy(message_.data(), &report, sizeof report);
    asked_ = MPI_Wtime();
    MPI_Send(message_.data(), static_cast<int>(sizeof report + size), MPI_BYTE, master_, dynamic::report_tag,
             setting_.comm);
  }
  void join(int master) {
    master_ = master;
    asked_ = -1;  // the new master may not be ready yet, so this wait does not count
    const Report report;
    MPI_Send(&report, sizeof report, MPI_BYTE, master_, dynamic::report_tag, setting_.comm);
  }
  void lead(const Order& order) {
    Master master(setting_, order.range, order.peer, master_);
    master.serve();
    master.go_back();
    asked_ = -1;
  }

  const Setting& setting_;
  std::vector<std::byte> message_;
  int master_ = first_master;
  double asked_ = -1;
};

Outcome lead_all(const Setting& setting, bool go, int ranks) {
  const Range all{0, go ? setting.workload.items() : 0};
  Master master(setting, all, ranks - 1, std::nullopt);
  for (int slave = 1; slave < ranks; ++slave) master.begin_with(slave);
  master.serve();
  master.stop_all();
  return {std::move(master.block().results()), std::move(master.block().masters()), master.splits(),
          master.merges()};
}

}  // namespace

Outcome run_dynamic_masters(const Workload& workload, std::int32_t task_items, const Adaptation& adaptation,
                            bool go, MPI_Comm comm) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  if (ranks == 1) {
    if (!go) return {};
    Outcome outcome{std::vector<std::byte>(workload.items() * workload.item_bytes()),
                    std::vector<std::int32_t>(workload.items(), first_master)};
    run_single_master(workload, whole({0, workload.items()}, task_items), outcome.results, comm);
    return outcome;
  }
  const Setting setting{workload, task_items, adaptation, measure_round_trip(rank, comm), comm};
  if (rank == first_master) return lead_all(setting, go, ranks);
  Slave(setting).run();
  return {};
}

}  // namespace strategies
