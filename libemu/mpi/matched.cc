// Matched probes: what they find is nobody else's any more, until it is received by its handle.

#include <mpi.h>

#include "mpi/convert.h"
#include "mpi/p2p.h"

using emu::mpi::check_failed;
using emu::mpi::Elements;
using emu::mpi::Entry;
using emu::mpi::process;
using emu::mpi::receiving;
using emu::mpi::set_status;
using emu::rank::Rank;
using emu::rank::Request;
using emu::rank::Status;

namespace emu::mpi {

namespace {

// The request is the caller's, with the communicator whose error handler is asked.
std::pair<Request*, MPI_Comm> start(Rank& rank, const Elements& into, MPI_Message* message) {
  const rank::Buffer buffer = buffer_of(into.address, into.count, into.type);
  if (*message == MPI_MESSAGE_NO_PROC) {
    *message = MPI_MESSAGE_NULL;
    return {
        rank.ireceive(process->communicators.find(MPI_COMM_SELF), rank::proc_null, match::any_tag, buffer),
        MPI_COMM_SELF};
  }
  const auto [found, comm] = process->messages.take(*message);
  *message = MPI_MESSAGE_NULL;
  return {rank.ireceive(found, buffer), comm};
}

void hand_out(const Status& found, match::Message* taken, MPI_Comm comm, MPI_Message* message,
              MPI_Status* status) {
  check_failed(found);
  *message = taken ? process->messages.add(taken, comm) : MPI_MESSAGE_NO_PROC;
  set_status(status, found);
}

}  // namespace

void receive_matched(Rank& rank, const Elements& into, MPI_Message* message, MPI_Status* status) {
  const auto [request, comm] = start(rank, into, message);
  Request* const waited = request;
  rank.wait_all({&waited, 1});
  const Status found = request->status;
  const model::Bytes room = request->buffer.bytes;
  rank.free(request);
  set_status(status, found);
  try {
    check_failed(found);
    check_fit(found, room);
  } catch (Error& error) {
    error.comm = comm;
    throw;
  }
}

MPI_Request ireceive_matched(Rank& rank, const Elements& into, MPI_Message* message) {
  const auto [request, comm] = start(rank, into, message);
  keep_type(*request);
  return process->requests.add(request, comm);
}

}  // namespace emu::mpi

extern "C" int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Mprobe(source, tag, comm, message, status);
  return entry.run(comm, [&](Rank& rank) {
    emu::mpi::present(message);
    emu::match::Message* taken = nullptr;
    const Status found = rank.probe(receiving(comm, source, tag), source, tag, &taken);
    emu::mpi::hand_out(found, taken, comm, message, status);
  });
}

extern "C" int MPI_Improbe(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message,
                           MPI_Status* status) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Improbe(source, tag, comm, flag, message, status);
  return entry.run(comm, [&](Rank& rank) {
    emu::mpi::present(flag);
    emu::mpi::present(message);
    emu::match::Message* taken = nullptr;
    const auto found = rank.iprobe(receiving(comm, source, tag), source, tag, &taken);
    *flag = found ? 1 : 0;
    *message = MPI_MESSAGE_NULL;
    if (found) emu::mpi::hand_out(*found, taken, comm, message, status);
  });
}

extern "C" int MPI_Mrecv(void* buf, int count, MPI_Datatype type, MPI_Message* message, MPI_Status* status) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Mrecv(buf, count, type, message, status);
  return entry.run(MPI_COMM_WORLD, [&](Rank& rank) {
    emu::mpi::receive_matched(rank, {buf, count, type}, message, status);
  });
}

extern "C" int MPI_Imrecv(void* buf, int count, MPI_Datatype type, MPI_Message* message,
                          MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Imrecv(buf, count, type, message, request);
  return entry.run(MPI_COMM_WORLD, [&](Rank& rank) {
    emu::mpi::present(request);
    *request = emu::mpi::ireceive_matched(rank, {buf, count, type}, message);
  });
}
