// Entry points of operations on files: as in mpi/entry.h, except that
//
//   return on_file(entry, file, [&](Rank& rank, File& f) { ... });
//
// is the last statement. An Error goes to the file's error handler. `if_none`: the error class for an invalid file.
#pragma once

#include <mpi.h>

#include "io/files.h"
#include "io/romio.h"
#include "mpi/objects.h"

namespace emu::mpi {

template <class Body>
int on_file(const Entry& entry, MPI_File handle, Body body, int if_none = MPI_ERR_FILE) {
  const std::shared_ptr<File> file = objects->files.find(handle);
  if (!file) return handle_error(entry.call(), MPI_FILE_NULL, Error{if_none, "no open file"});
  try {
    body(entry.rank(), *file);
    return MPI_SUCCESS;
  } catch (const Error& error) {
    return handle_error(entry.call(), handle, error);
  }
}

// For a call without a file.
template <class Body>
int on_no_file(const Entry& entry, Body body) {
  try {
    body(entry.rank());
    return MPI_SUCCESS;
  } catch (const Error& error) {
    return handle_error(entry.call(), MPI_FILE_NULL, error);
  }
}

}  // namespace emu::mpi
