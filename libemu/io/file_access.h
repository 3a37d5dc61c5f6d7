// Reads and writes of files. ROMIO transfers the bytes at the call; the target determines cost and end of the access.
// If a read of another rank follows a write in the order of messages, the file has the data by then: messages
// of the emulation follow the write, too.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "io/files.h"
#include "p2p/composite.h"
#include "rank/rank.h"

namespace emu::mpi {

// A transfer between the program's memory and a file.
struct Transfer {
  void* memory;
  MPI_Count count;
  MPI_Datatype type;
  bool writes;
};
// From a file to the program's memory, or the reverse.
inline Transfer transfer(void* into, MPI_Count count, MPI_Datatype type) {
  return {into, count, type, false};
}
inline Transfer transfer(const void* from, MPI_Count count, MPI_Datatype type) {
  return {const_cast<void*>(from), count, type, true};
}

// The file pointer of an access.
struct Where {
  enum class Pointer { individual, given, ordered, shared };
  Pointer pointer;
  MPI_Offset offset = 0;  // given
};
inline constexpr Where individual{Where::Pointer::individual};
inline constexpr Where ordered{Where::Pointer::ordered};  // the shared pointer, in rank order
inline constexpr Where shared{Where::Pointer::shared};    // the shared pointer, for each rank separately
inline Where at(MPI_Offset offset) { return {Where::Pointer::given, offset}; }

// A collective access in the background: the members exchange the ranges of their accesses, then each carries out its
// own.
class SharedAccess final : public Composite {
 public:
  // Starts the access; `bytes` have been transferred.
  SharedAccess(rank::Rank& rank, std::shared_ptr<File> file, model::Bytes bytes);
  rank::Request* request() { return background_->request(); }

 private:
  const std::shared_ptr<File> file_;
  model::Schedule schedule_;
  std::vector<std::byte> own_, all_;
  std::unique_ptr<rank::Background> background_;
};

// All functions throw Error. The first two return when the access is done.
void access_alone(rank::Rank& rank, File& file, Where where, const Transfer& transfer, MPI_Status* status);
void access_together(rank::Rank& rank, File& file, Where where, const Transfer& transfer, MPI_Status* status);
MPI_Request start_alone(rank::Rank& rank, File& file, Where where, const Transfer& transfer);
MPI_Request start_together(rank::Rank& rank, File& file, Where where, const Transfer& transfer);
// A split collective operation.
void begin_together(rank::Rank& rank, File& file, Where where, const Transfer& transfer);
void end_together(rank::Rank& rank, File& file, MPI_Status* status);

}  // namespace emu::mpi
