// What the predefined attributes say of the job: the process manager knows that. The others are MPICH's own.

#include <mpi.h>

#include <optional>

#include "mpi/entry.h"
#include "mpi/job.h"
#include "mpi/real.h"

using emu::mpi::process;

namespace {

// Asked once: the attribute's value is an address, and stays.
struct Answer {
  bool known = false;
  int value = 0;
};

template <class Ask>
Answer asked(Ask ask) {
  if (!emu::mpi::job().manager) return {};
  const auto number = ask(emu::mpi::manager());
  if (!number)
    emu::mpi::stop_job("rank " + std::to_string(process->number) + ": " + number.error().message, 1);
  return {number->has_value(), number->value_or(0)};
}

// Null: it is no attribute of the job's.
Answer* of_job(int key) {
  if (key == MPI_APPNUM) {
    static Answer& program = *new Answer(asked([](emu::wire::Pmi& manager) { return manager.program(); }));
    return &program;
  }
  if (key == MPI_UNIVERSE_SIZE) {
    static Answer& universe = *new Answer(asked([](emu::wire::Pmi& manager) { return manager.universe(); }));
    return &universe;
  }
  return nullptr;
}

// In Fortran a predefined attribute has another key, and its value is the number itself.
constexpr int in_c(int key_of_fortran) { return key_of_fortran - 1; }

// MPICH looks at the communicator; of the attribute it would only say that it is not there, or worse, look for a
// process manager itself.
template <class Look>
int get(MPI_Comm comm, int key, void* value, int* found, Look look) {
  Answer* const answer = !emu::mpi::active() || emu::mpi::inside() ? nullptr : of_job(key);
  if (!answer) return look(comm, key, value, found);
  void* ignored = nullptr;
  if (const int code = look(comm, MPI_TAG_UB, &ignored, found); code != MPI_SUCCESS) return code;
  *found = answer->known;
  if (answer->known) *static_cast<int**>(value) = &answer->value;
  return MPI_SUCCESS;
}

}  // namespace

extern "C" int MPI_Comm_get_attr(MPI_Comm comm, int key, void* value, int* found) {
  return get(comm, key, value, found, [](auto... all) { return PMPI_Comm_get_attr(all...); });
}

extern "C" int MPI_Attr_get(MPI_Comm comm, int key, void* value, int* found) {
  return get(comm, key, value, found, [](auto... all) { return PMPI_Attr_get(all...); });
}

// What MPICH's Fortran interface asks its library for.
extern "C" int MPII_Comm_get_attr(MPI_Comm comm, int key, void* value, int* found, int kind) {
  using Function = int(MPI_Comm, int, void*, int*, int);
  static Function* const look = emu::mpi::real<Function>(__func__);
  Answer* const answer = !emu::mpi::active() || emu::mpi::inside() ? nullptr : of_job(in_c(key));
  if (!answer) return look(comm, key, value, found, kind);
  if (const int code = look(comm, MPI_TAG_UB, value, found, kind); code != MPI_SUCCESS) return code;
  *found = answer->known;
  *static_cast<MPI_Aint*>(value) = answer->value;
  return MPI_SUCCESS;
}
