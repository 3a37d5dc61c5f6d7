// Entry points that read files.

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
using emu::mpi::individual;
using emu::mpi::into;
using emu::mpi::on_file;
using emu::mpi::ordered;
using emu::mpi::start_alone;
using emu::mpi::start_together;
using emu::rank::Rank;

extern "C" int MPI_File_read(MPI_File file, void* memory, int count, MPI_Datatype type, MPI_Status* status) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_read(file, memory, count, type, status);
  return on_file(entry, file, [&](Rank& rank, File& f) {
    access_alone(rank, f, individual, into(memory, count, type), status);
  });
}

extern "C" int MPI_File_read_at(MPI_File file, MPI_Offset offset, void* memory, int count, MPI_Datatype type,
                                MPI_Status* status) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_read_at(file, offset, memory, count, type, status);
  return on_file(entry, file, [&](Rank& rank, File& f) {
    access_alone(rank, f, at(offset), into(memory, count, type), status);
  });
}

extern "C" int MPI_File_read_all(MPI_File file, void* memory, int count, MPI_Datatype type,
                                 MPI_Status* status) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_read_all(file, memory, count, type, status);
  return on_file(entry, file, [&](Rank& rank, File& f) {
    access_together(rank, f, individual, into(memory, count, type), status);
  });
}

extern "C" int MPI_File_read_at_all(MPI_File file, MPI_Offset offset, void* memory, int count,
                                    MPI_Datatype type, MPI_Status* status) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_read_at_all(file, offset, memory, count, type, status);
  return on_file(entry, file, [&](Rank& rank, File& f) {
    access_together(rank, f, at(offset), into(memory, count, type), status);
  });
}

extern "C" int MPI_File_read_ordered(MPI_File file, void* memory, int count, MPI_Datatype type,
                                     MPI_Status* status) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_read_ordered(file, memory, count, type, status);
  return on_file(entry, file, [&](Rank& rank, File& f) {
    access_together(rank, f, ordered, into(memory, count, type), status);
  });
}

extern "C" int MPI_File_iread(MPI_File file, void* memory, int count, MPI_Datatype type,
                              MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_iread(file, memory, count, type, request);
  return on_file(entry, file, [&](Rank& rank, File& f) {
    *request = start_alone(rank, f, individual, into(memory, count, type));
  });
}

extern "C" int MPI_File_iread_at(MPI_File file, MPI_Offset offset, void* memory, int count, MPI_Datatype type,
                                 MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_iread_at(file, offset, memory, count, type, request);
  return on_file(entry, file, [&](Rank& rank, File& f) {
    *request = start_alone(rank, f, at(offset), into(memory, count, type));
  });
}

extern "C" int MPI_File_iread_all(MPI_File file, void* memory, int count, MPI_Datatype type,
                                  MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_iread_all(file, memory, count, type, request);
  return on_file(entry, file, [&](Rank& rank, File& f) {
    *request = start_together(rank, f, individual, into(memory, count, type));
  });
}

extern "C" int MPI_File_iread_at_all(MPI_File file, MPI_Offset offset, void* memory, int count,
                                     MPI_Datatype type, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_iread_at_all(file, offset, memory, count, type, request);
  return on_file(entry, file, [&](Rank& rank, File& f) {
    *request = start_together(rank, f, at(offset), into(memory, count, type));
  });
}

extern "C" int MPI_File_read_all_begin(MPI_File file, void* memory, int count, MPI_Datatype type) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_read_all_begin(file, memory, count, type);
  return on_file(entry, file, [&](Rank& rank, File& f) {
    begin_together(rank, f, individual, into(memory, count, type));
  });
}

extern "C" int MPI_File_read_at_all_begin(MPI_File file, MPI_Offset offset, void* memory, int count,
                                          MPI_Datatype type) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_read_at_all_begin(file, offset, memory, count, type);
  return on_file(entry, file, [&](Rank& rank, File& f) {
    begin_together(rank, f, at(offset), into(memory, count, type));
  });
}

extern "C" int MPI_File_read_ordered_begin(MPI_File file, void* memory, int count, MPI_Datatype type) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_read_ordered_begin(file, memory, count, type);
  return on_file(entry, file,
                 [&](Rank& rank, File& f) { begin_together(rank, f, ordered, into(memory, count, type)); });
}

extern "C" int MPI_File_read_c(MPI_File file, void* memory, MPI_Count count, MPI_Datatype type,
                               MPI_Status* status) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_read_c(file, memory, count, type, status);
  return on_file(entry, file, [&](Rank& rank, File& f) {
    access_alone(rank, f, individual, into(memory, count, type), status);
  });
}

extern "C" int MPI_File_read_at_c(MPI_File file, MPI_Offset offset, void* memory, MPI_Count count,
                                  MPI_Datatype type, MPI_Status* status) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_read_at_c(file, offset, memory, count, type, status);
  return on_file(entry, file, [&](Rank& rank, File& f) {
    access_alone(rank, f, at(offset), into(memory, count, type), status);
  });
}

extern "C" int MPI_File_read_all_c(MPI_File file, void* memory, MPI_Count count, MPI_Datatype type,
                                   MPI_Status* status) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_read_all_c(file, memory, count, type, status);
  return on_file(entry, file, [&](Rank& rank, File& f) {
    access_together(rank, f, individual, into(memory, count, type), status);
  });
}

extern "C" int MPI_File_read_at_all_c(MPI_File file, MPI_Offset offset, void* memory, MPI_Count count,
                                      MPI_Datatype type, MPI_Status* status) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_read_at_all_c(file, offset, memory, count, type, status);
  return on_file(entry, file, [&](Rank& rank, File& f) {
    access_together(rank, f, at(offset), into(memory, count, type), status);
  });
}

extern "C" int MPI_File_read_ordered_c(MPI_File file, void* memory, MPI_Count count, MPI_Datatype type,
                                       MPI_Status* status) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_read_ordered_c(file, memory, count, type, status);
  return on_file(entry, file, [&](Rank& rank, File& f) {
    access_together(rank, f, ordered, into(memory, count, type), status);
  });
}

extern "C" int MPI_File_iread_c(MPI_File file, void* memory, MPI_Count count, MPI_Datatype type,
                                MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_iread_c(file, memory, count, type, request);
  return on_file(entry, file, [&](Rank& rank, File& f) {
    *request = start_alone(rank, f, individual, into(memory, count, type));
  });
}

extern "C" int MPI_File_iread_at_c(MPI_File file, MPI_Offset offset, void* memory, MPI_Count count,
                                   MPI_Datatype type, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_iread_at_c(file, offset, memory, count, type, request);
  return on_file(entry, file, [&](Rank& rank, File& f) {
    *request = start_alone(rank, f, at(offset), into(memory, count, type));
  });
}

extern "C" int MPI_File_iread_all_c(MPI_File file, void* memory, MPI_Count count, MPI_Datatype type,
                                    MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_iread_all_c(file, memory, count, type, request);
  return on_file(entry, file, [&](Rank& rank, File& f) {
    *request = start_together(rank, f, individual, into(memory, count, type));
  });
}

extern "C" int MPI_File_iread_at_all_c(MPI_File file, MPI_Offset offset, void* memory, MPI_Count count,
                                       MPI_Datatype type, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_iread_at_all_c(file, offset, memory, count, type, request);
  return on_file(entry, file, [&](Rank& rank, File& f) {
    *request = start_together(rank, f, at(offset), into(memory, count, type));
  });
}

extern "C" int MPI_File_read_all_begin_c(MPI_File file, void* memory, MPI_Count count, MPI_Datatype type) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_read_all_begin_c(file, memory, count, type);
  return on_file(entry, file, [&](Rank& rank, File& f) {
    begin_together(rank, f, individual, into(memory, count, type));
  });
}

extern "C" int MPI_File_read_at_all_begin_c(MPI_File file, MPI_Offset offset, void* memory, MPI_Count count,
                                            MPI_Datatype type) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_read_at_all_begin_c(file, offset, memory, count, type);
  return on_file(entry, file, [&](Rank& rank, File& f) {
    begin_together(rank, f, at(offset), into(memory, count, type));
  });
}

extern "C" int MPI_File_read_ordered_begin_c(MPI_File file, void* memory, MPI_Count count,
                                             MPI_Datatype type) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_read_ordered_begin_c(file, memory, count, type);
  return on_file(entry, file,
                 [&](Rank& rank, File& f) { begin_together(rank, f, ordered, into(memory, count, type)); });
}

extern "C" int MPI_File_read_all_end(MPI_File file, void* memory, MPI_Status* status) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_read_all_end(file, memory, status);
  return on_file(entry, file, [&](Rank& rank, File& f) { end_together(rank, f, status); });
}

extern "C" int MPI_File_read_at_all_end(MPI_File file, void* memory, MPI_Status* status) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_read_at_all_end(file, memory, status);
  return on_file(entry, file, [&](Rank& rank, File& f) { end_together(rank, f, status); });
}

extern "C" int MPI_File_read_ordered_end(MPI_File file, void* memory, MPI_Status* status) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_File_read_ordered_end(file, memory, status);
  return on_file(entry, file, [&](Rank& rank, File& f) { end_together(rank, f, status); });
}
