// Start and end of the job, communicators, and declarations of the program.
#include <cstdio>
#include <cstdlib>

#include "skeleton/recorder/entries.h"
#include "skeleton/recorder/recorder.h"

using namespace emu::skeleton;

Call recorded::communicator(MPI_Comm parent, MPI_Comm child) {
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
  // Natively there may be no next definition.
  static const auto next = emu::next<void(double)>("emu_declare_compute");
  if (!next) return;
  recorder.declare(seconds);
  next(seconds);
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
