// Point-to-point entry points whose counts are of type MPI_Count.

#include <mpi.h>

#include "mpi/p2p.h"

using emu::mpi::Entry;
using emu::mpi::Error;
using emu::rank::Mode;
using emu::rank::Rank;

extern "C" int MPI_Send_c(const void* buf, MPI_Count count, MPI_Datatype type, int dest, int tag,
                          MPI_Comm comm) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Send_c(buf, count, type, dest, tag, comm);
  return entry.run(comm, [&](Rank& rank) {
    emu::mpi::send(rank, {buf, count, type}, dest, tag, comm, Mode::standard);
  });
}

extern "C" int MPI_Bsend_c(const void* buf, MPI_Count count, MPI_Datatype type, int dest, int tag,
                           MPI_Comm comm) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Bsend_c(buf, count, type, dest, tag, comm);
  return entry.run(comm, [&](Rank& rank) {
    emu::mpi::send(rank, {buf, count, type}, dest, tag, comm, Mode::buffered);
  });
}

extern "C" int MPI_Ssend_c(const void* buf, MPI_Count count, MPI_Datatype type, int dest, int tag,
                           MPI_Comm comm) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Ssend_c(buf, count, type, dest, tag, comm);
  return entry.run(comm, [&](Rank& rank) {
    emu::mpi::send(rank, {buf, count, type}, dest, tag, comm, Mode::synchronous);
  });
}

extern "C" int MPI_Rsend_c(const void* buf, MPI_Count count, MPI_Datatype type, int dest, int tag,
                           MPI_Comm comm) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Rsend_c(buf, count, type, dest, tag, comm);
  return entry.run(comm, [&](Rank& rank) {
    emu::mpi::send(rank, {buf, count, type}, dest, tag, comm, Mode::standard);
  });
}

extern "C" int MPI_Isend_c(const void* buf, MPI_Count count, MPI_Datatype type, int dest, int tag,
                           MPI_Comm comm, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Isend_c(buf, count, type, dest, tag, comm, request);
  return entry.run(comm, [&](Rank& rank) {
    emu::mpi::present(request);
    *request = emu::mpi::isend(rank, {buf, count, type}, dest, tag, comm, Mode::standard);
  });
}

extern "C" int MPI_Ibsend_c(const void* buf, MPI_Count count, MPI_Datatype type, int dest, int tag,
                            MPI_Comm comm, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Ibsend_c(buf, count, type, dest, tag, comm, request);
  return entry.run(comm, [&](Rank& rank) {
    emu::mpi::present(request);
    *request = emu::mpi::isend(rank, {buf, count, type}, dest, tag, comm, Mode::buffered);
  });
}

extern "C" int MPI_Issend_c(const void* buf, MPI_Count count, MPI_Datatype type, int dest, int tag,
                            MPI_Comm comm, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Issend_c(buf, count, type, dest, tag, comm, request);
  return entry.run(comm, [&](Rank& rank) {
    emu::mpi::present(request);
    *request = emu::mpi::isend(rank, {buf, count, type}, dest, tag, comm, Mode::synchronous);
  });
}

extern "C" int MPI_Irsend_c(const void* buf, MPI_Count count, MPI_Datatype type, int dest, int tag,
                            MPI_Comm comm, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Irsend_c(buf, count, type, dest, tag, comm, request);
  return entry.run(comm, [&](Rank& rank) {
    emu::mpi::present(request);
    *request = emu::mpi::isend(rank, {buf, count, type}, dest, tag, comm, Mode::standard);
  });
}

extern "C" int MPI_Recv_c(void* buf, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                          MPI_Status* status) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Recv_c(buf, count, type, source, tag, comm, status);
  return entry.run(comm, [&](Rank& rank) {
    emu::mpi::receive(rank, {buf, count, type}, source, tag, comm, status);
  });
}

extern "C" int MPI_Irecv_c(void* buf, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                           MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Irecv_c(buf, count, type, source, tag, comm, request);
  return entry.run(comm, [&](Rank& rank) {
    emu::mpi::present(request);
    *request = emu::mpi::ireceive(rank, {buf, count, type}, source, tag, comm);
  });
}

extern "C" int MPI_Sendrecv_c(const void* send_buf, MPI_Count send_count, MPI_Datatype send_type, int dest,
                              int send_tag, void* recv_buf, MPI_Count recv_count, MPI_Datatype recv_type,
                              int source, int recv_tag, MPI_Comm comm, MPI_Status* status) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Sendrecv_c(send_buf, send_count, send_type, dest, send_tag, recv_buf, recv_count, recv_type,
                           source, recv_tag, comm, status);
  return entry.run(comm, [&](Rank& rank) {
    emu::mpi::send_receive(rank, {send_buf, send_count, send_type}, dest, send_tag,
                           {recv_buf, recv_count, recv_type}, source, recv_tag, comm, status);
  });
}

extern "C" int MPI_Sendrecv_replace_c(void* buf, MPI_Count count, MPI_Datatype type, int dest, int send_tag,
                                      int source, int recv_tag, MPI_Comm comm, MPI_Status* status) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Sendrecv_replace_c(buf, count, type, dest, send_tag, source, recv_tag, comm, status);
  return entry.run(comm, [&](Rank& rank) {
    emu::mpi::send_receive_replace(rank, {buf, count, type}, dest, send_tag, source, recv_tag, comm, status);
  });
}

extern "C" int MPI_Mrecv_c(void* buf, MPI_Count count, MPI_Datatype type, MPI_Message* message,
                           MPI_Status* status) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Mrecv_c(buf, count, type, message, status);
  return entry.run(MPI_COMM_WORLD, [&](Rank& rank) {
    emu::mpi::receive_matched(rank, {buf, count, type}, message, status);
  });
}

extern "C" int MPI_Imrecv_c(void* buf, MPI_Count count, MPI_Datatype type, MPI_Message* message,
                            MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Imrecv_c(buf, count, type, message, request);
  return entry.run(MPI_COMM_WORLD, [&](Rank& rank) {
    emu::mpi::present(request);
    *request = emu::mpi::ireceive_matched(rank, {buf, count, type}, message);
  });
}

extern "C" int MPI_Send_init_c(const void* buf, MPI_Count count, MPI_Datatype type, int dest, int tag,
                               MPI_Comm comm, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Send_init_c(buf, count, type, dest, tag, comm, request);
  return entry.run(comm, [&](Rank& rank) {
    emu::mpi::present(request);
    *request = emu::mpi::persistent_send(rank, {buf, count, type}, dest, tag, comm, Mode::standard);
  });
}

extern "C" int MPI_Bsend_init_c(const void* buf, MPI_Count count, MPI_Datatype type, int dest, int tag,
                                MPI_Comm comm, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Bsend_init_c(buf, count, type, dest, tag, comm, request);
  return entry.run(comm, [&](Rank& rank) {
    emu::mpi::present(request);
    *request = emu::mpi::persistent_send(rank, {buf, count, type}, dest, tag, comm, Mode::buffered);
  });
}

extern "C" int MPI_Ssend_init_c(const void* buf, MPI_Count count, MPI_Datatype type, int dest, int tag,
                                MPI_Comm comm, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Ssend_init_c(buf, count, type, dest, tag, comm, request);
  return entry.run(comm, [&](Rank& rank) {
    emu::mpi::present(request);
    *request = emu::mpi::persistent_send(rank, {buf, count, type}, dest, tag, comm, Mode::synchronous);
  });
}

extern "C" int MPI_Rsend_init_c(const void* buf, MPI_Count count, MPI_Datatype type, int dest, int tag,
                                MPI_Comm comm, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Rsend_init_c(buf, count, type, dest, tag, comm, request);
  return entry.run(comm, [&](Rank& rank) {
    emu::mpi::present(request);
    *request = emu::mpi::persistent_send(rank, {buf, count, type}, dest, tag, comm, Mode::standard);
  });
}

extern "C" int MPI_Recv_init_c(void* buf, MPI_Count count, MPI_Datatype type, int source, int tag,
                               MPI_Comm comm, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Recv_init_c(buf, count, type, source, tag, comm, request);
  return entry.run(comm, [&](Rank& rank) {
    emu::mpi::present(request);
    *request = emu::mpi::persistent_receive(rank, {buf, count, type}, source, tag, comm);
  });
}

extern "C" int MPI_Buffer_attach_c(void* buffer, MPI_Count size) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Buffer_attach_c(buffer, size);
  return entry.run(MPI_COMM_WORLD, [&](Rank&) {
    if (size < 0) throw Error{MPI_ERR_ARG, "negative size " + std::to_string(size)};
    if (PMPI_Buffer_attach_c(buffer, size) != MPI_SUCCESS) throw Error{MPI_ERR_BUFFER, "invalid buffer"};
    emu::mpi::process->buffer_attached = true;
  });
}

extern "C" int MPI_Buffer_detach_c(void* buffer, MPI_Count* size) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Buffer_detach_c(buffer, size);
  return entry.run(MPI_COMM_WORLD, [&](Rank& rank) {
    rank.finish_buffered();
    if (PMPI_Buffer_detach_c(buffer, size) != MPI_SUCCESS) throw Error{MPI_ERR_BUFFER, "no buffer attached"};
    emu::mpi::process->buffer_attached = false;
  });
}
