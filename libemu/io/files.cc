#include "io/files.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "io/file_access.h"
#include "io/romio.h"
#include "model/collectives.h"
#include "mpi/convert.h"
#include "mpi/objects.h"

namespace emu::mpi {

InRomio::InRomio(MPI_File file) : file_(file) {
  caller.in_romio = true;
  PMPI_File_get_errhandler(file, &handler_);
  if (handler_ == MPI_ERRORS_RETURN) {
    handler_ = MPI_ERRHANDLER_NULL;
    return;
  }
  PMPI_File_set_errhandler(file, MPI_ERRORS_RETURN);
}

InRomio::~InRomio() {
  if (handler_ != MPI_ERRHANDLER_NULL) {
    PMPI_File_set_errhandler(file_, handler_);
    PMPI_Errhandler_free(&handler_);
  }
  caller.in_romio = false;
}

void check_romio(int code) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  PMPI_Error_string(code, text, &length);
  throw Error{code, text};
}

int class_of(int code) {
  int of = MPI_SUCCESS;
  PMPI_Error_class(code, &of);
  return of;
}

std::shared_ptr<File> Files::find(MPI_File handle) const {
  const auto found = open_.find(handle);
  return found == open_.end() ? nullptr : found->second;
}

void Files::add(std::shared_ptr<File> file) { open_[file->handle] = std::move(file); }

void Files::remove(MPI_File handle) { open_.erase(handle); }

void check_pointers(const File& file) {
  if (file.mode & MPI_MODE_SEQUENTIAL)
    throw Error{MPI_ERR_UNSUPPORTED_OPERATION,
                "the file is open in MPI_MODE_SEQUENTIAL, in which only the shared pointer can be used"};
}

void pay(rank::Rank& rank, model::Bytes bytes) {
  note_access();
  queue_up(bytes);
  rank.access(bytes);
}

void note_access() {
  if (!process->target.storage.given) ++process->doubts.files;
}

void queue_up(model::Bytes bytes) {
  if (objects->storage) objects->storage->ask(bytes);
}

// --- agreements

namespace {

// Combination of two numbers in an allreduce.
using Combine = void (*)(void*, const std::byte* from, std::byte* into, model::Bytes bytes);

template <class T>
T reduced(rank::Rank& rank, const rank::Communicator& members, T own, Combine combine) {
  T all = own;
  run(rank, members, model::allreduce(members.rank, members.size(), {1, sizeof own, true, true}),
      {reinterpret_cast<const std::byte*>(&own), reinterpret_cast<std::byte*>(&all), combine, nullptr});
  return all;
}

// A number, and whether members have different ones.
struct Common {
  long value;
  long differs;
};

void unite(void*, const std::byte* from, std::byte* into, model::Bytes) {
  Common a, b;
  std::memcpy(&a, from, sizeof a);
  std::memcpy(&b, into, sizeof b);
  b.differs |= a.differs | (a.value != b.value);
  std::memcpy(into, &b, sizeof b);
}

void greater(void*, const std::byte* from, std::byte* into, model::Bytes) {
  int a, b;
  std::memcpy(&a, from, sizeof a);
  std::memcpy(&b, into, sizeof b);
  b = std::max(a, b);
  std::memcpy(into, &b, sizeof b);
}

}  // namespace

void barrier(rank::Rank& rank, const rank::Communicator& members) {
  run(rank, members, model::barrier(members.rank, members.size()), {});
}

bool same(rank::Rank& rank, const rank::Communicator& members, long value) {
  return !reduced(rank, members, Common{value, 0}, &unite).differs;
}

int worst(rank::Rank& rank, const rank::Communicator& members, int error_class) {
  return reduced(rank, members, error_class, &greater);
}

long of_first(rank::Rank& rank, const rank::Communicator& members, long value) {
  run(rank, members, model::bcast(members.rank, members.size(), 0, sizeof value),
      {nullptr, reinterpret_cast<std::byte*>(&value), nullptr, nullptr});
  return value;
}

}  // namespace emu::mpi
