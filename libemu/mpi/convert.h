// Conversion between MPI's arguments and the rank's: communicators, peers, memory, statuses.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "mpi/entry.h"
#include "rank/buffer.h"
#include "rank/protocols/request.h"

namespace emu::mpi {

struct Type {
  MPI_Datatype handle;
  model::Bytes size = 0;  // packed
  MPI_Aint extent = 0;
  bool contiguous = false;  // packed bytes and memory are equal
};
// Throws Error for an invalid datatype.
Type type_of(MPI_Datatype handle);

// Conversion between `count` elements in memory and `bytes` packed bytes.
void pack(const void* from, model::Bytes count, MPI_Datatype type, std::byte* to, model::Bytes bytes);
void unpack(const std::byte* from, model::Bytes bytes, void* to, model::Bytes count, MPI_Datatype type);

// `count` elements at `address`. Throws Error for a negative count or an invalid datatype.
rank::Buffer buffer_of(const void* address, MPI_Count count, MPI_Datatype type);
// The program may free a datatype while a message that uses it is under way: keeps the datatype for the request.
void keep_type(rank::Request& request);
void keep_type(rank::Buffer& buffer);
// To be called before the program frees `type`: buffers that keep it get a copy.
void keep_freed_type(MPI_Datatype type);
// A buffer like `buffer`, with a datatype that the owner of `buffer` keeps.
rank::Buffer borrowed(rank::Buffer buffer);

// A datatype that is needed after the call that named it. If the program frees it meanwhile, all users share one
// copy.
struct Kept;
class KeptType {
 public:
  explicit KeptType(MPI_Datatype type);
  ~KeptType();
  KeptType(KeptType&& other) noexcept : kept_(std::exchange(other.kept_, nullptr)) {}
  // The program's datatype, or the copy.
  MPI_Datatype type() const;

 private:
  Kept* kept_;
};

// The communicator, after a check of the arguments that name a peer in it.
const rank::Communicator& sending(MPI_Comm comm, int to, int tag);
const rank::Communicator& receiving(MPI_Comm comm, int from, int tag);

// Throws Error for a null pointer. A call checks its status before it does anything, as in MPICH: the message then
// stays, and so does the request. MPI_STATUS_IGNORE is not a null pointer.
[[noreturn, gnu::cold]] void throw_no_status();
inline void check_status(const MPI_Status* out) {
  if (!out) throw_no_status();
}
// Writes the result of a receive, unless the program ignores it.
void set_status(MPI_Status* out, const rank::Status& status);
// The status that MPI defines for null requests and completed sends.
void set_empty_status(MPI_Status* out);
// Throws Error: the message did not fit.
[[noreturn, gnu::cold]] void throw_misfit(const rank::Status& status, model::Bytes room);
inline void check_fit(const rank::Status& status, model::Bytes room) {
  if (status.truncated || status.mismatched) throw_misfit(status, room);
}

// Throws Error if `failed`, a rank in MPI_COMM_WORLD, is not -1: the operation was affected by its failure.
[[noreturn, gnu::cold]] void throw_failed(int failed, int code);
inline void check_failed(int failed, int code = MPIX_ERR_PROC_FAILED) {
  if (failed >= 0) throw_failed(failed, code);
}
inline void check_failed(const rank::Status& status) { check_failed(status.failed); }

// Throws Error if the lengths of the members disagree.
void check_lengths(rank::Lengths lengths);

// Carries a collective out. Throws Error if the failure of a member broke it, or if the members' lengths disagree.
void run(rank::Rank& rank, const rank::Communicator& comm, const model::Schedule& schedule,
         const rank::Rank::Memory& memory);
// As run(), but returns the rank whose failure broke it; -1: none did.
[[nodiscard]] int run_unless_broken(rank::Rank& rank, const rank::Communicator& comm,
                                    const model::Schedule& schedule, const rank::Rank::Memory& memory);

// A collective's data as packed bytes: the program's memory if possible, otherwise a copy.
class Packed {
 public:
  Packed() = default;
  Packed(const void* address, model::Bytes count, const Type& type);
  std::byte* bytes() { return contiguous_ ? static_cast<std::byte*>(address_) : copy_.data(); }
  model::Bytes size() const { return count_ * type_.size; }
  bool contiguous() const { return contiguous_; }
  MPI_Datatype& type() { return type_.handle; }
  // Packs the program's data into the copy.
  void load();
  // Unpacks elements [first, first + count) to the program's memory.
  void store(model::Bytes first, model::Bytes count);
  void store() { store(0, count_); }

 private:
  void* address_ = nullptr;
  model::Bytes count_ = 0;
  Type type_{};
  bool contiguous_ = true;
  std::vector<std::byte> copy_;
};

}  // namespace emu::mpi
