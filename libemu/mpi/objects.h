// The MPI objects of this process.
#pragma once

#include <memory>

#include "comm/groups.h"
#include "io/files.h"
#include "io/shared_storage.h"
#include "mpi/handles.h"
#include "rma/windows.h"

namespace emu::mpi {

// By the program's handles.
struct Objects {
  Requests requests;
  Messages messages;
  Communicators communicators;
  Groups groups;
  Windows windows;
  Files files;
  std::unique_ptr<SharedStorage> storage;  // if the target's is shared
};

// Those of `process`; made before it, in MPI_Init. (init.cc)
extern Objects* objects;

inline Communicator& communicator_of(MPI_Comm comm) { return objects->communicators.find(comm); }

}  // namespace emu::mpi
