// Hints for ROMIO, whatever the program hints at.
#pragma once

#include <mpi.h>

#include "io/file_entry.h"

namespace emu::mpi {

// Hints with which no rank touches bytes of others: ROMIO would read what is between the pieces of a write, and write
// it back, and a process that is alone in its file does not see who else is about to change it. Where one rank has opened
// the file `alone`, nobody else is.
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
    // Which processes take part, of nodes that are the target's: this one does.
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
