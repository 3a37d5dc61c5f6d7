// Entry points of collectives that combine data.

#include <mpi.h>

#include <optional>
#include <vector>

#include "model/collectives.h"
#include "mpi/convert.h"
#include "mpi/entry.h"

using emu::model::Bytes;
using emu::mpi::Entry;
using emu::mpi::Error;
using emu::mpi::Packed;
using emu::mpi::Type;
using emu::rank::Communicator;
using emu::rank::Rank;
namespace model = emu::model;

namespace {

// An operation on packed bytes.
class Operator {
 public:
  Operator(MPI_Op op, const Type& type) : op_(op), type_(type) {
    if (op == MPI_OP_NULL || PMPI_Op_commutative(op, &commutative_) != MPI_SUCCESS)
      throw Error{MPI_ERR_OP, "invalid operation"};
    predefined_ = op == MPI_SUM || op == MPI_PROD || op == MPI_MAX || op == MPI_MIN || op == MPI_LAND ||
                  op == MPI_BAND || op == MPI_LOR || op == MPI_BOR || op == MPI_LXOR || op == MPI_BXOR ||
                  op == MPI_MAXLOC || op == MPI_MINLOC || op == MPI_REPLACE || op == MPI_NO_OP;
  }

  model::Reduction reduction(Bytes count) const {
    return {count, std::max<Bytes>(type_.size, 1), commutative_ != 0, predefined_};
  }
  Rank::Memory memory(const std::byte* input, std::byte* output) { return {input, output, &combine, this}; }

 private:
  static void combine(void* self, const std::byte* from, std::byte* into, Bytes bytes) {
    static_cast<Operator*>(self)->apply(from, into, bytes);
  }
  void apply(const std::byte* from, std::byte* into, Bytes bytes) {
    const int count = static_cast<int>(bytes / std::max<Bytes>(type_.size, 1));
    if (count == 0) return;
    if (type_.contiguous) {
      check(operate(from, into, count));
      return;
    }
    // The operation wants elements where the datatype has them in memory.
    MPI_Aint lower, true_extent, lower_bound, extent;
    PMPI_Type_get_true_extent(type_.handle, &lower, &true_extent);
    PMPI_Type_get_extent(type_.handle, &lower_bound, &extent);
    const auto room = static_cast<std::size_t>(std::max<MPI_Aint>(extent, 0) * (count - 1) + true_extent);
    std::vector<std::byte> a(room), b(room);
    std::byte *const pa = a.data() - lower, *const pb = b.data() - lower;
    emu::mpi::unpack(from, bytes, pa, count, type_.handle);
    emu::mpi::unpack(into, bytes, pb, count, type_.handle);
    check(operate(pa, pb, count));
    emu::mpi::pack(pb, count, type_.handle, into, bytes);
  }
  int operate(const void* from, void* into, int count) {
    std::optional<emu::mpi::OwnOperation> own;
    if (!predefined_) own.emplace();
    return PMPI_Reduce_local(from, into, count, type_.handle, op_);
  }
  static void check(int code) {
    if (code != MPI_SUCCESS) throw Error{MPI_ERR_OP, "the operation does not fit the datatype"};
  }

  MPI_Op op_;
  Type type_;
  int commutative_ = 1;
  bool predefined_ = true;
};

const Communicator& members(MPI_Comm comm, int count) {
  const Communicator& c = emu::mpi::process->communicators.find(comm);
  if (count < 0) throw Error{MPI_ERR_COUNT, "negative count " + std::to_string(count)};
  return c;
}

// Every rank contributes `given` elements, or they stand in `recv` if in place, and gets the first `taken`.
template <class MakeSchedule>
void combine(Rank& rank, const Communicator& c, const void* send, void* recv, Bytes given, Bytes taken,
             MPI_Datatype type, MPI_Op op, MakeSchedule schedule) {
  const Type t = emu::mpi::type_of(type);
  Operator with(op, t);
  const bool in_place = send == MPI_IN_PLACE;
  Packed input;
  Packed output(recv, in_place ? given : taken, t);
  output.load();  // an exscan leaves it on rank 0 as it is
  if (!in_place) (input = Packed(send, given, t)).load();
  emu::mpi::run(rank, c, schedule(with, in_place), with.memory(input.bytes(), output.bytes()));
  output.store(0, taken);
}

void reduce(Rank& rank, const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op, int root,
            MPI_Comm comm) {
  const Communicator& c = members(comm, count);
  if (root < 0 || root >= c.size()) throw Error{MPI_ERR_ROOT, "invalid root " + std::to_string(root)};
  const Type t = emu::mpi::type_of(type);
  Operator with(op, t);
  const bool at_root = c.rank == root, in_place = at_root && send == MPI_IN_PLACE;
  Packed input, output;
  if (!in_place) (input = Packed(send, count, t)).load();
  if (at_root) output = Packed(recv, count, t);
  if (in_place) output.load();
  emu::mpi::run(rank, c, model::reduce(c.rank, c.size(), root, with.reduction(count), in_place),
                with.memory(input.bytes(), output.bytes()));
  if (at_root) output.store();
}

void allreduce(Rank& rank, const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op,
               MPI_Comm comm) {
  const Communicator& c = members(comm, count);
  const Type t = emu::mpi::type_of(type);
  Operator with(op, t);
  const bool in_place = send == MPI_IN_PLACE;
  Packed input, output(recv, count, t);
  if (in_place)
    output.load();
  else
    (input = Packed(send, count, t)).load();
  emu::mpi::run(rank, c, model::allreduce(c.rank, c.size(), with.reduction(count), in_place),
                with.memory(input.bytes(), output.bytes()));
  output.store();
}

}  // namespace

extern "C" int MPI_Scan(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op,
                        MPI_Comm comm) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Scan(send, recv, count, type, op, comm);
  return entry.run(comm, [&](Rank& rank) {
    const Communicator& c = members(comm, count);
    combine(rank, c, send, recv, count, count, type, op, [&](const Operator& with, bool in_place) {
      return model::scan(c.rank, c.size(), with.reduction(count), in_place);
    });
  });
}

extern "C" int MPI_Exscan(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op,
                          MPI_Comm comm) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Exscan(send, recv, count, type, op, comm);
  return entry.run(comm, [&](Rank& rank) {
    const Communicator& c = members(comm, count);
    combine(rank, c, send, recv, count, count, type, op, [&](const Operator& with, bool in_place) {
      return model::exscan(c.rank, c.size(), with.reduction(count), in_place);
    });
  });
}

extern "C" int MPI_Reduce_scatter_block(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op,
                                        MPI_Comm comm) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Reduce_scatter_block(send, recv, count, type, op, comm);
  return entry.run(comm, [&](Rank& rank) {
    const Communicator& c = members(comm, count);
    combine(rank, c, send, recv, Bytes{count} * c.size(), count, type, op,
            [&](const Operator& with, bool in_place) {
              return model::reduce_scatter_block(c.rank, c.size(), with.reduction(count), in_place);
            });
  });
}

extern "C" int MPI_Reduce_scatter(const void* send, void* recv, const int counts[], MPI_Datatype type,
                                  MPI_Op op, MPI_Comm comm) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Reduce_scatter(send, recv, counts, type, op, comm);
  return entry.run(comm, [&](Rank& rank) {
    const Communicator& c = members(comm, 0);
    std::vector<Bytes> parts;
    Bytes all = 0;
    for (int i = 0; i < c.size(); ++i) {
      members(comm, counts[i]);
      parts.push_back(counts[i]);
      all += counts[i];
    }
    combine(rank, c, send, recv, all, counts[c.rank], type, op, [&](const Operator& with, bool in_place) {
      return model::reduce_scatter(c.rank, c.size(), parts, with.reduction(0), in_place);
    });
  });
}

extern "C" int MPI_Reduce(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op, int root,
                          MPI_Comm comm) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Reduce(send, recv, count, type, op, root, comm);
  return entry.run(comm, [&](Rank& rank) { reduce(rank, send, recv, count, type, op, root, comm); });
}

extern "C" int MPI_Allreduce(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op,
                             MPI_Comm comm) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Allreduce(send, recv, count, type, op, comm);
  return entry.run(comm, [&](Rank& rank) { allreduce(rank, send, recv, count, type, op, comm); });
}
