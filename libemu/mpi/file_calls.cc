// Entry points that open files, close them, and ask and say what they are like.

#include <mpi.h>

#include <string>
#include <utility>

#include "mpi/file_entry.h"
#include "mpi/groups.h"
#include "mpi/intercommunicators.h"

using emu::mpi::Communicator;
using emu::mpi::Entry;
using emu::mpi::Error;
using emu::mpi::File;
using emu::mpi::on_file;
using emu::mpi::on_no_file;
using emu::mpi::present;
using emu::mpi::process;
using emu::mpi::romio;
using emu::rank::Rank;
namespace making = emu::mpi::making;

namespace {

// --- opening and closing

// Hints with which no rank touches bytes of others: ROMIO would read what is between the pieces of a write, and write
// it back, and a process that is alone in its file does not see who else is about to change it. Where one rank has opened
// the file `alone`, nobody else is.
class Hints {
 public:
  Hints(MPI_Info of_program, bool alone) {
    if (of_program == MPI_INFO_NULL)
      PMPI_Info_create(&info_);
    else if (const int code = PMPI_Info_dup(of_program, &info_); code != MPI_SUCCESS)
      throw Error{code, "invalid info"};
    if (!alone) PMPI_Info_set(info_, "romio_ds_write", "disable");
    for (const char* together : {"romio_cb_write", "romio_cb_read"})
      PMPI_Info_set(info_, together, "disable");
    PMPI_Info_set(info_, "romio_no_indep_rw", "false");
    // Which processes take part, of nodes that are the target's: this one does.
    for (const char* key : {"cb_config_list", "cb_nodes"})
      if (info_has(key)) PMPI_Info_delete(info_, key);
  }
  ~Hints() { PMPI_Info_free(&info_); }
  Hints(const Hints&) = delete;
  MPI_Info get() const { return info_; }

 private:
  bool info_has(const char* key) const {
    int length = 0, found = 0;
    PMPI_Info_get_valuelen(info_, key, &length, &found);
    return found != 0;
  }

  MPI_Info info_ = MPI_INFO_NULL;
};

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
  MPI_File get() const { return handle_; }
  void keep() { handle_ = MPI_FILE_NULL; }

 private:
  MPI_File handle_ = MPI_FILE_NULL;
};

// All open the file or none does. With MPI_MODE_CREATE the first member does before the others.
void open_together(Rank& rank, const Communicator& members, const char* name, int mode, MPI_Info info,
                   Opened& opened) {
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
  open_together(rank, file->members, name, mode, hints.get(), opened);
  file->handle = opened.get();
  if (mode & MPI_MODE_APPEND) {
    romio(file->handle, [&] { return PMPI_File_get_size(file->handle, &file->shared); });
    romio(file->handle, [&] { return PMPI_File_seek(file->handle, 0, MPI_SEEK_END); });
  }
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

// --- views and pointers

MPI_Offset shared_position(const File& file) { return file.pointer ? file.pointer->get() : file.shared; }

// By all members, who then meet.
void set_shared(File& file, MPI_Offset to) {
  file.shared = to;
  if (file.pointer && file.members.rank == 0) file.pointer->set(to);
}

// The same places in a file: where a datatype begins is nothing to a view. ROMIO mistakes a beginning behind 0 for where
// the individual pointer is.
class WithoutBeginning {
 public:
  explicit WithoutBeginning(MPI_Datatype type) : type_(type) {
    MPI_Aint begin = 0, extent = 0;
    if (type == MPI_DATATYPE_NULL || !resized(type) ||
        PMPI_Type_get_extent(type, &begin, &extent) != MPI_SUCCESS || begin <= 0)
      return;
    MPI_Datatype of = inner(type);
    while (resized(of)) {
      MPI_Datatype further = inner(of);
      PMPI_Type_free(&of);
      of = further;
    }
    PMPI_Type_create_resized(of, 0, extent, &made_);
    PMPI_Type_commit(&made_);
    type_ = made_;
    if (combiner(of) != MPI_COMBINER_NAMED) PMPI_Type_free(&of);
  }
  ~WithoutBeginning() {
    if (made_ != MPI_DATATYPE_NULL) PMPI_Type_free(&made_);
  }
  WithoutBeginning(const WithoutBeginning&) = delete;
  MPI_Datatype get() const { return type_; }

 private:
  static int combiner(MPI_Datatype type) {
    int integers = 0, addresses = 0, types = 0, found = MPI_COMBINER_NAMED;
    PMPI_Type_get_envelope(type, &integers, &addresses, &types, &found);
    return found;
  }
  static bool resized(MPI_Datatype type) { return combiner(type) == MPI_COMBINER_RESIZED; }
  // What a resized one is made of.
  static MPI_Datatype inner(MPI_Datatype type) {
    int none = 0;
    MPI_Aint range[2] = {};
    MPI_Datatype of = MPI_DATATYPE_NULL;
    PMPI_Type_get_contents(type, 0, 2, 1, &none, range, &of);
    return of;
  }

  MPI_Datatype type_, made_ = MPI_DATATYPE_NULL;
};

void set_view(Rank& rank, File& file, MPI_Offset displacement, MPI_Datatype etype, MPI_Datatype filetype,
              const char* representation, MPI_Info info) {
  if (file.mode & MPI_MODE_SEQUENTIAL) {
    if (displacement != MPI_DISPLACEMENT_CURRENT)
      throw Error{MPI_ERR_ARG, "in MPI_MODE_SEQUENTIAL the displacement is MPI_DISPLACEMENT_CURRENT"};
    const MPI_Offset shared = shared_position(file);
    romio(file.handle, [&] { return PMPI_File_get_byte_offset(file.handle, shared, &displacement); });
  }
  const Hints hints(info, file.members.size() == 1);
  const WithoutBeginning tiles(filetype);
  romio(file.handle, [&] {
    return PMPI_File_set_view(file.handle, displacement, etype, tiles.get(), representation, hints.get());
  });
  MPI_Count size = 1;
  PMPI_Type_size_x(etype, &size);
  file.etype = size;
  set_shared(file, 0);
  emu::mpi::barrier(rank, file.members);
}

void seek(Rank& rank, const File& file, MPI_Offset offset, int whence) {
  emu::mpi::check_pointers(file);
  romio(file.handle, [&] { return PMPI_File_seek(file.handle, offset, whence); });
  if (whence == MPI_SEEK_END) emu::mpi::pay(rank, 0);  // how long the file is, the storage knows
}

// Where it ends, in elements of the view: only seeking says that. The pointer then stands where it stood.
MPI_Offset end_of(const File& file) {
  MPI_Offset stood = 0, end = 0;
  romio(file.handle, [&] { return PMPI_File_get_position(file.handle, &stood); });
  romio(file.handle, [&] { return PMPI_File_seek(file.handle, 0, MPI_SEEK_END); });
  romio(file.handle, [&] { return PMPI_File_get_position(file.handle, &end); });
  romio(file.handle, [&] { return PMPI_File_seek(file.handle, stood, MPI_SEEK_SET); });
  return end;
}

void seek_shared(Rank& rank, File& file, MPI_Offset offset, int whence) {
  emu::mpi::check_pointers(file);
  if (!emu::mpi::same(rank, file.members, offset) || !emu::mpi::same(rank, file.members, whence))
    throw Error{MPI_ERR_ARG, "the ranks seek different places"};
  MPI_Offset to = offset;
  if (whence == MPI_SEEK_CUR)
    to += file.pointer
              ? emu::mpi::of_first(rank, file.members, file.members.rank == 0 ? file.pointer->get() : 0)
              : file.shared;
  if (whence == MPI_SEEK_END) {
    if (file.members.rank == 0) {
      to += end_of(file);
      emu::mpi::pay(rank, 0);
    }
    to = emu::mpi::of_first(rank, file.members, to);
  }
  if (whence != MPI_SEEK_SET && whence != MPI_SEEK_CUR && whence != MPI_SEEK_END)
    throw Error{MPI_ERR_ARG, "invalid whence " + std::to_string(whence)};
  if (to < 0) throw Error{MPI_ERR_ARG, "a place before the file's beginning"};
  set_shared(file, to);
  emu::mpi::barrier(rank, file.members);
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

extern "C" int MPI_File_set_view(MPI_File file, MPI_Offset displacement, MPI_Datatype etype,
                                 MPI_Datatype filetype, const char* representation, MPI_Info info) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_set_view(file, displacement, etype, filetype, representation, info);
  return on_file(entry, file, [&](Rank& rank, File& f) {
    set_view(rank, f, displacement, etype, filetype, representation, info);
  });
}

extern "C" int MPI_File_set_atomicity(MPI_File file, int flag) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_set_atomicity(file, flag);
  return on_file(entry, file, [&](Rank& rank, File& f) { set_atomicity(rank, f, flag); });
}

extern "C" int MPI_File_seek(MPI_File file, MPI_Offset offset, int whence) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_seek(file, offset, whence);
  return on_file(entry, file, [&](Rank& rank, File& f) { seek(rank, f, offset, whence); });
}

extern "C" int MPI_File_seek_shared(MPI_File file, MPI_Offset offset, int whence) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_seek_shared(file, offset, whence);
  return on_file(entry, file, [&](Rank& rank, File& f) { seek_shared(rank, f, offset, whence); });
}

extern "C" int MPI_File_get_position(MPI_File file, MPI_Offset* offset) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_get_position(file, offset);
  return on_file(entry, file, [&](Rank&, File& f) {
    romio(f.handle, [&] { return PMPI_File_get_position(f.handle, &present(offset)); });
  });
}

extern "C" int MPI_File_get_position_shared(MPI_File file, MPI_Offset* offset) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_get_position_shared(file, offset);
  return on_file(entry, file, [&](Rank&, File& f) {
    emu::mpi::check_pointers(f);
    present(offset) = shared_position(f);
  });
}

extern "C" int MPI_File_get_byte_offset(MPI_File file, MPI_Offset offset, MPI_Offset* place) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_get_byte_offset(file, offset, place);
  return on_file(entry, file, [&](Rank&, File& f) {
    romio(f.handle, [&] { return PMPI_File_get_byte_offset(f.handle, offset, &present(place)); });
  });
}
