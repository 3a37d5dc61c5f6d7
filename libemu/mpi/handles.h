// The program's handles and what they stand for.
#pragma once

#include <mpi.h>

#include <memory>
#include <unordered_map>
#include <vector>

#include "rank/communicator.h"
#include "rank/request.h"

namespace emu::mpi {

// MPI_Request handles of emulated operations: numbers that MPICH itself never gives out (the two highest bits
// of its handles are not both zero, but for null handles).
class Requests {
 public:
  struct Entry {
    rank::Request* request = nullptr;
    MPI_Comm comm = MPI_COMM_NULL;  // whose error handler is asked
  };

  MPI_Request add(rank::Request* request, MPI_Comm comm);
  // Throws Error for a handle that is none of ours. Null requests give an empty entry.
  Entry find(MPI_Request handle) const;
  void remove(MPI_Request handle);
  std::size_t active() const { return entries_.size() - spare_.size(); }

  // The program frees `comm`. True if requests still need its error handler: then the library's goes later, when
  // none does and another request begins.
  bool keep(MPI_Comm comm);

 private:
  bool used(MPI_Comm comm) const;
  [[gnu::cold]] void let_go();
  std::vector<Entry> entries_;
  std::vector<int> spare_;
  std::vector<MPI_Comm> kept_;  // freed by the program, in use by requests
};

class Communicators {
 public:
  // Throws Error for a communicator that is not known.
  rank::Communicator& find(MPI_Comm comm) const;
  // MPI_COMM_WORLD and MPI_COMM_SELF, at the start.
  void add_predefined(int number, int size);
  // A communicator that was just created by all its members: they agree on a name for its traffic (in real
  // time).
  void add(MPI_Comm comm);
  void remove(MPI_Comm comm);

 private:
  std::unordered_map<MPI_Comm, std::unique_ptr<rank::Communicator>> known_;
  std::vector<std::unique_ptr<rank::Communicator>> freed_;  // requests may still refer to them
  mutable MPI_Comm last_ = MPI_COMM_WORLD;                  // what was found last; always one that is known
  mutable rank::Communicator* last_found_ = nullptr;
  std::uint64_t named_ = 0;  // contexts this process gave out
};

}  // namespace emu::mpi
