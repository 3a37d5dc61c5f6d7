// Point-to-point entry points.

#include <mpi.h>

#include "mpi/convert.h"
#include "mpi/entry.h"

using emu::mpi::buffer_of;
using emu::mpi::check_failed;
using emu::mpi::check_fit;
using emu::mpi::receiving;
using emu::mpi::sending;
using emu::mpi::tell;
using emu::rank::Mode;
using emu::rank::Rank;

namespace {

MPI_Request add(emu::rank::Request* request, MPI_Comm comm) {
  emu::mpi::keep_type(*request);
  return emu::mpi::process->requests.add(request, comm);
}

void sendrecv(Rank& rank, const void* send_buf, int send_count, MPI_Datatype send_type, int dest,
              int send_tag, const emu::rank::Buffer& into, int source, int recv_tag, MPI_Comm comm,
              MPI_Status* status) {
  sending(comm, dest, send_tag);
  const auto& c = receiving(comm, source, recv_tag);
  const auto found = rank.send_receive(c, dest, send_tag, buffer_of(send_buf, send_count, send_type), source,
                                       recv_tag, into);
  tell(status, found);
  check_failed(found);
  check_fit(found, into.bytes);
}

}  // namespace

extern "C" [[gnu::hot]] decltype(MPI_Send) MPI_Send;
extern "C" [[gnu::hot]] decltype(MPI_Isend) MPI_Isend;
extern "C" [[gnu::hot]] decltype(MPI_Recv) MPI_Recv;
extern "C" [[gnu::hot]] decltype(MPI_Irecv) MPI_Irecv;

#define EMU_SEND(NAME, MODE)                                                                               \
  extern "C" int NAME(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {   \
    EMU_ENTRY(                                                                                             \
        comm, P##NAME(buf, count, type, dest, tag, comm),                                                  \
        check_failed(rank.send(sending(comm, dest, tag), dest, tag, buffer_of(buf, count, type), MODE));); \
  }
EMU_SEND(MPI_Send, Mode::standard)
EMU_SEND(MPI_Rsend, Mode::standard)
EMU_SEND(MPI_Ssend, Mode::synchronous)
EMU_SEND(MPI_Bsend, Mode::buffered)

#define EMU_ISEND(NAME, MODE)                                                                          \
  extern "C" int NAME(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, \
                      MPI_Request* request) {                                                          \
    EMU_ENTRY(comm, P##NAME(buf, count, type, dest, tag, comm, request),                               \
              const auto& c = sending(comm, dest, tag);                                                \
              *request = add(rank.isend(c, dest, tag, buffer_of(buf, count, type), MODE), comm););     \
  }
EMU_ISEND(MPI_Isend, Mode::standard)
EMU_ISEND(MPI_Irsend, Mode::standard)
EMU_ISEND(MPI_Issend, Mode::synchronous)
EMU_ISEND(MPI_Ibsend, Mode::buffered)

extern "C" int MPI_Recv(void* buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                        MPI_Status* status) {
  EMU_ENTRY(comm, PMPI_Recv(buf, count, type, source, tag, comm, status),
            const auto into = buffer_of(buf, count, type);
            const auto found = rank.receive(receiving(comm, source, tag), source, tag, into);
            tell(status, found); check_failed(found); check_fit(found, into.bytes););
}

extern "C" int MPI_Irecv(void* buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                         MPI_Request* request) {
  EMU_ENTRY(comm, PMPI_Irecv(buf, count, type, source, tag, comm, request),
            const auto& c = receiving(comm, source, tag);
            *request = add(rank.ireceive(c, source, tag, buffer_of(buf, count, type)), comm););
}

extern "C" int MPI_Sendrecv(const void* send_buf, int send_count, MPI_Datatype send_type, int dest,
                            int send_tag, void* recv_buf, int recv_count, MPI_Datatype recv_type, int source,
                            int recv_tag, MPI_Comm comm, MPI_Status* status) {
  EMU_ENTRY(comm,
            PMPI_Sendrecv(send_buf, send_count, send_type, dest, send_tag, recv_buf, recv_count, recv_type,
                          source, recv_tag, comm, status),
            sendrecv(rank, send_buf, send_count, send_type, dest, send_tag,
                     buffer_of(recv_buf, recv_count, recv_type), source, recv_tag, comm, status););
}

extern "C" int MPI_Sendrecv_replace(void* buf, int count, MPI_Datatype type, int dest, int send_tag,
                                    int source, int recv_tag, MPI_Comm comm, MPI_Status* status) {
  EMU_ENTRY(comm, PMPI_Sendrecv_replace(buf, count, type, dest, send_tag, source, recv_tag, comm, status),
            const auto into = buffer_of(buf, count, type);
            std::vector<std::byte> copy(static_cast<std::size_t>(into.bytes)); into.read_into(copy.data());
            sendrecv(rank, copy.data(), static_cast<int>(copy.size()), MPI_BYTE, dest, send_tag, into, source,
                     recv_tag, comm, status););
}

extern "C" int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status* status) {
  EMU_ENTRY(comm, PMPI_Probe(source, tag, comm, status),
            const auto found = rank.probe(receiving(comm, source, tag), source, tag);
            check_failed(found); tell(status, found););
}

extern "C" int MPI_Iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  EMU_ENTRY(comm, PMPI_Iprobe(source, tag, comm, flag, status),
            const auto found = rank.iprobe(receiving(comm, source, tag), source, tag);
            *flag = 0; if (found) check_failed(*found); *flag = found ? 1 : 0;
            if (found) tell(status, *found););
}
