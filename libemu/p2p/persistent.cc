// Persistent point-to-point requests: created once, started any number of times.

#include <mpi.h>

#include <memory>
#include <utility>

#include "mpi/calls.h"
#include "mpi/convert.h"
#include "mpi/objects.h"
#include "p2p/p2p.h"

namespace emu::mpi {

using rank::Rank;

namespace {

using Plan = Requests::Plan;

// The program may free the datatype while the request exists.
std::unique_ptr<Plan> plan_with(const Elements& e) {
  auto plan = std::make_unique<Plan>();
  plan->buffer = buffer_of(e.address, e.count, e.type);
  keep_type(plan->buffer);
  return plan;
}

}  // namespace

// The program may also free the communicator.
MPI_Request persistent_send(Rank& rank, const Elements& data, int to, int tag, MPI_Comm comm,
                            rank::Mode mode) {
  sending(comm, to, tag);
  auto plan = plan_with(data);
  plan->start = [&rank, plan = plan.get(), c = objects->communicators.share(comm), to, tag, mode] {
    return rank.isend(*c, to, tag, borrowed(plan->buffer), mode);
  };
  return objects->requests.add(std::move(plan), comm);
}

MPI_Request persistent_receive(Rank& rank, const Elements& into, int from, int tag, MPI_Comm comm) {
  receiving(comm, from, tag);
  auto plan = plan_with(into);
  plan->start = [&rank, plan = plan.get(), c = objects->communicators.share(comm), from, tag] {
    return rank.ireceive(*c, from, tag, borrowed(plan->buffer));
  };
  return objects->requests.add(std::move(plan), comm);
}

}  // namespace emu::mpi

namespace emu::mpi::calls {

void start(Rank&, MPI_Request* request) { objects->requests.start(*request); }

void startall(Rank&, int count, MPI_Request requests[]) {
  if (count < 0) throw Error{MPI_ERR_COUNT, "negative count " + std::to_string(count)};
  for (int i = 0; i < count; ++i) objects->requests.start(requests[i]);
}

}  // namespace emu::mpi::calls
