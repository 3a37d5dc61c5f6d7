// Persistent point-to-point requests: made once, started any number of times.

#include <mpi.h>

#include <memory>
#include <utility>

#include "mpi/convert.h"
#include "mpi/p2p.h"

using emu::mpi::Entry;
using emu::mpi::process;
using emu::rank::Mode;
using emu::rank::Rank;

namespace emu::mpi {

namespace {

using Plan = Requests::Plan;

// The datatype may be freed while the request lives.
std::unique_ptr<Plan> plan_with(const Elements& e) {
  auto plan = std::make_unique<Plan>();
  plan->buffer = buffer_of(e.address, e.count, e.type);
  keep_type(plan->buffer);
  return plan;
}

}  // namespace

// So may the communicator.
MPI_Request persistent_send(Rank& rank, const Elements& data, int to, int tag, MPI_Comm comm, Mode mode) {
  sending(comm, to, tag);
  auto plan = plan_with(data);
  plan->start = [&rank, plan = plan.get(), c = process->communicators.share(comm), to, tag, mode] {
    return rank.isend(*c, to, tag, borrowed(plan->buffer), mode);
  };
  return process->requests.add(std::move(plan), comm);
}

MPI_Request persistent_receive(Rank& rank, const Elements& into, int from, int tag, MPI_Comm comm) {
  receiving(comm, from, tag);
  auto plan = plan_with(into);
  plan->start = [&rank, plan = plan.get(), c = process->communicators.share(comm), from, tag] {
    return rank.ireceive(*c, from, tag, borrowed(plan->buffer));
  };
  return process->requests.add(std::move(plan), comm);
}

}  // namespace emu::mpi

extern "C" int MPI_Send_init(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                             MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Send_init(buf, count, type, dest, tag, comm, request);
  return entry.run(comm, [&](Rank& rank) {
    emu::mpi::present(request);
    *request = emu::mpi::persistent_send(rank, {buf, count, type}, dest, tag, comm, Mode::standard);
  });
}

extern "C" int MPI_Bsend_init(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                              MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Bsend_init(buf, count, type, dest, tag, comm, request);
  return entry.run(comm, [&](Rank& rank) {
    emu::mpi::present(request);
    *request = emu::mpi::persistent_send(rank, {buf, count, type}, dest, tag, comm, Mode::buffered);
  });
}

extern "C" int MPI_Ssend_init(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                              MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Ssend_init(buf, count, type, dest, tag, comm, request);
  return entry.run(comm, [&](Rank& rank) {
    emu::mpi::present(request);
    *request = emu::mpi::persistent_send(rank, {buf, count, type}, dest, tag, comm, Mode::synchronous);
  });
}

extern "C" int MPI_Rsend_init(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                              MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Rsend_init(buf, count, type, dest, tag, comm, request);
  return entry.run(comm, [&](Rank& rank) {
    emu::mpi::present(request);
    *request = emu::mpi::persistent_send(rank, {buf, count, type}, dest, tag, comm, Mode::standard);
  });
}

extern "C" int MPI_Recv_init(void* buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                             MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Recv_init(buf, count, type, source, tag, comm, request);
  return entry.run(comm, [&](Rank& rank) {
    emu::mpi::present(request);
    *request = emu::mpi::persistent_receive(rank, {buf, count, type}, source, tag, comm);
  });
}

extern "C" int MPI_Start(MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Start(request);
  return entry.run(MPI_COMM_WORLD, [&](Rank&) { process->requests.start(*request); });
}

extern "C" int MPI_Startall(int count, MPI_Request requests[]) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Startall(count, requests);
  return entry.run(MPI_COMM_WORLD, [&](Rank&) {
    if (count < 0) throw emu::mpi::Error{MPI_ERR_COUNT, "negative count " + std::to_string(count)};
    for (int i = 0; i < count; ++i) process->requests.start(requests[i]);
  });
}
