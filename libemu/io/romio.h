// Calls of ROMIO, MPICH's implementation of files.
#pragma once

#include <mpi.h>

#include "mpi/entry.h"

namespace emu::mpi {

// Scope of a call of ROMIO, which itself calls MPI with communicators of this process alone. Errors
// are returned to libemu, whatever handler the program has set: the handler is called later, once.
class InRomio {
 public:
  explicit InRomio(MPI_File file = MPI_FILE_NULL);
  ~InRomio();
  InRomio(const InRomio&) = delete;

 private:
  MPI_File file_;
  MPI_Errhandler handler_ = MPI_ERRHANDLER_NULL;  // of the program; null: errors return
};

// Throws Error if `code`, from ROMIO, is an error.
void check_romio(int code);

// check_romio(call()), within ROMIO.
template <class Call>
void romio(MPI_File file, Call call) {
  const InRomio here(file);
  check_romio(call());
}

}  // namespace emu::mpi
