// The job's start and end, communicators, and what the program declares.
#include <cstdio>
#include <cstdlib>

#include "skeleton/recorder/recorder.h"

using namespace emu::skeleton;

namespace {

// A communicator that all ranks of `parent` have made together, whichever way: the one that MPI_Comm_split makes with the
// world rank of its first member as colour, and each member's place as key.
Call made(MPI_Comm parent, MPI_Comm child) {
  Call call;
  call.function = Function::communicator;
  call.comm = recorder.number(parent);
  call.slot = recorder.add(child);
  if (child == MPI_COMM_NULL) return call;
  PMPI_Comm_rank(child, &call.tag);
  MPI_Group members = MPI_GROUP_NULL, all = MPI_GROUP_NULL;
  PMPI_Comm_group(child, &members);
  PMPI_Comm_group(MPI_COMM_WORLD, &all);
  const int first = 0;
  PMPI_Group_translate_ranks(members, 1, &first, all, &call.peer);
  PMPI_Group_free(&members);
  PMPI_Group_free(&all);
  return call;
}

int leave_with(int code, bool recorded, MPI_Comm parent, const MPI_Comm* child) {
  if (recorded && code == MPI_SUCCESS)
    recorder.leave(made(parent, *child));
  else
    recorder.leave();
  return code;
}

}  // namespace

extern "C" {

int MPI_Init(int* argc, char*** argv) {
  EMU_NEXT(Init);
  const int code = next(argc, argv);
  recorder.start();
  return code;
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  EMU_NEXT(Init_thread);
  const int code = next(argc, argv, required, provided);
  recorder.start();
  return code;
}

int MPI_Finalize() {
  EMU_NEXT(Finalize);
  recorder.finish();
  return next();
}

void emu_declare_compute(double seconds) {
  // Natively there may be nobody behind.
  static const auto next = emu::next<void(double)>("emu_declare_compute");
  if (!next) return;
  recorder.declare(seconds);
  next(seconds);
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* made) {
  EMU_NEXT(Comm_dup);
  const bool recorded = recorder.enter();
  return leave_with(next(comm, made), recorded, comm, made);
}

int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* made) {
  EMU_NEXT(Comm_dup_with_info);
  const bool recorded = recorder.enter();
  return leave_with(next(comm, info, made), recorded, comm, made);
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* made) {
  EMU_NEXT(Comm_split);
  const bool recorded = recorder.enter();
  return leave_with(next(comm, color, key, made), recorded, comm, made);
}

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made) {
  EMU_NEXT(Comm_split_type);
  const bool recorded = recorder.enter();
  return leave_with(next(comm, type, key, info, made), recorded, comm, made);
}

int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* made) {
  EMU_NEXT(Comm_create);
  const bool recorded = recorder.enter();
  return leave_with(next(comm, group, made), recorded, comm, made);
}

int MPI_Cart_create(MPI_Comm comm, int dimensions, const int sizes[], const int periods[], int reorder,
                    MPI_Comm* made) {
  EMU_NEXT(Cart_create);
  const bool recorded = recorder.enter();
  return leave_with(next(comm, dimensions, sizes, periods, reorder, made), recorded, comm, made);
}

int MPI_Cart_sub(MPI_Comm comm, const int remain[], MPI_Comm* made) {
  EMU_NEXT(Cart_sub);
  const bool recorded = recorder.enter();
  return leave_with(next(comm, remain, made), recorded, comm, made);
}

int MPI_Graph_create(MPI_Comm comm, int nodes, const int index[], const int edges[], int reorder,
                     MPI_Comm* made) {
  EMU_NEXT(Graph_create);
  const bool recorded = recorder.enter();
  return leave_with(next(comm, nodes, index, edges, reorder, made), recorded, comm, made);
}

int MPI_Comm_free(MPI_Comm* comm) {
  EMU_NEXT(Comm_free);
  Call call;
  call.function = Function::free_communicator;
  call.slot = recorder.number(*comm);
  const bool recorded = recorder.enter();
  recorder.remove(*comm);
  const int code = next(comm);
  recorded ? recorder.leave(call) : recorder.leave();
  return code;
}

}  // extern "C"
