// Files of the program. The handle of a file is one of a ROMIO file (MPICH's implementation of files) that this
// process has opened alone. Views, datatypes, data representations, hints, the individual pointer and error
// handlers are ROMIO's. State that ranks share is here: the members, the shared pointer, and the agreements of
// collective calls, by messages of the target. rank/semantics.md, "Files", defines the cost of each call.
#pragma once

#include <mpi.h>

#include <memory>
#include <string>
#include <unordered_map>

#include "comm/communicator.h"
#include "io/file_pointer.h"
#include "model/network.h"

namespace emu::rank {
class Rank;
}

namespace emu::mpi {

class SharedAccess;

struct File {
  MPI_File handle = MPI_FILE_NULL;
  std::string name;
  int mode = 0;                            // MPI_MODE_...
  Communicator members;                    // with its own context
  model::Bytes etype = 1;                  // bytes of an element of the view
  MPI_Offset shared = 0;                   // the shared pointer, in such elements: equal on all members
  std::unique_ptr<SharedPointer> pointer;  // for ranks that move it individually
  std::shared_ptr<SharedAccess> split;     // the pending split collective operation
  MPI_Status found{};                      // its status
};

class Files {
 public:
  // Null: unknown.
  std::shared_ptr<File> find(MPI_File handle) const;
  void add(std::shared_ptr<File> file);
  void remove(MPI_File handle);

 private:
  std::unordered_map<MPI_File, std::shared_ptr<File>> open_;
};

// Throws Error if `file` is open in MPI_MODE_SEQUENTIAL, which permits the shared
// pointer only. (The emulation itself uses other pointers for such files, too.)
void check_pointers(const File& file);

// The storage transfers `bytes` (0: no data). The call waits for the end.
void pay(rank::Rank& rank, model::Bytes bytes);
// Counts an access: it makes the prediction doubtful if the target does not describe its storage.
void note_access();
// `bytes` are about to be transferred: asks for the rank's turn, if the storage is shared.
void queue_up(model::Bytes bytes);

// Agreements of the members of a file, or of a new communicator. They throw Error if the failure of a
// member breaks them.
void barrier(rank::Rank& rank, const rank::Communicator& members);
// True if `value` is equal on all members.
bool same(rank::Rank& rank, const rank::Communicator& members, long value);
// The greatest error class of all members: MPI_SUCCESS is the least.
int worst(rank::Rank& rank, const rank::Communicator& members, int error_class);
// The value of the first member; those of others are ignored.
long of_first(rank::Rank& rank, const rank::Communicator& members, long value);

// The class of an error; MPI_SUCCESS if there is no error.
int class_of(int code);

}  // namespace emu::mpi
