// Collectives that combine data.

#include <mpi.h>

#include <vector>

#include "collective/prepare_inter.h"
#include "mpi/calls.h"
#include "mpi/objects.h"
#include "mpi/prepare.h"

namespace emu::mpi::prepare {

namespace {

using model::Bytes;
using model::Collective;

void check_count(Bytes count) {
  if (count < 0) throw Error{MPI_ERR_COUNT, "negative count " + std::to_string(count)};
}

model::AlgorithmQuery asked(Collective operation, const model::Reduction& what, Bytes bytes, int ranks,
                            bool lists_counts = false) {
  return {.operation = operation,
          .bytes = bytes,
          .ranks = ranks,
          .elements = what.count,
          .commutative = what.commutative,
          .lists_counts = lists_counts};
}

// If the order of operands matters, an algorithm of the target that may change it is not used.
model::AlgorithmChoice chosen(Collective operation, const model::Reduction& what, Bytes bytes, int ranks,
                              bool lists_counts = false) {
  const model::AlgorithmChoice way = algorithm(asked(operation, what, bytes, ranks, lists_counts));
  if (!what.commutative && model::needs_commutative(way)) ++process->doubts.other_algorithms;
  return way;
}

// Every rank contributes `given` elements, which are in `recv` if in
// place, and gets the first `taken`. Returns true if they are in place.
bool combine(CollectiveCall& call, const void* send, void* recv, Bytes given, Bytes taken, MPI_Datatype type,
             MPI_Op op) {
  const Type t = type_of(type);
  call.combine_with(op, t);
  const bool in_place = send == MPI_IN_PLACE;
  if (given > 0) check_apart(send, recv);
  if (!in_place) check_memory(send, given, t);
  call.output = Packed(recv, in_place ? given : taken, t);
  call.given_in_output = true;  // also if not in place: an exscan leaves the memory on rank 0 unchanged
  if (!in_place) call.input = Packed(send, given, t);
  call.stored = taken;
  return in_place;
}

}  // namespace

void reduce(CollectiveCall& call, const void* send, void* recv, MPI_Count count, MPI_Datatype type, MPI_Op op,
            int root) {
  if (call.inter()) return inter::reduce(call, send, recv, count, type, op, root);
  check_count(count);
  const rank::Communicator& c = call.rooted(root);
  const Type t = type_of(type);
  call.combine_with(op, t);
  const bool at_root = c.rank == root, in_place = at_root && send == MPI_IN_PLACE;
  if (!in_place) check_memory(send, count, t);
  if (at_root) check_memory(recv, count, t);
  if (at_root && count > 0) check_apart(send, recv);
  if (!in_place) call.input = Packed(send, count, t);
  if (at_root) call.output = Packed(recv, call.stored = count, t);
  call.given_in_output = in_place;
  const model::Reduction what = call.with->reduction(count);
  call.agree(what.bytes());
  const model::AlgorithmChoice way = chosen(Collective::reduce, what, what.bytes(), c.size());
  const model::NodeGroups* const groups =
      call.by_nodes(asked(Collective::reduce, what, what.bytes(), c.size()), way);
  call.schedule = groups ? model::reduce_by_nodes(*groups, root, what, in_place)
                         : model::reduce(c.rank, c.size(), root, what, in_place, way);
}

void allreduce(CollectiveCall& call, const void* send, void* recv, MPI_Count count, MPI_Datatype type,
               MPI_Op op) {
  if (call.inter()) return inter::allreduce(call, send, recv, count, type, op);
  check_count(count);
  const rank::Communicator& c = call.members();
  const Type t = type_of(type);
  call.combine_with(op, t);
  const bool in_place = send == MPI_IN_PLACE;
  if (!in_place) check_memory(send, count, t);
  check_memory(recv, count, t);
  if (count > 0) check_apart(send, recv);
  call.output = Packed(recv, call.stored = count, t);
  call.given_in_output = in_place;
  if (!in_place) call.input = Packed(send, count, t);
  const model::Reduction what = call.with->reduction(count);
  call.agree(what.bytes());
  const model::AlgorithmChoice way = chosen(Collective::allreduce, what, what.bytes(), c.size());
  const model::NodeGroups* const groups =
      call.by_nodes(asked(Collective::allreduce, what, what.bytes(), c.size()), way);
  call.schedule = groups ? model::allreduce_by_nodes(*groups, what, in_place)
                         : model::allreduce(c.rank, c.size(), what, in_place, way);
}

void scan(CollectiveCall& call, const void* send, void* recv, MPI_Count count, MPI_Datatype type, MPI_Op op) {
  if (call.inter()) throw Error{MPI_ERR_COMM, "MPI defines no scan of an intercommunicator"};
  check_count(count);
  const rank::Communicator& c = call.members();
  const bool in_place = combine(call, send, recv, count, count, type, op);
  call.schedule = model::scan(c.rank, c.size(), call.with->reduction(count), in_place);
}

void exscan(CollectiveCall& call, const void* send, void* recv, MPI_Count count, MPI_Datatype type,
            MPI_Op op) {
  if (call.inter()) throw Error{MPI_ERR_COMM, "MPI defines no scan of an intercommunicator"};
  check_count(count);
  const rank::Communicator& c = call.members();
  const bool in_place = combine(call, send, recv, count, count, type, op);
  call.schedule = model::exscan(c.rank, c.size(), call.with->reduction(count), in_place);
}

void reduce_scatter_block(CollectiveCall& call, const void* send, void* recv, MPI_Count count,
                          MPI_Datatype type, MPI_Op op) {
  if (call.inter()) return inter::reduce_scatter_block(call, send, recv, count, type, op);
  check_count(count);
  const rank::Communicator& c = call.members();
  const bool in_place = combine(call, send, recv, count * c.size(), count, type, op);
  const model::Reduction what = call.with->reduction(count);
  call.agree(what.bytes());
  call.schedule = model::reduce_scatter_block(
      c.rank, c.size(), what, in_place,
      chosen(Collective::reduce_scatter, what, what.bytes() * c.size(), c.size()));
}

void reduce_scatter(CollectiveCall& call, const void* send, void* recv, const Numbers& counts,
                    MPI_Datatype type, MPI_Op op) {
  if (call.inter()) return inter::reduce_scatter(call, send, recv, counts, type, op);
  const rank::Communicator& c = call.members();
  std::vector<Bytes> parts;
  Bytes all = 0;
  for (int i = 0; i < c.size(); ++i) {
    check_count(counts[i]);
    parts.push_back(counts[i]);
    all += counts[i];
  }
  const bool in_place = combine(call, send, recv, all, counts[c.rank], type, op);
  const model::Reduction what = call.with->reduction(0);
  call.schedule = model::reduce_scatter(
      c.rank, c.size(), parts, what, in_place,
      chosen(Collective::reduce_scatter, what, what.element * all, c.size(), /*lists_counts=*/true));
}

}  // namespace emu::mpi::prepare

namespace emu::mpi::calls {

// Collectives in the background may still need the datatype.
void type_free(Rank&, MPI_Datatype* type) {
  keep_freed_type(*type);
  if (objects->requests.keep_datatype(*type))
    *type = MPI_DATATYPE_NULL;
  else if (free_datatype(process->calls.last, *type) != MPI_SUCCESS)
    throw Error{MPI_ERR_TYPE, "invalid datatype, or a predefined one"};
}

void op_free(Rank&, MPI_Op* op) {
  if (objects->requests.keep_operation(*op))
    *op = MPI_OP_NULL;
  else if (PMPI_Op_free(op) != MPI_SUCCESS)
    throw Error{MPI_ERR_OP, "invalid operation, or a predefined one"};
}

}  // namespace emu::mpi::calls
