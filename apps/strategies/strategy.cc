#include "strategy.h"

#include <algorithm>

#include "dynamic_masters.h"
#include "multiple_masters.h"
#include "single_master.h"

namespace strategies {
namespace {

Outcome run_single(const Workload& workload, std::int32_t task_items, bool go, MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  Outcome outcome;
  Range range;  // if it has no items, the master deals nothing, which stops the other ranks
  if (rank == master_rank && go) {
    range.count = workload.items();
    outcome.results.resize(range.count * workload.item_bytes());
    outcome.masters.assign(range.count, master_rank);
  }
  run_single_master(workload, whole(range, task_items), outcome.results, comm);
  return outcome;
}

}  // namespace

Outcome run(const Workload& workload, const Plan& plan, bool go, MPI_Comm comm) {
  // No task needs to be larger than the workload, so buffers need not be larger either.
  const std::int32_t task_items = std::min(plan.task_items, std::max(workload.items(), 1));
  switch (plan.kind) {
    case Kind::multiple:
      return run_multiple_masters(workload, {plan.masters, plan.dealing, task_items}, go, comm);
    case Kind::dynamic:
      return run_dynamic_masters(workload, task_items, plan.adaptation, go, comm);
    case Kind::single:
      break;
  }
  return run_single(workload, task_items, go, comm);
}

}  // namespace strategies
