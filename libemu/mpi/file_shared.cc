// Entry points that read and write files by the shared pointer, each rank for itself.

#include <mpi.h>

#include "mpi/file_access.h"
#include "mpi/file_entry.h"

using emu::mpi::access_alone;
using emu::mpi::Entry;
using emu::mpi::File;
using emu::mpi::from;
using emu::mpi::into;
using emu::mpi::on_file;
using emu::mpi::shared;
using emu::mpi::start_alone;
using emu::rank::Rank;

extern "C" int MPI_File_read_shared(MPI_File file, void* memory, int count, MPI_Datatype type,
                                    MPI_Status* status) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_read_shared(file, memory, count, type, status);
  return on_file(entry, file, [&](Rank& rank, File& f) {
    access_alone(rank, f, shared, into(memory, count, type), status);
  });
}

extern "C" int MPI_File_iread_shared(MPI_File file, void* memory, int count, MPI_Datatype type,
                                     MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_iread_shared(file, memory, count, type, request);
  return on_file(entry, file, [&](Rank& rank, File& f) {
    *request = start_alone(rank, f, shared, into(memory, count, type));
  });
}

extern "C" int MPI_File_write_shared(MPI_File file, const void* memory, int count, MPI_Datatype type,
                                     MPI_Status* status) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_write_shared(file, memory, count, type, status);
  return on_file(entry, file, [&](Rank& rank, File& f) {
    access_alone(rank, f, shared, from(memory, count, type), status);
  });
}

extern "C" int MPI_File_iwrite_shared(MPI_File file, const void* memory, int count, MPI_Datatype type,
                                      MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_iwrite_shared(file, memory, count, type, request);
  return on_file(entry, file, [&](Rank& rank, File& f) {
    *request = start_alone(rank, f, shared, from(memory, count, type));
  });
}

extern "C" int MPI_File_read_shared_c(MPI_File file, void* memory, MPI_Count count, MPI_Datatype type,
                                      MPI_Status* status) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_read_shared_c(file, memory, count, type, status);
  return on_file(entry, file, [&](Rank& rank, File& f) {
    access_alone(rank, f, shared, into(memory, count, type), status);
  });
}

extern "C" int MPI_File_iread_shared_c(MPI_File file, void* memory, MPI_Count count, MPI_Datatype type,
                                       MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_iread_shared_c(file, memory, count, type, request);
  return on_file(entry, file, [&](Rank& rank, File& f) {
    *request = start_alone(rank, f, shared, into(memory, count, type));
  });
}

extern "C" int MPI_File_write_shared_c(MPI_File file, const void* memory, MPI_Count count, MPI_Datatype type,
                                       MPI_Status* status) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_write_shared_c(file, memory, count, type, status);
  return on_file(entry, file, [&](Rank& rank, File& f) {
    access_alone(rank, f, shared, from(memory, count, type), status);
  });
}

extern "C" int MPI_File_iwrite_shared_c(MPI_File file, const void* memory, MPI_Count count, MPI_Datatype type,
                                        MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_iwrite_shared_c(file, memory, count, type, request);
  return on_file(entry, file, [&](Rank& rank, File& f) {
    *request = start_alone(rank, f, shared, from(memory, count, type));
  });
}
