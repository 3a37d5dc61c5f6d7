// Files as the program has them: behind each handle stands a file of ROMIO's (MPICH's part for files) that this process
// has opened alone. Views, datatypes, representations of data, hints, the individual pointer and error handlers are
// ROMIO's. What several ranks have in common is here: who they are, the shared pointer, and what a collective call
// agrees on, in messages of the target. rank/semantics.md, "Files", says what each call costs.
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
  Communicator members;                    // with a context of its own
  model::Bytes etype = 1;                  // bytes of an element of the view
  MPI_Offset shared = 0;                   // the shared pointer, in such elements: the same on all
  std::unique_ptr<SharedPointer> pointer;  // that, if ranks may move it alone
  std::shared_ptr<SharedAccess> split;     // the split collective operation that is under way
  MPI_Status found{};                      // of that
};

class Files {
 public:
  // Null: there is no such file.
  std::shared_ptr<File> find(MPI_File handle) const;
  void add(std::shared_ptr<File> file);
  void remove(MPI_File handle);

 private:
  std::unordered_map<MPI_File, std::shared_ptr<File>> open_;
};

// What the program asks for is done with files that are open in MPI_MODE_SEQUENTIAL, too, only by the shared pointer. Throws
// Error if `file` is.
void check_pointers(const File& file);

// The storage takes `bytes`; 0: what is no data. The call waits for it.
void pay(rank::Rank& rank, model::Bytes bytes);
// The storage is asked: where the target says nothing of it, that is to be doubted.
void note_access();
// It is about to take `bytes`: where it is shared, its turn is asked for.
void queue_up(model::Bytes bytes);

// Agreements of the file's members, or those of a communicator that is about to be; they throw Error if the failure of a
// member breaks them.
void barrier(rank::Rank& rank, const rank::Communicator& members);
// Whether `value` is the same on all.
bool same(rank::Rank& rank, const rank::Communicator& members, long value);
// The greatest error class of all: MPI_SUCCESS is the least.
int worst(rank::Rank& rank, const rank::Communicator& members, int error_class);
// What the first member has; the others' is not looked at.
long of_first(rank::Rank& rank, const rank::Communicator& members, long value);

// The class of an error; MPI_SUCCESS of no error.
int class_of(int code);

}  // namespace emu::mpi
