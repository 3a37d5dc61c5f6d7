// Collectives that move data. Each is a schedule of model/collectives.h, carried out as messages.

#include "model/collectives.h"

#include <mpi.h>

#include <algorithm>

#include "collective/prepare_inter.h"
#include "mpi/prepare.h"

namespace emu::mpi::prepare {

using model::Bytes;
using model::Collective;

namespace {

const std::byte* place_of(const void* address, Bytes displacement) {
  return static_cast<const std::byte*>(address) + displacement;
}

}  // namespace

void barrier(CollectiveCall& call) {
  if (call.inter()) return inter::barrier(call);
  const rank::Communicator& c = call.members();
  const model::AlgorithmQuery asked{Collective::barrier, 0, c.size()};
  const model::AlgorithmChoice way = algorithm(asked);
  const model::NodeGroups* const groups = call.by_nodes(asked, way);
  call.schedule = groups ? model::barrier_by_nodes(*groups) : model::barrier(c.rank, c.size(), way);
}

void bcast(CollectiveCall& call, void* buf, MPI_Count count, MPI_Datatype type, int root) {
  if (call.inter()) return inter::bcast(call, buf, count, type, root);
  const rank::Communicator& c = call.rooted(root);
  call.output = elements(buf, count, type);
  if (c.rank == root)
    call.given_in_output = true;
  else
    call.stored = count;
  call.agree(call.output.size());
  const Bytes bytes = call.output.size();
  const model::AlgorithmQuery asked{Collective::bcast, bytes, c.size()};
  const model::AlgorithmChoice way = algorithm(asked);
  const model::NodeGroups* const groups = call.by_nodes(asked, way);
  call.schedule =
      groups ? model::bcast_by_nodes(*groups, root, bytes) : model::bcast(c.rank, c.size(), root, bytes, way);
  call.schedule.exact = true;
}

void gather(CollectiveCall& call, const void* send, MPI_Count send_count, MPI_Datatype send_type, void* recv,
            MPI_Count recv_count, MPI_Datatype recv_type, int root) {
  if (call.inter())
    return inter::gather(call, send, send_count, send_type, recv, recv_count, recv_type, root);
  const rank::Communicator& c = call.rooted(root);
  const bool at_root = c.rank == root, in_place = at_root && send == MPI_IN_PLACE;
  if (!in_place) call.input = elements(send, send_count, send_type);
  if (at_root) call.output = elements(recv, recv_count * c.size(), recv_type);
  call.given_in_output = in_place;
  if (at_root) call.stored = recv_count * c.size();
  const Bytes block = at_root ? call.output.size() / c.size() : call.input.size();
  if (at_root && !in_place) {
    check_own_part(call.input.size(), block);
    if (send_type == recv_type && send_count == recv_count && send_count > 0)
      check_apart(send, place_of(recv, c.rank * block));
  }
  call.agree(block);
  call.schedule = model::gather(c.rank, c.size(), root, block, in_place,
                                algorithm({Collective::gather, block * c.size(), c.size()}));
}

void scatter(CollectiveCall& call, const void* send, MPI_Count send_count, MPI_Datatype send_type, void* recv,
             MPI_Count recv_count, MPI_Datatype recv_type, int root) {
  if (call.inter())
    return inter::scatter(call, send, send_count, send_type, recv, recv_count, recv_type, root);
  const rank::Communicator& c = call.rooted(root);
  const bool at_root = c.rank == root, in_place = at_root && recv == MPI_IN_PLACE;
  if (at_root) call.input = elements(send, send_count * c.size(), send_type);
  if (!in_place) call.output = elements(recv, call.stored = recv_count, recv_type);
  const Bytes block = at_root ? call.input.size() / c.size() : call.output.size();
  if (at_root && !in_place) {
    check_own_part(block, call.output.size());
    if (send_type == recv_type && send_count == recv_count && send_count > 0)
      check_apart(recv, place_of(send, c.rank * block));
  }
  call.agree(block);
  call.schedule = model::scatter(
      c.rank, c.size(), root, block, in_place,
      algorithm(
          {.operation = Collective::gather, .bytes = block * c.size(), .ranks = c.size(), .scatters = true}));
}

void gatherv(CollectiveCall& call, const void* send, MPI_Count send_count, MPI_Datatype send_type, void* recv,
             const Numbers& counts, const Numbers& displacements, MPI_Datatype recv_type, int root) {
  if (call.inter())
    return inter::gatherv(call, send, send_count, send_type, recv, counts, displacements, recv_type, root);
  const rank::Communicator& c = call.rooted(root);
  const bool at_root = c.rank == root, in_place = at_root && send == MPI_IN_PLACE;
  if (!in_place) call.input = elements(send, send_count, send_type);
  if (at_root) call.outputs = Parts(recv, counts, displacements, c.size(), type_of(recv_type));
  if (at_root && send_type == recv_type && send_count > 0 && counts[root] > 0)
    check_apart(send, place_of(recv, displacements[root] * type_of(recv_type).size));
  call.given_in_output = in_place;
  const Bytes own =
      in_place ? call.outputs.blocks()[static_cast<std::size_t>(root)].bytes : call.input.size();
  call.schedule = model::gatherv(c.rank, c.size(), root, own, call.outputs.blocks(), in_place);
  call.schedule.synchronous = model::gatherv_synchronous(c.size());
}

void scatterv(CollectiveCall& call, const void* send, const Numbers& counts, const Numbers& displacements,
              MPI_Datatype send_type, void* recv, MPI_Count recv_count, MPI_Datatype recv_type, int root) {
  if (call.inter())
    return inter::scatterv(call, send, counts, displacements, send_type, recv, recv_count, recv_type, root);
  const rank::Communicator& c = call.rooted(root);
  const bool at_root = c.rank == root, in_place = at_root && recv == MPI_IN_PLACE;
  if (at_root) call.inputs = Parts(send, counts, displacements, c.size(), type_of(send_type));
  if (!in_place) call.output = elements(recv, call.stored = recv_count, recv_type);
  if (at_root && send_type == recv_type && recv_count > 0 && counts[root] > 0)
    check_apart(recv, place_of(send, displacements[root] * type_of(send_type).size));
  const Bytes own =
      in_place ? call.inputs.blocks()[static_cast<std::size_t>(root)].bytes : call.output.size();
  call.schedule = model::scatterv(c.rank, c.size(), root, call.inputs.blocks(), own, in_place);
}

void allgather(CollectiveCall& call, const void* send, MPI_Count send_count, MPI_Datatype send_type,
               void* recv, MPI_Count recv_count, MPI_Datatype recv_type) {
  if (call.inter()) return inter::allgather(call, send, send_count, send_type, recv, recv_count, recv_type);
  const rank::Communicator& c = call.members();
  const bool in_place = send == MPI_IN_PLACE;
  call.output = elements(recv, recv_count * c.size(), recv_type);
  call.stored = recv_count * c.size();
  call.given_in_output = in_place;
  if (!in_place) {
    const Bytes block = call.output.size() / c.size();
    call.input = elements(send, send_count, send_type);
    check_own_part(call.input.size(), block);
    if (send_type == recv_type && send_count == recv_count && send_count > 0)
      check_apart(send, place_of(recv, c.rank * block));
  }
  call.agree(call.output.size() / c.size());
  call.schedule = model::allgather(c.rank, c.size(), call.output.size() / c.size(), in_place,
                                   algorithm({Collective::allgather, call.output.size(), c.size()}));
}

void allgatherv(CollectiveCall& call, const void* send, MPI_Count send_count, MPI_Datatype send_type,
                void* recv, const Numbers& counts, const Numbers& displacements, MPI_Datatype recv_type) {
  if (call.inter())
    return inter::allgatherv(call, send, send_count, send_type, recv, counts, displacements, recv_type);
  const rank::Communicator& c = call.members();
  const bool in_place = send == MPI_IN_PLACE;
  const Type type = type_of(recv_type);
  call.outputs = Parts(recv, counts, displacements, c.size(), type);
  call.given_in_output = in_place;
  if (!in_place) call.input = elements(send, send_count, send_type);
  if (send_type == recv_type && send_count > 0 && counts[c.rank] > 0)
    check_apart(send, place_of(recv, displacements[c.rank] * type.size));
  Bytes bytes = 0;
  for (const model::Block& block : call.outputs.blocks()) bytes += block.bytes;
  const model::Element element{std::max<Bytes>(type.size, 1), std::max<Bytes>(type.extent, 1)};
  call.schedule = model::allgatherv(
      c.rank, c.size(), call.outputs.blocks(), element, in_place,
      algorithm(
          {.operation = Collective::allgather, .bytes = bytes, .ranks = c.size(), .lists_counts = true}));
}

void alltoall(CollectiveCall& call, const void* send, MPI_Count send_count, MPI_Datatype send_type,
              void* recv, MPI_Count recv_count, MPI_Datatype recv_type) {
  if (call.inter()) return inter::alltoall(call, send, send_count, send_type, recv, recv_count, recv_type);
  const rank::Communicator& c = call.members();
  const bool in_place = send == MPI_IN_PLACE;
  call.output = elements(recv, recv_count * c.size(), recv_type);
  call.stored = recv_count * c.size();
  call.given_in_output = in_place;
  if (!in_place) call.input = elements(send, send_count * c.size(), send_type);
  const Bytes block = call.output.size() / c.size();
  if (!in_place) check_own_part(call.input.size() / c.size(), block);
  if (send_type == recv_type && send_count == recv_count && send_count > 0) check_apart(send, recv);
  call.agree(block);
  call.schedule =
      model::alltoall(c.rank, c.size(), block, in_place, algorithm({Collective::alltoall, block, c.size()}));
}

void alltoallv(CollectiveCall& call, const void* send, const Numbers& send_counts,
               const Numbers& send_displacements, MPI_Datatype send_type, void* recv,
               const Numbers& recv_counts, const Numbers& recv_displacements, MPI_Datatype recv_type) {
  const rank::Communicator& c = call.communicator();  // of an intercommunicator: the other group
  const bool in_place = send == MPI_IN_PLACE;
  call.outputs = Parts(recv, recv_counts, recv_displacements, c.size(), type_of(recv_type));
  call.given_in_output = in_place;
  if (!in_place) call.inputs = Parts(send, send_counts, send_displacements, c.size(), type_of(send_type));
  if (call.inter()) return inter::alltoallv(call);
  if (send_type == recv_type && send_counts == recv_counts) check_apart(send, recv);
  call.schedule = model::alltoallv(c.rank, c.size(), call.inputs.blocks(), call.outputs.blocks(), in_place);
}

void alltoallw(CollectiveCall& call, const void* send, const Numbers& send_counts,
               const Numbers& send_displacements, const MPI_Datatype* send_types, void* recv,
               const Numbers& recv_counts, const Numbers& recv_displacements,
               const MPI_Datatype* recv_types) {
  const rank::Communicator& c = call.communicator();  // of an intercommunicator: the other group
  const bool in_place = send == MPI_IN_PLACE;
  call.outputs = Parts(recv, recv_counts, recv_displacements, c.size(), recv_types);
  call.given_in_output = in_place;
  if (!in_place) call.inputs = Parts(send, send_counts, send_displacements, c.size(), send_types);
  if (call.inter()) return inter::alltoallv(call);
  if (send_types == recv_types && send_counts == recv_counts) check_apart(send, recv);
  call.schedule = model::alltoallv(c.rank, c.size(), call.inputs.blocks(), call.outputs.blocks(), in_place);
}

}  // namespace emu::mpi::prepare
