// Point-to-point entry points.

#include <mpi.h>

#include "mpi/convert.h"
#include "mpi/entry.h"

using emu::mpi::buffer_of;
using emu::mpi::check_failed;
using emu::mpi::check_fit;
using emu::mpi::Entry;
using emu::mpi::receiving;
using emu::mpi::sending;
using emu::mpi::set_status;
using emu::rank::Buffer;
using emu::rank::Mode;
using emu::rank::Rank;

namespace {

void send(Rank& rank, const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
          Mode mode) {
  check_failed(rank.send(sending(comm, dest, tag), dest, tag, buffer_of(buf, count, type), mode));
}

MPI_Request add(emu::rank::Request* request, MPI_Comm comm) {
  emu::mpi::keep_type(*request);
  return emu::mpi::process->requests.add(request, comm);
}

MPI_Request isend(Rank& rank, const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                  Mode mode) {
  const auto& c = sending(comm, dest, tag);
  return add(rank.isend(c, dest, tag, buffer_of(buf, count, type), mode), comm);
}

void sendrecv(Rank& rank, const Buffer& data, int dest, int send_tag, const Buffer& into, int source,
              int recv_tag, MPI_Comm comm, MPI_Status* status) {
  sending(comm, dest, send_tag);
  const auto& c = receiving(comm, source, recv_tag);
  const auto found = rank.send_receive(c, dest, send_tag, data, source, recv_tag, into);
  set_status(status, found);
  check_failed(found);
  check_fit(found, into.bytes);
}

}  // namespace

extern "C" [[gnu::hot]] decltype(MPI_Send) MPI_Send;
extern "C" [[gnu::hot]] decltype(MPI_Isend) MPI_Isend;
extern "C" [[gnu::hot]] decltype(MPI_Recv) MPI_Recv;
extern "C" [[gnu::hot]] decltype(MPI_Irecv) MPI_Irecv;

extern "C" int MPI_Send(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Send(buf, count, type, dest, tag, comm);
  return entry.run(comm, [&](Rank& rank) { send(rank, buf, count, type, dest, tag, comm, Mode::standard); });
}

extern "C" int MPI_Rsend(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Rsend(buf, count, type, dest, tag, comm);
  return entry.run(comm, [&](Rank& rank) { send(rank, buf, count, type, dest, tag, comm, Mode::standard); });
}

extern "C" int MPI_Ssend(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Ssend(buf, count, type, dest, tag, comm);
  return entry.run(comm,
                   [&](Rank& rank) { send(rank, buf, count, type, dest, tag, comm, Mode::synchronous); });
}

extern "C" int MPI_Bsend(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Bsend(buf, count, type, dest, tag, comm);
  return entry.run(comm, [&](Rank& rank) { send(rank, buf, count, type, dest, tag, comm, Mode::buffered); });
}

extern "C" int MPI_Isend(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                         MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Isend(buf, count, type, dest, tag, comm, request);
  return entry.run(
      comm, [&](Rank& rank) { *request = isend(rank, buf, count, type, dest, tag, comm, Mode::standard); });
}

extern "C" int MPI_Irsend(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                          MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Irsend(buf, count, type, dest, tag, comm, request);
  return entry.run(
      comm, [&](Rank& rank) { *request = isend(rank, buf, count, type, dest, tag, comm, Mode::standard); });
}

extern "C" int MPI_Issend(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                          MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Issend(buf, count, type, dest, tag, comm, request);
  return entry.run(comm, [&](Rank& rank) {
    *request = isend(rank, buf, count, type, dest, tag, comm, Mode::synchronous);
  });
}

extern "C" int MPI_Ibsend(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                          MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Ibsend(buf, count, type, dest, tag, comm, request);
  return entry.run(
      comm, [&](Rank& rank) { *request = isend(rank, buf, count, type, dest, tag, comm, Mode::buffered); });
}

extern "C" int MPI_Recv(void* buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                        MPI_Status* status) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Recv(buf, count, type, source, tag, comm, status);
  return entry.run(comm, [&](Rank& rank) {
    const auto& c = receiving(comm, source, tag);
    const Buffer into = buffer_of(buf, count, type);
    const auto found = rank.receive(c, source, tag, into);
    set_status(status, found);
    check_failed(found);
    check_fit(found, into.bytes);
  });
}

extern "C" int MPI_Irecv(void* buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                         MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Irecv(buf, count, type, source, tag, comm, request);
  return entry.run(comm, [&](Rank& rank) {
    const auto& c = receiving(comm, source, tag);
    *request = add(rank.ireceive(c, source, tag, buffer_of(buf, count, type)), comm);
  });
}

extern "C" int MPI_Sendrecv(const void* send_buf, int send_count, MPI_Datatype send_type, int dest,
                            int send_tag, void* recv_buf, int recv_count, MPI_Datatype recv_type, int source,
                            int recv_tag, MPI_Comm comm, MPI_Status* status) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Sendrecv(send_buf, send_count, send_type, dest, send_tag, recv_buf, recv_count, recv_type,
                         source, recv_tag, comm, status);
  return entry.run(comm, [&](Rank& rank) {
    sendrecv(rank, buffer_of(send_buf, send_count, send_type), dest, send_tag,
             buffer_of(recv_buf, recv_count, recv_type), source, recv_tag, comm, status);
  });
}

extern "C" int MPI_Sendrecv_replace(void* buf, int count, MPI_Datatype type, int dest, int send_tag,
                                    int source, int recv_tag, MPI_Comm comm, MPI_Status* status) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Sendrecv_replace(buf, count, type, dest, send_tag, source, recv_tag, comm, status);
  return entry.run(comm, [&](Rank& rank) {
    const Buffer into = buffer_of(buf, count, type);
    std::vector<std::byte> copy(static_cast<std::size_t>(into.bytes));
    into.read_into(copy.data());
    sendrecv(rank, Buffer::contiguous(copy.data(), into.bytes), dest, send_tag, into, source, recv_tag, comm,
             status);
  });
}

extern "C" int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status* status) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Probe(source, tag, comm, status);
  return entry.run(comm, [&](Rank& rank) {
    const auto found = rank.probe(receiving(comm, source, tag), source, tag);
    check_failed(found);
    set_status(status, found);
  });
}

extern "C" int MPI_Iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Iprobe(source, tag, comm, flag, status);
  return entry.run(comm, [&](Rank& rank) {
    const auto found = rank.iprobe(receiving(comm, source, tag), source, tag);
    *flag = 0;
    if (!found) return;
    check_failed(*found);
    *flag = 1;
    set_status(status, *found);
  });
}
