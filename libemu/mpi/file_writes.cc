// Entry points that write files.

#include <mpi.h>

#include "mpi/file_access.h"
#include "mpi/file_entry.h"

using emu::mpi::access_alone;
using emu::mpi::access_together;
using emu::mpi::at;
using emu::mpi::begin_together;
using emu::mpi::end_together;
using emu::mpi::Entry;
using emu::mpi::File;
using emu::mpi::from;
using emu::mpi::individual;
using emu::mpi::on_file;
using emu::mpi::ordered;
using emu::mpi::start_alone;
using emu::mpi::start_together;
using emu::rank::Rank;

extern "C" int MPI_File_write(MPI_File file, const void* memory, int count, MPI_Datatype type,
                              MPI_Status* status) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_write(file, memory, count, type, status);
  return on_file(entry, file, [&](Rank& rank, File& f) {
    access_alone(rank, f, individual, from(memory, count, type), status);
  });
}

extern "C" int MPI_File_write_at(MPI_File file, MPI_Offset offset, const void* memory, int count,
                                 MPI_Datatype type, MPI_Status* status) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_write_at(file, offset, memory, count, type, status);
  return on_file(entry, file, [&](Rank& rank, File& f) {
    access_alone(rank, f, at(offset), from(memory, count, type), status);
  });
}

extern "C" int MPI_File_write_all(MPI_File file, const void* memory, int count, MPI_Datatype type,
                                  MPI_Status* status) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_write_all(file, memory, count, type, status);
  return on_file(entry, file, [&](Rank& rank, File& f) {
    access_together(rank, f, individual, from(memory, count, type), status);
  });
}

extern "C" int MPI_File_write_at_all(MPI_File file, MPI_Offset offset, const void* memory, int count,
                                     MPI_Datatype type, MPI_Status* status) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_write_at_all(file, offset, memory, count, type, status);
  return on_file(entry, file, [&](Rank& rank, File& f) {
    access_together(rank, f, at(offset), from(memory, count, type), status);
  });
}

extern "C" int MPI_File_write_ordered(MPI_File file, const void* memory, int count, MPI_Datatype type,
                                      MPI_Status* status) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_write_ordered(file, memory, count, type, status);
  return on_file(entry, file, [&](Rank& rank, File& f) {
    access_together(rank, f, ordered, from(memory, count, type), status);
  });
}

extern "C" int MPI_File_iwrite(MPI_File file, const void* memory, int count, MPI_Datatype type,
                               MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_iwrite(file, memory, count, type, request);
  return on_file(entry, file, [&](Rank& rank, File& f) {
    *request = start_alone(rank, f, individual, from(memory, count, type));
  });
}

extern "C" int MPI_File_iwrite_at(MPI_File file, MPI_Offset offset, const void* memory, int count,
                                  MPI_Datatype type, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_iwrite_at(file, offset, memory, count, type, request);
  return on_file(entry, file, [&](Rank& rank, File& f) {
    *request = start_alone(rank, f, at(offset), from(memory, count, type));
  });
}

extern "C" int MPI_File_iwrite_all(MPI_File file, const void* memory, int count, MPI_Datatype type,
                                   MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_iwrite_all(file, memory, count, type, request);
  return on_file(entry, file, [&](Rank& rank, File& f) {
    *request = start_together(rank, f, individual, from(memory, count, type));
  });
}

extern "C" int MPI_File_iwrite_at_all(MPI_File file, MPI_Offset offset, const void* memory, int count,
                                      MPI_Datatype type, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_iwrite_at_all(file, offset, memory, count, type, request);
  return on_file(entry, file, [&](Rank& rank, File& f) {
    *request = start_together(rank, f, at(offset), from(memory, count, type));
  });
}

extern "C" int MPI_File_write_all_begin(MPI_File file, const void* memory, int count, MPI_Datatype type) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_write_all_begin(file, memory, count, type);
  return on_file(entry, file, [&](Rank& rank, File& f) {
    begin_together(rank, f, individual, from(memory, count, type));
  });
}

extern "C" int MPI_File_write_at_all_begin(MPI_File file, MPI_Offset offset, const void* memory, int count,
                                           MPI_Datatype type) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_write_at_all_begin(file, offset, memory, count, type);
  return on_file(entry, file, [&](Rank& rank, File& f) {
    begin_together(rank, f, at(offset), from(memory, count, type));
  });
}

extern "C" int MPI_File_write_ordered_begin(MPI_File file, const void* memory, int count, MPI_Datatype type) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_write_ordered_begin(file, memory, count, type);
  return on_file(entry, file,
                 [&](Rank& rank, File& f) { begin_together(rank, f, ordered, from(memory, count, type)); });
}

extern "C" int MPI_File_write_c(MPI_File file, const void* memory, MPI_Count count, MPI_Datatype type,
                                MPI_Status* status) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_write_c(file, memory, count, type, status);
  return on_file(entry, file, [&](Rank& rank, File& f) {
    access_alone(rank, f, individual, from(memory, count, type), status);
  });
}

extern "C" int MPI_File_write_at_c(MPI_File file, MPI_Offset offset, const void* memory, MPI_Count count,
                                   MPI_Datatype type, MPI_Status* status) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_write_at_c(file, offset, memory, count, type, status);
  return on_file(entry, file, [&](Rank& rank, File& f) {
    access_alone(rank, f, at(offset), from(memory, count, type), status);
  });
}

extern "C" int MPI_File_write_all_c(MPI_File file, const void* memory, MPI_Count count, MPI_Datatype type,
                                    MPI_Status* status) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_write_all_c(file, memory, count, type, status);
  return on_file(entry, file, [&](Rank& rank, File& f) {
    access_together(rank, f, individual, from(memory, count, type), status);
  });
}

extern "C" int MPI_File_write_at_all_c(MPI_File file, MPI_Offset offset, const void* memory, MPI_Count count,
                                       MPI_Datatype type, MPI_Status* status) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_write_at_all_c(file, offset, memory, count, type, status);
  return on_file(entry, file, [&](Rank& rank, File& f) {
    access_together(rank, f, at(offset), from(memory, count, type), status);
  });
}

extern "C" int MPI_File_write_ordered_c(MPI_File file, const void* memory, MPI_Count count, MPI_Datatype type,
                                        MPI_Status* status) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_write_ordered_c(file, memory, count, type, status);
  return on_file(entry, file, [&](Rank& rank, File& f) {
    access_together(rank, f, ordered, from(memory, count, type), status);
  });
}

extern "C" int MPI_File_iwrite_c(MPI_File file, const void* memory, MPI_Count count, MPI_Datatype type,
                                 MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_iwrite_c(file, memory, count, type, request);
  return on_file(entry, file, [&](Rank& rank, File& f) {
    *request = start_alone(rank, f, individual, from(memory, count, type));
  });
}

extern "C" int MPI_File_iwrite_at_c(MPI_File file, MPI_Offset offset, const void* memory, MPI_Count count,
                                    MPI_Datatype type, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_iwrite_at_c(file, offset, memory, count, type, request);
  return on_file(entry, file, [&](Rank& rank, File& f) {
    *request = start_alone(rank, f, at(offset), from(memory, count, type));
  });
}

extern "C" int MPI_File_iwrite_all_c(MPI_File file, const void* memory, MPI_Count count, MPI_Datatype type,
                                     MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_iwrite_all_c(file, memory, count, type, request);
  return on_file(entry, file, [&](Rank& rank, File& f) {
    *request = start_together(rank, f, individual, from(memory, count, type));
  });
}

extern "C" int MPI_File_iwrite_at_all_c(MPI_File file, MPI_Offset offset, const void* memory, MPI_Count count,
                                        MPI_Datatype type, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_iwrite_at_all_c(file, offset, memory, count, type, request);
  return on_file(entry, file, [&](Rank& rank, File& f) {
    *request = start_together(rank, f, at(offset), from(memory, count, type));
  });
}

extern "C" int MPI_File_write_all_begin_c(MPI_File file, const void* memory, MPI_Count count,
                                          MPI_Datatype type) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_write_all_begin_c(file, memory, count, type);
  return on_file(entry, file, [&](Rank& rank, File& f) {
    begin_together(rank, f, individual, from(memory, count, type));
  });
}

extern "C" int MPI_File_write_at_all_begin_c(MPI_File file, MPI_Offset offset, const void* memory,
                                             MPI_Count count, MPI_Datatype type) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_write_at_all_begin_c(file, offset, memory, count, type);
  return on_file(entry, file, [&](Rank& rank, File& f) {
    begin_together(rank, f, at(offset), from(memory, count, type));
  });
}

extern "C" int MPI_File_write_ordered_begin_c(MPI_File file, const void* memory, MPI_Count count,
                                              MPI_Datatype type) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_write_ordered_begin_c(file, memory, count, type);
  return on_file(entry, file,
                 [&](Rank& rank, File& f) { begin_together(rank, f, ordered, from(memory, count, type)); });
}

extern "C" int MPI_File_write_all_end(MPI_File file, const void* memory, MPI_Status* status) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_write_all_end(file, memory, status);
  return on_file(entry, file, [&](Rank& rank, File& f) { end_together(rank, f, status); });
}

extern "C" int MPI_File_write_at_all_end(MPI_File file, const void* memory, MPI_Status* status) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_write_at_all_end(file, memory, status);
  return on_file(entry, file, [&](Rank& rank, File& f) { end_together(rank, f, status); });
}

extern "C" int MPI_File_write_ordered_end(MPI_File file, const void* memory, MPI_Status* status) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_write_ordered_end(file, memory, status);
  return on_file(entry, file, [&](Rank& rank, File& f) { end_together(rank, f, status); });
}
