// Entry points that open files, close them, and ask and say what they are like. What a rank sees of one, and where it stands:
// mpi/file_views.cc.

#include <mpi.h>

#include <string>
#include <utility>

#include "mpi/file_entry.h"
#include "mpi/file_hints.h"
#include "mpi/groups.h"
#include "mpi/intercommunicators.h"

using emu::mpi::Communicator;
using emu::mpi::Entry;
using emu::mpi::Error;
using emu::mpi::File;
using emu::mpi::Hints;
using emu::mpi::on_file;
using emu::mpi::on_no_file;
using emu::mpi::present;
using emu::mpi::process;
using emu::mpi::romio;
using emu::rank::Rank;
namespace making = emu::mpi::making;

namespace {

// --- opening and closing

// As ROMIO checks it.
void check_mode(int mode) {
  const auto says = [mode](int bit) { return (mode & bit) != 0; };
  if (says(MPI_MODE_RDONLY) + says(MPI_MODE_RDWR) + says(MPI_MODE_WRONLY) != 1)
    throw Error{MPI_ERR_AMODE,
                "exactly one of MPI_MODE_RDONLY, MPI_MODE_RDWR and MPI_MODE_WRONLY has to be given"};
  if (says(MPI_MODE_RDONLY) && (says(MPI_MODE_CREATE) || says(MPI_MODE_EXCL)))
    throw Error{MPI_ERR_AMODE, "MPI_MODE_RDONLY does not go with MPI_MODE_CREATE or MPI_MODE_EXCL"};
  if (says(MPI_MODE_RDWR) && says(MPI_MODE_SEQUENTIAL))
    throw Error{MPI_ERR_AMODE, "MPI_MODE_RDWR does not go with MPI_MODE_SEQUENTIAL"};
}

// One's own file of ROMIO's, which is closed again if it does not come to be the program's.
class Opened {
 public:
  Opened() = default;
  ~Opened() {
    if (handle_ == MPI_FILE_NULL) return;
    const emu::mpi::InRomio here(handle_);
    PMPI_File_close(&handle_);
  }
  Opened(const Opened&) = delete;

  int open(const char* name, int mode, MPI_Info info) {
    const MPI_Comm alone = process->communicators.lone();
    const emu::mpi::InRomio here;
    return PMPI_File_open(alone, name, mode, info, &handle_);
  }
  // Goes to the end of the file: where that is.
  int append(MPI_Offset* end) {
    const emu::mpi::InRomio here(handle_);
    if (const int code = PMPI_File_get_size(handle_, end); code != MPI_SUCCESS) return code;
    return PMPI_File_seek(handle_, *end, MPI_SEEK_SET);
  }
  MPI_File get() const { return handle_; }
  void keep() { handle_ = MPI_FILE_NULL; }

 private:
  MPI_File handle_ = MPI_FILE_NULL;
};

// All open the file or none does. With MPI_MODE_CREATE the first member does before the others. With MPI_MODE_APPEND
// `end` becomes its size: each asks before they agree, as any of them may write from then on.
void open_together(Rank& rank, const Communicator& members, const char* name, int mode, MPI_Info info,
                   Opened& opened, MPI_Offset& end) {
  constexpr int access = MPI_MODE_RDONLY | MPI_MODE_RDWR | MPI_MODE_WRONLY;
  constexpr int creates = MPI_MODE_CREATE | MPI_MODE_EXCL;
  const bool in_turn = mode & MPI_MODE_CREATE, first = in_turn && members.rank == 0;
  int code = MPI_SUCCESS;
  if (first) {
    code = opened.open(name, mode & (access | creates), info);
    emu::mpi::pay(rank, 0);
  }
  if (in_turn) {
    const long found = emu::mpi::of_first(rank, members, emu::mpi::class_of(code));
    if (first) emu::mpi::check_romio(code);
    if (found != MPI_SUCCESS) throw Error{static_cast<int>(found), "the first rank cannot create the file"};
  }
  if (!first) {
    code = opened.open(name, mode & (in_turn ? access : access | MPI_MODE_EXCL), info);
    emu::mpi::pay(rank, 0);
  }
  if (code == MPI_SUCCESS && mode & MPI_MODE_APPEND) code = opened.append(&end);
  const int worst = emu::mpi::worst(rank, members, emu::mpi::class_of(code));
  emu::mpi::check_romio(code);
  if (worst != MPI_SUCCESS) throw Error{MPI_ERR_IO, "another rank cannot open the file"};
}

void open(Rank& rank, MPI_Comm comm, const char* name, int mode, MPI_Info info, MPI_File* out) {
  const Communicator& c = making::intra(comm);
  present(out);
  const auto context = making::agree_on_context(rank, c);
  auto file = std::make_shared<File>();
  file->members = Communicator(context, c.group, c.rank);
  file->mode = mode;
  file->name = &present(name);
  const bool same = emu::mpi::same(rank, file->members, mode);
  check_mode(mode);
  if (!same) throw Error{MPI_ERR_NOT_SAME, "the ranks give different modes"};
  const Hints hints(info, file->members.size() == 1);
  Opened opened;
  open_together(rank, file->members, name, mode, hints.get(), opened, file->shared);
  file->handle = opened.get();
  if (process->shares_pointers) {
    process->cpu = nullptr;  // the first member's memory may be reached while it computes
    file->pointer = std::make_unique<emu::mpi::SharedPointer>(rank, file->members, file->shared);
    emu::mpi::barrier(rank, file->members);
  }
  opened.keep();
  *out = file->handle;
  process->files.add(std::move(file));
}

void close(Rank& rank, File& file, MPI_File* handle) {
  emu::mpi::barrier(rank, file.members);
  MPI_File own = std::exchange(*handle, MPI_FILE_NULL);
  const std::shared_ptr<File> kept = process->files.find(own);
  process->files.remove(own);
  int code = MPI_SUCCESS;
  {
    const emu::mpi::InRomio here;
    PMPI_File_set_errhandler(own, MPI_ERRORS_RETURN);
    code = PMPI_File_close(&own);
  }
  emu::mpi::pay(rank, 0);
  if (file.mode & MPI_MODE_DELETE_ON_CLOSE) {
    emu::mpi::barrier(rank, file.members);
    if (file.members.rank == 0) {
      const emu::mpi::InRomio here;
      if (const int gone = PMPI_File_delete(file.name.c_str(), MPI_INFO_NULL); code == MPI_SUCCESS)
        code = gone;
    }
    if (file.members.rank == 0) emu::mpi::pay(rank, 0);
    emu::mpi::barrier(rank, file.members);
  }
  emu::mpi::check_romio(code);
}

// --- sizes

void check_size(Rank& rank, const File& file, MPI_Offset size) {
  if (size < 0) throw Error{MPI_ERR_ARG, "negative size " + std::to_string(size)};
  if (!emu::mpi::same(rank, file.members, size)) throw Error{MPI_ERR_ARG, "the ranks give different sizes"};
}

// The first member does it for all, and they go on when it is done.
template <class Call>
void by_first(Rank& rank, const File& file, Call call) {
  int code = MPI_SUCCESS;
  if (file.members.rank == 0) {
    {
      const emu::mpi::InRomio here(file.handle);
      code = call();
    }
    emu::mpi::pay(rank, 0);
  }
  const long found = emu::mpi::of_first(rank, file.members, emu::mpi::class_of(code));
  emu::mpi::check_romio(code);
  if (found != MPI_SUCCESS) throw Error{static_cast<int>(found), "the first rank met an error"};
}

void set_size(Rank& rank, const File& file, MPI_Offset size) {
  emu::mpi::check_pointers(file);
  if (file.mode & MPI_MODE_RDONLY) throw Error{MPI_ERR_READ_ONLY, "the file is open for reading only"};
  check_size(rank, file, size);
  by_first(rank, file, [&] { return PMPI_File_set_size(file.handle, size); });
}

void preallocate(Rank& rank, const File& file, MPI_Offset size) {
  check_size(rank, file, size);
  if (size > 0) by_first(rank, file, [&] { return PMPI_File_preallocate(file.handle, size); });
}

void set_atomicity(Rank& rank, const File& file, int flag) {
  const int wanted = flag ? 1 : 0;
  if (emu::mpi::of_first(rank, file.members, wanted) != wanted)
    throw Error{MPI_ERR_ARG, "the ranks want different things"};
  romio(file.handle, [&] { return PMPI_File_set_atomicity(file.handle, wanted); });
}

}  // namespace

extern "C" int MPI_File_open(MPI_Comm comm, const char* name, int mode, MPI_Info info, MPI_File* file) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_open(comm, name, mode, info, file);
  return on_no_file(entry, [&](Rank& rank) { open(rank, comm, name, mode, info, file); });
}

extern "C" int MPI_File_close(MPI_File* file) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_close(file);
  return on_file(entry, file ? *file : MPI_FILE_NULL, [&](Rank& rank, File& f) { close(rank, f, file); });
}

extern "C" int MPI_File_delete(const char* name, MPI_Info info) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_delete(name, info);
  return on_no_file(entry, [&](Rank& rank) {
    romio(MPI_FILE_NULL, [&] { return PMPI_File_delete(name, info); });
    emu::mpi::pay(rank, 0);
  });
}

extern "C" int MPI_File_set_size(MPI_File file, MPI_Offset size) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_set_size(file, size);
  return on_file(entry, file, [&](Rank& rank, File& f) { set_size(rank, f, size); });
}

extern "C" int MPI_File_preallocate(MPI_File file, MPI_Offset size) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_preallocate(file, size);
  return on_file(entry, file, [&](Rank& rank, File& f) { preallocate(rank, f, size); });
}

extern "C" int MPI_File_get_size(MPI_File file, MPI_Offset* size) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_get_size(file, size);
  return on_file(entry, file, [&](Rank& rank, File& f) {
    romio(f.handle, [&] { return PMPI_File_get_size(f.handle, &present(size)); });
    emu::mpi::pay(rank, 0);
  });
}

extern "C" int MPI_File_sync(MPI_File file) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_sync(file);
  const auto sync = [&](Rank& rank, File& f) {
    romio(f.handle, [&] { return PMPI_File_sync(f.handle); });
    emu::mpi::pay(rank, 0);
  };
  return on_file(entry, file, sync, MPI_ERR_ARG);
}

extern "C" int MPI_File_get_group(MPI_File file, MPI_Group* group) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_get_group(file, group);
  return on_file(entry, file, [&](Rank&, File& f) { present(group) = process->groups.add(f.members.group); });
}

extern "C" int MPI_File_get_amode(MPI_File file, int* mode) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_get_amode(file, mode);
  return on_file(entry, file, [&](Rank&, File& f) { present(mode) = f.mode; });
}

extern "C" int MPI_File_set_info(MPI_File file, MPI_Info info) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_set_info(file, info);
  return on_file(entry, file, [&](Rank&, File& f) {
    const Hints hints(info, f.members.size() == 1);
    romio(f.handle, [&] { return PMPI_File_set_info(f.handle, hints.get()); });
  });
}

extern "C" int MPI_File_set_atomicity(MPI_File file, int flag) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_set_atomicity(file, flag);
  return on_file(entry, file, [&](Rank& rank, File& f) { set_atomicity(rank, f, flag); });
}
