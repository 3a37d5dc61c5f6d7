// Point-to-point entry points.

#include "p2p/p2p.h"

#include <mpi.h>

#include <vector>

#include "mpi/calls.h"
#include "mpi/convert.h"
#include "mpi/objects.h"

using emu::mpi::check_failed;
using emu::mpi::check_status;
using emu::mpi::Entry;
using emu::mpi::receiving;
using emu::mpi::set_status;
using emu::rank::Buffer;
using emu::rank::Mode;
using emu::rank::Rank;

namespace emu::mpi {

namespace {

Buffer memory(const Elements& e) { return buffer_of(e.address, e.count, e.type); }

// The library's own memory carries the data; but natively the send would fail without a buffer of the program.
void check_buffered(int to, Mode mode) {
  if (mode == Mode::buffered && to != MPI_PROC_NULL && !process->calls.buffer_attached)
    throw Error{MPI_ERR_BUFFER, "no buffer is attached for buffered sends; call MPI_Buffer_attach"};
}

MPI_Request add(rank::Request* request, MPI_Comm comm) {
  keep_type(*request);
  return objects->requests.add(request, comm);
}

void exchange(Rank& rank, const Buffer& data, int to, int send_tag, const Buffer& into, int from,
              int receive_tag, MPI_Comm comm, MPI_Status* status) {
  check_status(status);
  sending(comm, to, send_tag);
  const auto& c = receiving(comm, from, receive_tag);
  const auto found = rank.send_receive(c, to, send_tag, data, from, receive_tag, into);
  set_status(status, found);
  check_failed(found);
  check_fit(found, into.bytes);
}

}  // namespace

[[gnu::hot]] void send(Rank& rank, const Elements& data, int to, int tag, MPI_Comm comm, Mode mode) {
  const auto& c = sending(comm, to, tag);
  check_buffered(to, mode);
  check_failed(rank.send(c, to, tag, memory(data), mode));
}

[[gnu::hot]] MPI_Request isend(Rank& rank, const Elements& data, int to, int tag, MPI_Comm comm, Mode mode) {
  const auto& c = sending(comm, to, tag);
  check_buffered(to, mode);
  return add(rank.isend(c, to, tag, memory(data), mode), comm);
}

[[gnu::hot]] void receive(Rank& rank, const Elements& into, int from, int tag, MPI_Comm comm,
                          MPI_Status* status) {
  check_status(status);
  const auto& c = receiving(comm, from, tag);
  const Buffer buffer = memory(into);
  const auto found = rank.receive(c, from, tag, buffer);
  set_status(status, found);
  check_failed(found);
  check_fit(found, buffer.bytes);
}

[[gnu::hot]] MPI_Request ireceive(Rank& rank, const Elements& into, int from, int tag, MPI_Comm comm) {
  const auto& c = receiving(comm, from, tag);
  return add(rank.ireceive(c, from, tag, memory(into)), comm);
}

void send_receive(Rank& rank, const Elements& data, int to, int send_tag, const Elements& into, int from,
                  int receive_tag, MPI_Comm comm, MPI_Status* status) {
  exchange(rank, memory(data), to, send_tag, memory(into), from, receive_tag, comm, status);
}

void send_receive_replace(Rank& rank, const Elements& data, int to, int send_tag, int from, int receive_tag,
                          MPI_Comm comm, MPI_Status* status) {
  const Buffer into = memory(data);
  std::vector<std::byte> copy(static_cast<std::size_t>(into.bytes));
  into.read_into(copy.data());
  exchange(rank, Buffer::contiguous(copy.data(), into.bytes), to, send_tag, into, from, receive_tag, comm,
           status);
}

// A handle is about to be overwritten. If it is that of a pending receive, the program may have copied the handle,
// or lost it (LAMMPS does): it may expect the data in the buffer once later messages of that source have arrived.
[[gnu::hot]] static void overwrites(Rank& rank, MPI_Request handle) {
  if (rank::Request* const lost = objects->requests.under_way(handle)) [[unlikely]]
    rank.lose(lost);
}

}  // namespace emu::mpi

extern "C" [[gnu::hot]] decltype(MPI_Send) MPI_Send;
extern "C" [[gnu::hot]] decltype(MPI_Isend) MPI_Isend;
extern "C" [[gnu::hot]] decltype(MPI_Recv) MPI_Recv;
extern "C" [[gnu::hot]] decltype(MPI_Irecv) MPI_Irecv;

extern "C" int MPI_Send(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Send(buf, count, type, dest, tag, comm);
  return entry.run(comm, [&](Rank& rank) {
    emu::mpi::send(rank, {buf, count, type}, dest, tag, comm, Mode::standard);
  });
}

extern "C" int MPI_Isend(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                         MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Isend(buf, count, type, dest, tag, comm, request);
  return entry.run(comm, [&](Rank& rank) {
    emu::mpi::present(request);
    *request = emu::mpi::isend(rank, {buf, count, type}, dest, tag, comm, Mode::standard);
  });
}

extern "C" int MPI_Recv(void* buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                        MPI_Status* status) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Recv(buf, count, type, source, tag, comm, status);
  return entry.run(comm, [&](Rank& rank) {
    emu::mpi::receive(rank, {buf, count, type}, source, tag, comm, status);
  });
}

extern "C" int MPI_Irecv(void* buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                         MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Irecv(buf, count, type, source, tag, comm, request);
  return entry.run(comm, [&](Rank& rank) {
    emu::mpi::present(request);
    emu::mpi::overwrites(rank, *request);
    *request = emu::mpi::ireceive(rank, {buf, count, type}, source, tag, comm);
  });
}

extern "C" int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status* status) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Probe(source, tag, comm, status);
  return entry.run(comm, [&](Rank& rank) {
    check_status(status);
    const auto found = rank.probe(receiving(comm, source, tag), source, tag);
    check_failed(found);
    set_status(status, found);
  });
}

extern "C" int MPI_Iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Iprobe(source, tag, comm, flag, status);
  return entry.run(comm, [&](Rank& rank) {
    emu::mpi::present(flag);
    check_status(status);
    const auto found = rank.iprobe(receiving(comm, source, tag), source, tag);
    *flag = 0;
    if (!found) return;
    check_failed(*found);
    *flag = 1;
    set_status(status, *found);
  });
}

// The library's own buffers carry buffered sends, so the program's is unused: only the fact that it is attached
// matters.
void emu::mpi::calls::buffer_attach(Rank&, void* buffer, MPI_Count size) {
  if (size < 0) throw Error{MPI_ERR_ARG, "negative size " + std::to_string(size)};
  if (PMPI_Buffer_attach_c(buffer, size) != MPI_SUCCESS) throw Error{MPI_ERR_BUFFER, "invalid buffer"};
  process->calls.buffer_attached = true;
}

MPI_Count emu::mpi::calls::buffer_detach(Rank& rank, void* buffer) {
  rank.finish_buffered();
  MPI_Count size = 0;
  if (PMPI_Buffer_detach_c(buffer, &size) != MPI_SUCCESS) throw Error{MPI_ERR_BUFFER, "no buffer attached"};
  process->calls.buffer_attached = false;
  return size;
}
