// Calls of ROMIO, MPICH's part for files.
#pragma once

#include <mpi.h>

#include "mpi/entry.h"

namespace emu::mpi {

// ROMIO runs while this lives. It calls MPI itself, with communicators of this process alone. Errors come back to us,
// whatever the program wants to be done about them: that is done later, once.
class InRomio {
 public:
  explicit InRomio(MPI_File file = MPI_FILE_NULL);
  ~InRomio();
  InRomio(const InRomio&) = delete;

 private:
  MPI_File file_;
  MPI_Errhandler handler_ = MPI_ERRHANDLER_NULL;  // of the program; null: errors return
};

// `code`, ROMIO's, as an Error, if it is one.
void check_romio(int code);

// check_romio(call()), in ROMIO.
template <class Call>
void romio(MPI_File file, Call call) {
  const InRomio here(file);
  check_romio(call());
}

}  // namespace emu::mpi
