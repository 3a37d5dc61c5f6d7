// Hints for ROMIO, which replace those of the program.
#pragma once

#include <mpi.h>

#include "io/file_entry.h"

namespace emu::mpi {

// With these hints no rank touches bytes of other ranks. Otherwise ROMIO would read the gaps
// between the pieces of a write and write them back, and a process that has opened its file alone
// does not know of changes by others. If one rank has opened the file `alone`, there are no others.
class Hints {
 public:
  Hints(MPI_Info of_program, bool alone) {
    if (of_program == MPI_INFO_NULL)
      PMPI_Info_create(&info_);
    else if (const int code = PMPI_Info_dup(of_program, &info_); code != MPI_SUCCESS)
      throw Error{code, "invalid info"};
    if (!alone) PMPI_Info_set(info_, "romio_ds_write", "disable");
    for (const char* together : {"romio_cb_write", "romio_cb_read"})
      PMPI_Info_set(info_, together, "disable");
    PMPI_Info_set(info_, "romio_no_indep_rw", "false");
    // These hints select processes by nodes, which are the target's: only this process takes part.
    for (const char* key : {"cb_config_list", "cb_nodes"})
      if (info_has(key)) PMPI_Info_delete(info_, key);
  }
  ~Hints() { PMPI_Info_free(&info_); }
  Hints(const Hints&) = delete;
  MPI_Info get() const { return info_; }

 private:
  bool info_has(const char* key) const {
    int length = 0, found = 0;
    PMPI_Info_get_valuelen(info_, key, &length, &found);
    return found != 0;
  }

  MPI_Info info_ = MPI_INFO_NULL;
};

}  // namespace emu::mpi
