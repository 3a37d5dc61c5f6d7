// Views of files, and the positions of their pointers.

#include <mpi.h>

#include <string>

#include "io/file_entry.h"
#include "io/file_hints.h"
#include "mpi/calls.h"

namespace emu::mpi::calls {

namespace {

MPI_Offset shared_position(const File& file) { return file.pointer ? file.pointer->get() : file.shared; }

// Called by all members, followed by a barrier.
void set_shared(File& file, MPI_Offset to) {
  file.shared = to;
  if (file.pointer && file.members.rank == 0) file.pointer->set(to);
}

// An equivalent datatype with lower bound 0, which a view ignores. ROMIO
// takes a lower bound above 0 for the position of the individual pointer.
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
  // The datatype in a resized one.
  static MPI_Datatype inner(MPI_Datatype type) {
    int none = 0;
    MPI_Aint range[2] = {};
    MPI_Datatype of = MPI_DATATYPE_NULL;
    PMPI_Type_get_contents(type, 0, 2, 1, &none, range, &of);
    return of;
  }

  MPI_Datatype type_, made_ = MPI_DATATYPE_NULL;
};

// The end of the file, in elements of the view, which only a seek determines. The pointer's position is restored.
MPI_Offset end_of(const File& file) {
  MPI_Offset position = 0, end = 0;
  romio(file.handle, [&] { return PMPI_File_get_position(file.handle, &position); });
  romio(file.handle, [&] { return PMPI_File_seek(file.handle, 0, MPI_SEEK_END); });
  romio(file.handle, [&] { return PMPI_File_get_position(file.handle, &end); });
  romio(file.handle, [&] { return PMPI_File_seek(file.handle, position, MPI_SEEK_SET); });
  return end;
}

}  // namespace

void file_set_view(Rank& rank, File& file, MPI_Offset displacement, MPI_Datatype etype, MPI_Datatype filetype,
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
  barrier(rank, file.members);
}

void file_seek(Rank& rank, File& file, MPI_Offset offset, int whence) {
  check_pointers(file);
  romio(file.handle, [&] { return PMPI_File_seek(file.handle, offset, whence); });
  if (whence == MPI_SEEK_END) pay(rank, 0);  // only the storage knows the length of the file
}

void file_seek_shared(Rank& rank, File& file, MPI_Offset offset, int whence) {
  check_pointers(file);
  if (!same(rank, file.members, offset) || !same(rank, file.members, whence))
    throw Error{MPI_ERR_ARG, "different offsets or whence at the ranks"};
  MPI_Offset to = offset;
  if (whence == MPI_SEEK_CUR)
    to += file.pointer ? of_first(rank, file.members, file.members.rank == 0 ? file.pointer->get() : 0)
                       : file.shared;
  if (whence == MPI_SEEK_END) {
    if (file.members.rank == 0) {
      to += end_of(file);
      pay(rank, 0);
    }
    to = of_first(rank, file.members, to);
  }
  if (whence != MPI_SEEK_SET && whence != MPI_SEEK_CUR && whence != MPI_SEEK_END)
    throw Error{MPI_ERR_ARG, "invalid whence " + std::to_string(whence)};
  if (to < 0) throw Error{MPI_ERR_ARG, "invalid offset: before the beginning of the file"};
  set_shared(file, to);
  barrier(rank, file.members);
}

MPI_Offset file_get_position(Rank&, File& file) {
  MPI_Offset offset = 0;
  romio(file.handle, [&] { return PMPI_File_get_position(file.handle, &offset); });
  return offset;
}

MPI_Offset file_get_position_shared(Rank&, File& file) {
  check_pointers(file);
  return shared_position(file);
}

MPI_Offset file_get_byte_offset(Rank&, File& file, MPI_Offset offset) {
  MPI_Offset place = 0;
  romio(file.handle, [&] { return PMPI_File_get_byte_offset(file.handle, offset, &place); });
  return place;
}

}  // namespace emu::mpi::calls
