// The three forms of a collective operation. `prepare` fills in the call with the program's arguments
// (mpi/functions/prepare.h.in). Each function returns the result of the entry point.
#pragma once

#include <mpi.h>

#include <memory>
#include <utility>

#include "collective/collective_call.h"
#include "mpi/objects.h"

namespace emu::mpi {

// Blocking: returns when this rank's part is done.
template <class Prepare>
int blocking(const Entry& entry, MPI_Comm comm, Prepare prepare) {
  return entry.run(comm, [&](rank::Rank& rank) {
    CollectiveCall call(comm);
    prepare(call);
    call.run(rank);
  });
}

// Nonblocking: continues in the background, under `request`.
template <class Prepare>
int background(const Entry& entry, MPI_Comm comm, MPI_Request* request, Prepare prepare) {
  return entry.run(comm, [&](rank::Rank& rank) {
    present(request);
    auto call = std::make_unique<CollectiveCall>(comm);
    prepare(*call);
    rank::Request* const started = call->start(rank);
    *request = objects->requests.add(started, comm, std::move(call));
  });
}

// Persistent: MPI_Start begins it, any number of times.
template <class Prepare>
int persistent(const Entry& entry, MPI_Comm comm, MPI_Request* request, Prepare prepare) {
  return entry.run(comm, [&](rank::Rank& rank) {
    present(request);
    auto call = std::make_unique<CollectiveCall>(comm);
    prepare(*call);
    call->keep();
    auto plan = std::make_unique<Requests::Plan>();
    plan->start = [&rank, call = call.get()] { return call->start(rank); };
    *request = objects->requests.add(std::move(plan), comm, std::move(call));
  });
}

}  // namespace emu::mpi
