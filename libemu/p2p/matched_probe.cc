// Matched probes: a message that they find can be received only by its handle.

#include <mpi.h>

#include "mpi/calls.h"
#include "mpi/convert.h"
#include "mpi/objects.h"
#include "p2p/p2p.h"

namespace emu::mpi {

using rank::Rank;
using rank::Request;
using rank::Status;

namespace {

// Returns the request, which is the caller's, and the communicator of its error handler.
std::pair<Request*, MPI_Comm> start(Rank& rank, const Elements& into, MPI_Message* message) {
  const rank::Buffer buffer = buffer_of(into.address, into.count, into.type);
  if (*message == MPI_MESSAGE_NO_PROC) {
    *message = MPI_MESSAGE_NULL;
    return {
        rank.ireceive(objects->communicators.find(MPI_COMM_SELF), rank::proc_null, match::any_tag, buffer),
        MPI_COMM_SELF};
  }
  const auto [found, comm] = objects->messages.take(*message);
  *message = MPI_MESSAGE_NULL;
  return {rank.ireceive(found, buffer), comm};
}

void hand_out(const Status& found, match::Message* taken, MPI_Comm comm, MPI_Message* message,
              MPI_Status* status) {
  check_failed(found);
  *message = taken ? objects->messages.add(taken, comm) : MPI_MESSAGE_NO_PROC;
  set_status(status, found);
}

}  // namespace

void receive_matched(Rank& rank, const Elements& into, MPI_Message* message, MPI_Status* status) {
  check_status(status);
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
  return objects->requests.add(request, comm);
}

}  // namespace emu::mpi

namespace emu::mpi::calls {

void mprobe(Rank& rank, int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
  present(message);
  check_status(status);
  match::Message* taken = nullptr;
  const Status found = rank.probe(receiving(comm, source, tag), source, tag, &taken);
  hand_out(found, taken, comm, message, status);
}

void improbe(Rank& rank, int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message,
             MPI_Status* status) {
  present(flag);
  present(message);
  check_status(status);
  match::Message* taken = nullptr;
  const auto found = rank.iprobe(receiving(comm, source, tag), source, tag, &taken);
  *flag = found ? 1 : 0;
  *message = MPI_MESSAGE_NULL;
  if (found) hand_out(*found, taken, comm, message, status);
}

}  // namespace emu::mpi::calls
