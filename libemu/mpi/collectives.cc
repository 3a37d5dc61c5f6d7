// Entry points of collectives that move data. Each is a schedule of model/collectives.h, run as messages.

#include "model/collectives.h"

#include <mpi.h>

#include <algorithm>
#include <vector>

#include "mpi/convert.h"
#include "mpi/entry.h"

using emu::model::Block;
using emu::model::Bytes;
using emu::mpi::Entry;
using emu::mpi::Error;
using emu::mpi::Packed;
using emu::mpi::Type;
using emu::mpi::type_of;
using emu::rank::Communicator;
using emu::rank::Rank;
namespace model = emu::model;

namespace {

const Communicator& members(MPI_Comm comm) { return emu::mpi::process->communicators.find(comm); }

const Communicator& rooted(MPI_Comm comm, int root) {
  const Communicator& c = members(comm);
  if (root < 0 || root >= c.size())
    throw Error{MPI_ERR_ROOT, "invalid root " + std::to_string(root) + " in a communicator of size " +
                                  std::to_string(c.size())};
  return c;
}

Packed data(const void* address, Bytes count, const Type& type) {
  if (count < 0) throw Error{MPI_ERR_COUNT, "negative count " + std::to_string(count)};
  return Packed(address, count, type);
}

void run(Rank& rank, const Communicator& c, const model::Schedule& schedule, Packed& input, Packed& output) {
  emu::mpi::run(rank, c, schedule, Rank::Memory{input.bytes(), output.bytes(), nullptr, nullptr});
}

// The parts of a v-operation as packed bytes in rank order, and where each stands in the program's memory.
class Parts {
 public:
  Parts() = default;
  Parts(const void* address, const int* counts, const int* displacements, int ranks, const Type& type) {
    if (type.contiguous) base_ = static_cast<std::byte*>(const_cast<void*>(address));
    Bytes offset = 0;
    for (int i = 0; i < ranks; ++i) {
      if (counts[i] < 0)
        throw Error{MPI_ERR_COUNT,
                    "negative count " + std::to_string(counts[i]) + " for rank " + std::to_string(i)};
      const Bytes size = counts[i] * type.size;
      auto* part = static_cast<std::byte*>(const_cast<void*>(address)) + displacements[i] * type.extent;
      blocks_.push_back({type.contiguous ? displacements[i] * type.extent : offset, size});
      if (!type.contiguous) parts_.emplace_back(part, counts[i], type);
      offset += size;
    }
    if (!type.contiguous) copy_.resize(static_cast<std::size_t>(offset));
  }
  std::byte* bytes() { return base_ ? base_ : copy_.data(); }
  const std::vector<Block>& blocks() const { return blocks_; }
  void load() {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      parts_[i].load();
      std::copy_n(parts_[i].bytes(), blocks_[i].bytes, copy_.data() + blocks_[i].offset);
    }
  }
  void store() {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      std::copy_n(copy_.data() + blocks_[i].offset, blocks_[i].bytes, parts_[i].bytes());
      parts_[i].store();
    }
  }

 private:
  std::byte* base_ = nullptr;
  std::vector<Block> blocks_;
  std::vector<Packed> parts_;
  std::vector<std::byte> copy_;
};

void gather(Rank& rank, const void* send, int send_count, MPI_Datatype send_type, void* recv, int recv_count,
            MPI_Datatype recv_type, int root, MPI_Comm comm) {
  const Communicator& c = rooted(comm, root);
  const bool at_root = c.rank == root, in_place = at_root && send == MPI_IN_PLACE;
  Packed input, output;
  if (!in_place) (input = data(send, send_count, type_of(send_type))).load();
  if (at_root) output = data(recv, Bytes{recv_count} * c.size(), type_of(recv_type));
  if (in_place) output.load();
  const Bytes block = at_root ? output.size() / c.size() : input.size();
  run(rank, c, model::gather(c.rank, c.size(), root, block, in_place), input, output);
  if (at_root) output.store();
}

void scatter(Rank& rank, const void* send, int send_count, MPI_Datatype send_type, void* recv, int recv_count,
             MPI_Datatype recv_type, int root, MPI_Comm comm) {
  const Communicator& c = rooted(comm, root);
  const bool at_root = c.rank == root, in_place = at_root && recv == MPI_IN_PLACE;
  Packed input, output;
  if (at_root) (input = data(send, Bytes{send_count} * c.size(), type_of(send_type))).load();
  if (!in_place) output = data(recv, recv_count, type_of(recv_type));
  const Bytes block = at_root ? input.size() / c.size() : output.size();
  run(rank, c, model::scatter(c.rank, c.size(), root, block, in_place), input, output);
  if (!in_place) output.store();
}

void gatherv(Rank& rank, const void* send, int send_count, MPI_Datatype send_type, void* recv,
             const int* counts, const int* displacements, MPI_Datatype recv_type, int root, MPI_Comm comm) {
  const Communicator& c = rooted(comm, root);
  const bool at_root = c.rank == root, in_place = at_root && send == MPI_IN_PLACE;
  Packed input;
  Parts output;
  if (!in_place) (input = data(send, send_count, type_of(send_type))).load();
  if (at_root) output = Parts(recv, counts, displacements, c.size(), type_of(recv_type));
  if (in_place) output.load();
  const Bytes own = in_place ? output.blocks()[static_cast<std::size_t>(root)].bytes : input.size();
  auto schedule = model::gatherv(c.rank, c.size(), root, own, output.blocks(), in_place);
  schedule.synchronous = model::gatherv_synchronous(c.size());
  emu::mpi::run(rank, c, schedule, Rank::Memory{input.bytes(), output.bytes(), nullptr, nullptr});
  if (at_root) output.store();
}

void scatterv(Rank& rank, const void* send, const int* counts, const int* displacements,
              MPI_Datatype send_type, void* recv, int recv_count, MPI_Datatype recv_type, int root,
              MPI_Comm comm) {
  const Communicator& c = rooted(comm, root);
  const bool at_root = c.rank == root, in_place = at_root && recv == MPI_IN_PLACE;
  Parts input;
  Packed output;
  if (at_root) (input = Parts(send, counts, displacements, c.size(), type_of(send_type))).load();
  if (!in_place) output = data(recv, recv_count, type_of(recv_type));
  const Bytes own = in_place ? input.blocks()[static_cast<std::size_t>(root)].bytes : output.size();
  emu::mpi::run(rank, c, model::scatterv(c.rank, c.size(), root, input.blocks(), own, in_place),
                Rank::Memory{input.bytes(), output.bytes(), nullptr, nullptr});
  if (!in_place) output.store();
}

void allgather(Rank& rank, const void* send, int send_count, MPI_Datatype send_type, void* recv,
               int recv_count, MPI_Datatype recv_type, MPI_Comm comm) {
  const Communicator& c = members(comm);
  const bool in_place = send == MPI_IN_PLACE;
  Packed input, output = data(recv, Bytes{recv_count} * c.size(), type_of(recv_type));
  if (in_place)
    output.load();
  else
    (input = data(send, send_count, type_of(send_type))).load();
  run(rank, c, model::allgather(c.rank, c.size(), output.size() / c.size(), in_place), input, output);
  output.store();
}

void allgatherv(Rank& rank, const void* send, int send_count, MPI_Datatype send_type, void* recv,
                const int* counts, const int* displacements, MPI_Datatype recv_type, MPI_Comm comm) {
  const Communicator& c = members(comm);
  const bool in_place = send == MPI_IN_PLACE;
  const Type type = type_of(recv_type);
  Packed input;
  Parts output(recv, counts, displacements, c.size(), type);
  if (in_place)
    output.load();
  else
    (input = data(send, send_count, type_of(send_type))).load();
  const model::Element element{std::max<Bytes>(type.size, 1), std::max<Bytes>(type.extent, 1)};
  emu::mpi::run(rank, c, model::allgatherv(c.rank, c.size(), output.blocks(), element, in_place),
                Rank::Memory{input.bytes(), output.bytes(), nullptr, nullptr});
  output.store();
}

void alltoall(Rank& rank, const void* send, int send_count, MPI_Datatype send_type, void* recv,
              int recv_count, MPI_Datatype recv_type, MPI_Comm comm) {
  const Communicator& c = members(comm);
  const bool in_place = send == MPI_IN_PLACE;
  Packed input, output = data(recv, Bytes{recv_count} * c.size(), type_of(recv_type));
  if (in_place)
    output.load();
  else
    (input = data(send, Bytes{send_count} * c.size(), type_of(send_type))).load();
  run(rank, c, model::alltoall(c.rank, c.size(), output.size() / c.size(), in_place), input, output);
  output.store();
}

void alltoallv(Rank& rank, const void* send, const int* send_counts, const int* send_displacements,
               MPI_Datatype send_type, void* recv, const int* recv_counts, const int* recv_displacements,
               MPI_Datatype recv_type, MPI_Comm comm) {
  const Communicator& c = members(comm);
  const bool in_place = send == MPI_IN_PLACE;
  Parts input, output(recv, recv_counts, recv_displacements, c.size(), type_of(recv_type));
  if (in_place)
    output.load();
  else
    (input = Parts(send, send_counts, send_displacements, c.size(), type_of(send_type))).load();
  emu::mpi::run(rank, c, model::alltoallv(c.rank, c.size(), input.blocks(), output.blocks(), in_place),
                Rank::Memory{input.bytes(), output.bytes(), nullptr, nullptr});
  output.store();
}

}  // namespace

extern "C" int MPI_Barrier(MPI_Comm comm) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Barrier(comm);
  return entry.run(comm, [&](Rank& rank) {
    const Communicator& c = members(comm);
    emu::mpi::run(rank, c, model::barrier(c.rank, c.size()), {});
  });
}

extern "C" int MPI_Bcast(void* buf, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Bcast(buf, count, type, root, comm);
  return entry.run(comm, [&](Rank& rank) {
    const Communicator& c = rooted(comm, root);
    Packed none, output = data(buf, count, type_of(type));
    if (c.rank == root) output.load();
    run(rank, c, model::bcast(c.rank, c.size(), root, output.size()), none, output);
    if (c.rank != root) output.store();
  });
}

extern "C" int MPI_Gather(const void* send, int send_count, MPI_Datatype send_type, void* recv,
                          int recv_count, MPI_Datatype recv_type, int root, MPI_Comm comm) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Gather(send, send_count, send_type, recv, recv_count, recv_type, root, comm);
  return entry.run(comm, [&](Rank& rank) {
    gather(rank, send, send_count, send_type, recv, recv_count, recv_type, root, comm);
  });
}

extern "C" int MPI_Gatherv(const void* send, int send_count, MPI_Datatype send_type, void* recv,
                           const int counts[], const int displacements[], MPI_Datatype recv_type, int root,
                           MPI_Comm comm) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Gatherv(send, send_count, send_type, recv, counts, displacements, recv_type, root, comm);
  return entry.run(comm, [&](Rank& rank) {
    gatherv(rank, send, send_count, send_type, recv, counts, displacements, recv_type, root, comm);
  });
}

extern "C" int MPI_Scatter(const void* send, int send_count, MPI_Datatype send_type, void* recv,
                           int recv_count, MPI_Datatype recv_type, int root, MPI_Comm comm) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Scatter(send, send_count, send_type, recv, recv_count, recv_type, root, comm);
  return entry.run(comm, [&](Rank& rank) {
    scatter(rank, send, send_count, send_type, recv, recv_count, recv_type, root, comm);
  });
}

extern "C" int MPI_Scatterv(const void* send, const int counts[], const int displacements[],
                            MPI_Datatype send_type, void* recv, int recv_count, MPI_Datatype recv_type,
                            int root, MPI_Comm comm) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Scatterv(send, counts, displacements, send_type, recv, recv_count, recv_type, root, comm);
  return entry.run(comm, [&](Rank& rank) {
    scatterv(rank, send, counts, displacements, send_type, recv, recv_count, recv_type, root, comm);
  });
}

extern "C" int MPI_Allgather(const void* send, int send_count, MPI_Datatype send_type, void* recv,
                             int recv_count, MPI_Datatype recv_type, MPI_Comm comm) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Allgather(send, send_count, send_type, recv, recv_count, recv_type, comm);
  return entry.run(comm, [&](Rank& rank) {
    allgather(rank, send, send_count, send_type, recv, recv_count, recv_type, comm);
  });
}

extern "C" int MPI_Allgatherv(const void* send, int send_count, MPI_Datatype send_type, void* recv,
                              const int counts[], const int displacements[], MPI_Datatype recv_type,
                              MPI_Comm comm) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Allgatherv(send, send_count, send_type, recv, counts, displacements, recv_type, comm);
  return entry.run(comm, [&](Rank& rank) {
    allgatherv(rank, send, send_count, send_type, recv, counts, displacements, recv_type, comm);
  });
}

extern "C" int MPI_Alltoall(const void* send, int send_count, MPI_Datatype send_type, void* recv,
                            int recv_count, MPI_Datatype recv_type, MPI_Comm comm) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Alltoall(send, send_count, send_type, recv, recv_count, recv_type, comm);
  return entry.run(comm, [&](Rank& rank) {
    alltoall(rank, send, send_count, send_type, recv, recv_count, recv_type, comm);
  });
}

extern "C" int MPI_Alltoallv(const void* send, const int send_counts[], const int send_displacements[],
                             MPI_Datatype send_type, void* recv, const int recv_counts[],
                             const int recv_displacements[], MPI_Datatype recv_type, MPI_Comm comm) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Alltoallv(send, send_counts, send_displacements, send_type, recv, recv_counts,
                          recv_displacements, recv_type, comm);
  return entry.run(comm, [&](Rank& rank) {
    alltoallv(rank, send, send_counts, send_displacements, send_type, recv, recv_counts, recv_displacements,
              recv_type, comm);
  });
}
