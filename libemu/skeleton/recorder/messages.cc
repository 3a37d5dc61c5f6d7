// Sends and receives.
#include <cstdio>
#include <cstdlib>

#include "skeleton/recorder/recorder.h"

using namespace emu::skeleton;

namespace {

Call message(Function function, std::int64_t count, MPI_Datatype type, int peer, int tag, MPI_Comm comm) {
  Call call;
  call.function = function;
  call.comm = recorder.number(comm);
  call.peer = peer_of(peer);
  call.tag = tag_of(tag);
  if (call.peer != none && sends(function)) call.bytes = bytes_of(count, type);
  return call;
}

// A probe with a source of any that was answered: the receive that follows it by name is one from any source.
struct {
  bool there = false;
  int source = 0;
  std::int32_t comm = 0;
} probed;

void answered(int source, MPI_Comm comm, const MPI_Status& status) {
  probed = {source == MPI_ANY_SOURCE, status.MPI_SOURCE, recorder.number(comm)};
}

}  // namespace

#define EMU_SEND(NAME, FUNCTION)                                                                           \
  int MPI_##NAME(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {       \
    EMU_NEXT(NAME);                                                                                        \
    const bool recorded = recorder.enter();                                                                \
    const int code = next(buffer, count, type, to, tag, comm);                                             \
    recorded ? recorder.leave(message(Function::FUNCTION, count, type, to, tag, comm)) : recorder.leave(); \
    return code;                                                                                           \
  }
#define EMU_ISEND(NAME, FUNCTION)                                                                  \
  int MPI_##NAME(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, \
                 MPI_Request* request) {                                                           \
    EMU_NEXT(NAME);                                                                                \
    const bool recorded = recorder.enter();                                                        \
    const int code = next(buffer, count, type, to, tag, comm, request);                            \
    if (!recorded) {                                                                               \
      recorder.leave();                                                                            \
      return code;                                                                                 \
    }                                                                                              \
    Call call = message(Function::FUNCTION, count, type, to, tag, comm);                           \
    call.slot = recorder.begin_request(*request);                                                  \
    recorder.leave(call);                                                                          \
    return code;                                                                                   \
  }

extern "C" {

EMU_SEND(Send, send)
EMU_SEND(Bsend, bsend)
EMU_SEND(Ssend, ssend)
EMU_SEND(Rsend, rsend)
EMU_ISEND(Isend, isend)
EMU_ISEND(Ibsend, ibsend)
EMU_ISEND(Issend, issend)
EMU_ISEND(Irsend, irsend)

int MPI_Recv(void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
             MPI_Status* status) {
  EMU_NEXT(Recv);
  MPI_Status own;
  MPI_Status* const where = status == MPI_STATUS_IGNORE ? &own : status;
  const bool recorded = recorder.enter();
  const int code = next(buffer, count, type, from, tag, comm, where);
  if (!recorded) {
    recorder.leave();
    return code;
  }
  Call call = message(Function::recv, count, type, from, tag, comm);
  if (probed.there && probed.source == from && probed.comm == call.comm) call.peer = any;
  probed.there = false;
  if (call.peer == any) call.source = code == MPI_SUCCESS ? where->MPI_SOURCE : unknown;
  recorder.leave(call);
  return code;
}

int MPI_Irecv(void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request* request) {
  EMU_NEXT(Irecv);
  const bool recorded = recorder.enter();
  const int code = next(buffer, count, type, from, tag, comm, request);
  if (!recorded) {
    recorder.leave();
    return code;
  }
  Call call = message(Function::irecv, count, type, from, tag, comm);
  call.slot = recorder.begin_request(*request, from == MPI_ANY_SOURCE);
  recorder.leave(call);
  return code;
}

int MPI_Sendrecv(const void* out, int out_count, MPI_Datatype out_type, int to, int out_tag, void* in,
                 int in_count, MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm,
                 MPI_Status* status) {
  EMU_NEXT(Sendrecv);
  const bool recorded = recorder.enter();
  const int code =
      next(out, out_count, out_type, to, out_tag, in, in_count, in_type, from, in_tag, comm, status);
  if (!recorded) {
    recorder.leave();
    return code;
  }
  Call call = message(Function::sendrecv, out_count, out_type, to, out_tag, comm);
  call.source = peer_of(from);
  call.source_tag = tag_of(in_tag);
  recorder.leave(call);
  return code;
}

int MPI_Sendrecv_replace(void* buffer, int count, MPI_Datatype type, int to, int out_tag, int from,
                         int in_tag, MPI_Comm comm, MPI_Status* status) {
  EMU_NEXT(Sendrecv_replace);
  const bool recorded = recorder.enter();
  const int code = next(buffer, count, type, to, out_tag, from, in_tag, comm, status);
  if (!recorded) {
    recorder.leave();
    return code;
  }
  Call call = message(Function::sendrecv, count, type, to, out_tag, comm);
  call.source = peer_of(from);
  call.source_tag = tag_of(in_tag);
  recorder.leave(call);
  return code;
}

// Probes are no events: the receive that follows waits as long.
int MPI_Probe(int from, int tag, MPI_Comm comm, MPI_Status* status) {
  EMU_NEXT(Probe);
  MPI_Status own;
  MPI_Status* const where = status == MPI_STATUS_IGNORE ? &own : status;
  const bool recorded = recorder.enter();
  const int code = next(from, tag, comm, where);
  if (recorded && code == MPI_SUCCESS) answered(from, comm, *where);
  recorder.leave();
  return code;
}

int MPI_Iprobe(int from, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  EMU_NEXT(Iprobe);
  MPI_Status own;
  MPI_Status* const where = status == MPI_STATUS_IGNORE ? &own : status;
  const bool recorded = recorder.enter();
  const int code = next(from, tag, comm, flag, where);
  if (recorded && code == MPI_SUCCESS && *flag) answered(from, comm, *where);
  recorder.leave();
  return code;
}

}  // extern "C"
