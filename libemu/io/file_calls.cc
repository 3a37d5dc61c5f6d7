// Functions that open and close files, and query and set their properties. Views and pointers:
// io/file_views.cc.

#include <mpi.h>

#include <string>
#include <utility>

#include "comm/groups.h"
#include "comm/intercommunicators.h"
#include "io/file_entry.h"
#include "io/file_hints.h"
#include "mpi/calls.h"
#include "mpi/objects.h"

namespace emu::mpi::calls {

namespace {

// --- opening and closing

// The check of ROMIO.
void check_mode(int mode) {
  const auto says = [mode](int bit) { return (mode & bit) != 0; };
  if (says(MPI_MODE_RDONLY) + says(MPI_MODE_RDWR) + says(MPI_MODE_WRONLY) != 1)
    throw Error{MPI_ERR_AMODE,
                "invalid mode (expected exactly one of MPI_MODE_RDONLY, MPI_MODE_RDWR and MPI_MODE_WRONLY)"};
  if (says(MPI_MODE_RDONLY) && (says(MPI_MODE_CREATE) || says(MPI_MODE_EXCL)))
    throw Error{MPI_ERR_AMODE, "MPI_MODE_RDONLY excludes MPI_MODE_CREATE and MPI_MODE_EXCL"};
  if (says(MPI_MODE_RDWR) && says(MPI_MODE_SEQUENTIAL))
    throw Error{MPI_ERR_AMODE, "MPI_MODE_RDWR excludes MPI_MODE_SEQUENTIAL"};
}

// This process's own ROMIO file, which is closed again unless it becomes the program's.
class Opened {
 public:
  Opened() = default;
  ~Opened() {
    if (handle_ == MPI_FILE_NULL) return;
    const InRomio here(handle_);
    PMPI_File_close(&handle_);
  }
  Opened(const Opened&) = delete;

  int open(const char* name, int mode, MPI_Info info) {
    const MPI_Comm alone = objects->communicators.lone();
    const InRomio here;
    return PMPI_File_open(alone, name, mode, info, &handle_);
  }
  // Moves to the end of the file, and returns it.
  int append(MPI_Offset* end) {
    const InRomio here(handle_);
    if (const int code = PMPI_File_get_size(handle_, end); code != MPI_SUCCESS) return code;
    return PMPI_File_seek(handle_, *end, MPI_SEEK_SET);
  }
  MPI_File get() const { return handle_; }
  void keep() { handle_ = MPI_FILE_NULL; }

 private:
  MPI_File handle_ = MPI_FILE_NULL;
};

// All members open the file, or none. With MPI_MODE_CREATE the first member opens it before the others. With
// MPI_MODE_APPEND, `end` becomes the file's size: each member reads it before they agree, because any of them may write
// after that.
void open_together(Rank& rank, const Communicator& members, const char* name, int mode, MPI_Info info,
                   Opened& opened, MPI_Offset& end) {
  constexpr int access = MPI_MODE_RDONLY | MPI_MODE_RDWR | MPI_MODE_WRONLY;
  constexpr int creates = MPI_MODE_CREATE | MPI_MODE_EXCL;
  const bool in_turn = mode & MPI_MODE_CREATE, first = in_turn && members.rank == 0;
  int code = MPI_SUCCESS;
  if (first) {
    code = opened.open(name, mode & (access | creates), info);
    pay(rank, 0);
  }
  if (in_turn) {
    const long found = of_first(rank, members, class_of(code));
    if (first) check_romio(code);
    if (found != MPI_SUCCESS) throw Error{static_cast<int>(found), "the first rank cannot create the file"};
  }
  if (!first) {
    code = opened.open(name, mode & (in_turn ? access : access | MPI_MODE_EXCL), info);
    pay(rank, 0);
  }
  if (code == MPI_SUCCESS && mode & MPI_MODE_APPEND) code = opened.append(&end);
  const int worst = mpi::worst(rank, members, class_of(code));
  check_romio(code);
  if (worst != MPI_SUCCESS) throw Error{MPI_ERR_IO, "another rank cannot open the file"};
}

// --- sizes

void check_size(Rank& rank, const File& file, MPI_Offset size) {
  if (size < 0) throw Error{MPI_ERR_ARG, "negative size " + std::to_string(size)};
  if (!same(rank, file.members, size)) throw Error{MPI_ERR_ARG, "different sizes at the ranks"};
}

// The first member acts for all; the others continue when it is done.
template <class Call>
void by_first(Rank& rank, const File& file, Call call) {
  int code = MPI_SUCCESS;
  if (file.members.rank == 0) {
    {
      const InRomio here(file.handle);
      code = call();
    }
    pay(rank, 0);
  }
  const long found = of_first(rank, file.members, class_of(code));
  check_romio(code);
  if (found != MPI_SUCCESS) throw Error{static_cast<int>(found), "the first rank met an error"};
}

}  // namespace

void file_open(Rank& rank, MPI_Comm comm, const char* name, int mode, MPI_Info info, MPI_File* out) {
  const Communicator& c = creation::intra(comm);
  present(out);
  const auto context = creation::agree_on_context(rank, c, true);
  auto file = std::make_shared<File>();
  file->members = Communicator(context, c.group, c.rank);
  file->mode = mode;
  file->name = &present(name);
  const bool same = mpi::same(rank, file->members, mode);
  check_mode(mode);
  if (!same) throw Error{MPI_ERR_NOT_SAME, "different modes at the ranks"};
  const Hints hints(info, file->members.size() == 1);
  Opened opened;
  open_together(rank, file->members, name, mode, hints.get(), opened, file->shared);
  file->handle = opened.get();
  if (process->uses.shares_pointers) {
    process->metering.readable = nullptr;  // others access the first member's pointer while it computes
    file->pointer = std::make_unique<SharedPointer>(rank, file->members, file->shared);
    barrier(rank, file->members);
  }
  opened.keep();
  *out = file->handle;
  objects->files.add(std::move(file));
}

void file_close(Rank& rank, File& file, MPI_File* handle) {
  barrier(rank, file.members);
  MPI_File own = std::exchange(*handle, MPI_FILE_NULL);
  const std::shared_ptr<File> kept = objects->files.find(own);
  objects->files.remove(own);
  int code = MPI_SUCCESS;
  {
    const InRomio here;
    PMPI_File_set_errhandler(own, MPI_ERRORS_RETURN);
    code = PMPI_File_close(&own);
  }
  pay(rank, 0);
  if (file.mode & MPI_MODE_DELETE_ON_CLOSE) {
    barrier(rank, file.members);
    if (file.members.rank == 0) {
      const InRomio here;
      if (const int gone = PMPI_File_delete(file.name.c_str(), MPI_INFO_NULL); code == MPI_SUCCESS)
        code = gone;
    }
    if (file.members.rank == 0) pay(rank, 0);
    barrier(rank, file.members);
  }
  check_romio(code);
}

void file_delete(Rank& rank, const char* name, MPI_Info info) {
  romio(MPI_FILE_NULL, [&] { return PMPI_File_delete(name, info); });
  pay(rank, 0);
}

void file_set_size(Rank& rank, File& file, MPI_Offset size) {
  check_pointers(file);
  if (file.mode & MPI_MODE_RDONLY) throw Error{MPI_ERR_READ_ONLY, "the file is open for reading only"};
  check_size(rank, file, size);
  by_first(rank, file, [&] { return PMPI_File_set_size(file.handle, size); });
}

void file_preallocate(Rank& rank, File& file, MPI_Offset size) {
  check_size(rank, file, size);
  if (size > 0) by_first(rank, file, [&] { return PMPI_File_preallocate(file.handle, size); });
}

MPI_Offset file_get_size(Rank& rank, File& file) {
  MPI_Offset size = 0;
  romio(file.handle, [&] { return PMPI_File_get_size(file.handle, &size); });
  pay(rank, 0);
  return size;
}

void file_sync(Rank& rank, File& file) {
  romio(file.handle, [&] { return PMPI_File_sync(file.handle); });
  pay(rank, 0);
}

MPI_Group file_get_group(Rank&, File& file) { return objects->groups.add(file.members.group); }

int file_get_amode(Rank&, File& file) { return file.mode; }

void file_set_info(Rank&, File& file, MPI_Info info) {
  const Hints hints(info, file.members.size() == 1);
  romio(file.handle, [&] { return PMPI_File_set_info(file.handle, hints.get()); });
}

void file_set_atomicity(Rank& rank, File& file, int flag) {
  const int wanted = flag ? 1 : 0;
  if (of_first(rank, file.members, wanted) != wanted)
    throw Error{MPI_ERR_ARG, "different flags at the ranks"};
  romio(file.handle, [&] { return PMPI_File_set_atomicity(file.handle, wanted); });
}

}  // namespace emu::mpi::calls
