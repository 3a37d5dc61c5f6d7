// Reading and writing files. The bytes are moved at the call, by ROMIO; what that costs, and when it is done, is the
// target's. A write that another rank's read follows, in the order of messages, is in the file by then: messages are
// sent behind it here, too.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "io/files.h"
#include "p2p/composite.h"
#include "rank/rank.h"

namespace emu::mpi {

// What is moved between the program's memory and a file.
struct Transfer {
  void* memory;
  MPI_Count count;
  MPI_Datatype type;
  bool writes;
};
// From a file into the program's memory, or the other way.
inline Transfer transfer(void* into, MPI_Count count, MPI_Datatype type) {
  return {into, count, type, false};
}
inline Transfer transfer(const void* from, MPI_Count count, MPI_Datatype type) {
  return {const_cast<void*>(from), count, type, true};
}

// By which pointer.
struct Where {
  enum class Pointer { individual, given, ordered, shared };
  Pointer pointer;
  MPI_Offset offset = 0;  // given
};
inline constexpr Where individual{Where::Pointer::individual};
inline constexpr Where ordered{Where::Pointer::ordered};  // the shared pointer, in the order of the ranks
inline constexpr Where shared{Where::Pointer::shared};    // the shared pointer, each for itself
inline Where at(MPI_Offset offset) { return {Where::Pointer::given, offset}; }

// A collective access that goes on in the background: the members exchange where their accesses are, then each does its
// own.
class SharedAccess final : public Composite {
 public:
  // It begins; `bytes` have been moved.
  SharedAccess(rank::Rank& rank, std::shared_ptr<File> file, model::Bytes bytes);
  rank::Request* request() { return background_->request(); }

 private:
  const std::shared_ptr<File> file_;
  model::Schedule schedule_;
  std::vector<std::byte> own_, all_;
  std::unique_ptr<rank::Background> background_;
};

// All throw Error. The first two return when the access is done.
void access_alone(rank::Rank& rank, File& file, Where where, const Transfer& transfer, MPI_Status* status);
void access_together(rank::Rank& rank, File& file, Where where, const Transfer& transfer, MPI_Status* status);
MPI_Request start_alone(rank::Rank& rank, File& file, Where where, const Transfer& transfer);
MPI_Request start_together(rank::Rank& rank, File& file, Where where, const Transfer& transfer);
// A split collective operation.
void begin_together(rank::Rank& rank, File& file, Where where, const Transfer& transfer);
void end_together(rank::Rank& rank, File& file, MPI_Status* status);

}  // namespace emu::mpi
