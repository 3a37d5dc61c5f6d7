// Sends and receives: their records, and the entry points that have to examine the message found.
#include <cstdio>
#include <cstdlib>

#include "skeleton/recorder/entries.h"
#include "skeleton/recorder/recorder.h"

using namespace emu::skeleton;

namespace {

// A successful probe of any source: a following receive that names this source counts as one from any source.
struct {
  bool there = false;
  int source = 0;
  std::int32_t comm = 0;
} probed;

void answered(int source, MPI_Comm comm, const MPI_Status& status) {
  probed = {source == MPI_ANY_SOURCE, status.MPI_SOURCE, recorder.number(comm)};
}

}  // namespace

namespace emu::skeleton::recorded {

Call message(Function function, const Elements& data, int peer, int tag, MPI_Comm comm) {
  Call call;
  call.function = function;
  call.comm = recorder.number(comm);
  call.peer = peer_of(peer);
  call.tag = tag_of(tag);
  if (call.peer != none && sends(function)) call.bytes = bytes_of(data.count, data.type);
  return call;
}

Call begun(Function function, const Elements& data, int peer, int tag, MPI_Comm comm, MPI_Request request) {
  Call call = message(function, data, peer, tag, comm);
  call.slot = recorder.begin_request(request, peer == MPI_ANY_SOURCE);
  return call;
}

Call sendrecv_replace(const Elements& data, int to, int out_tag, int from, int in_tag, MPI_Comm comm) {
  Call call = message(Function::sendrecv, data, to, out_tag, comm);
  call.source = peer_of(from);
  call.source_tag = tag_of(in_tag);
  return call;
}

Call sendrecv(const Elements& out, int to, int out_tag, const Elements&, int from, int in_tag,
              MPI_Comm comm) {
  return sendrecv_replace(out, to, out_tag, from, in_tag, comm);
}

}  // namespace emu::skeleton::recorded

extern "C" {

int MPI_Recv(void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
             MPI_Status* status) {
  EMU_NEXT(Recv);
  MPI_Status found;
  MPI_Status* const where = status == MPI_STATUS_IGNORE ? &found : status;
  const bool own = recorder.enter();
  const int code = next(buffer, count, type, from, tag, comm, where);
  if (!own) {
    recorder.leave();
    return code;
  }
  Call call = recorded::message(Function::recv, {buffer, count, type}, from, tag, comm);
  if (probed.there && probed.source == from && probed.comm == call.comm) call.peer = any;
  probed.there = false;
  if (call.peer == any) call.source = code == MPI_SUCCESS ? where->MPI_SOURCE : unknown;
  recorder.leave(call);
  return code;
}

// Probes are not events: the following receive waits as long.
int MPI_Probe(int from, int tag, MPI_Comm comm, MPI_Status* status) {
  EMU_NEXT(Probe);
  MPI_Status found;
  MPI_Status* const where = status == MPI_STATUS_IGNORE ? &found : status;
  const bool own = recorder.enter();
  const int code = next(from, tag, comm, where);
  if (own && code == MPI_SUCCESS) answered(from, comm, *where);
  recorder.leave();
  return code;
}

int MPI_Iprobe(int from, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  EMU_NEXT(Iprobe);
  MPI_Status found;
  MPI_Status* const where = status == MPI_STATUS_IGNORE ? &found : status;
  const bool own = recorder.enter();
  const int code = next(from, tag, comm, flag, where);
  if (own && code == MPI_SUCCESS && *flag) answered(from, comm, *where);
  recorder.leave();
  return code;
}

}  // extern "C"
