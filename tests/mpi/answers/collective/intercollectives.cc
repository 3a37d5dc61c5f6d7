// Collectives of intercommunicators without a root; blocking, in the background and persistent, with counts of type
// MPI_Count
// too, and on duplicates, also of those that MPI_Comm_idup makes. Those with a root: rooted_intercollectives.cc.
#include "intercollectives.h"

#include "answers.h"

namespace {

void allgathers(Data& d) {
  d.run("allgather", FORMS(Allgather, allgather), d.mine.data(), d.n, MPI_INT, d.got.data(), d.n_there,
        MPI_INT, d.comm);
  d.run("allgather_c", LARGE_FORMS(Allgather, allgather), d.mine.data(), d.n, MPI_INT, d.got.data(),
        d.n_there, MPI_INT, d.comm);
  d.run("allgatherv", FORMS(Allgatherv, allgatherv), d.mine.data(), d.own, MPI_INT, d.got.data(),
        d.counts.data(), d.places.data(), MPI_INT, d.comm);
  d.run("allgatherv_c", LARGE_FORMS(Allgatherv, allgatherv), d.mine.data(), d.own, MPI_INT, d.got.data(),
        d.wide_counts.data(), d.wide_places.data(), MPI_INT, d.comm);
}

void exchanges(Data& d) {
  d.run("alltoall", FORMS(Alltoall, alltoall), d.for_all.data(), d.n, MPI_INT, d.got.data(), d.n_there,
        MPI_INT, d.comm);
  d.run("alltoall_c", LARGE_FORMS(Alltoall, alltoall), d.for_all.data(), d.n, MPI_INT, d.got.data(),
        d.n_there, MPI_INT, d.comm);
  d.run("alltoallv", FORMS(Alltoallv, alltoallv), d.for_all.data(), d.sends.data(), d.places.data(), MPI_INT,
        d.got.data(), d.counts.data(), d.places.data(), MPI_INT, d.comm);
  d.run("alltoallv_c", LARGE_FORMS(Alltoallv, alltoallv), d.for_all.data(), d.wide_sends.data(),
        d.wide_places.data(), MPI_INT, d.got.data(), d.wide_counts.data(), d.wide_places.data(), MPI_INT,
        d.comm);
}

void exchanges_of_types(Data& d) {
  d.run("alltoallw", FORMS(Alltoallw, alltoallw), d.for_all.data(), d.sends.data(), d.bytes.data(),
        d.types.data(), d.got.data(), d.counts.data(), d.bytes.data(), d.types.data(), d.comm);
  d.run("alltoallw_c", LARGE_FORMS(Alltoallw, alltoallw), d.for_all.data(), d.wide_sends.data(),
        d.wide_bytes.data(), d.types.data(), d.got.data(), d.wide_counts.data(), d.wide_bytes.data(),
        d.types.data(), d.comm);
}

void reductions_for_all(Data& d) {
  d.run("allreduce", FORMS(Allreduce, allreduce), d.mine.data(), d.got.data(), d.n_same, MPI_INT, d.op,
        d.comm);
  d.run("allreduce_c", LARGE_FORMS(Allreduce, allreduce), d.mine.data(), d.got.data(), d.n_same, MPI_INT,
        d.op, d.comm);
  d.run("reduce_scatter", FORMS(Reduce_scatter, reduce_scatter), d.for_all.data(), d.got.data(),
        d.shares.data(), MPI_INT, d.op, d.comm);
  d.run("reduce_scatter_c", LARGE_FORMS(Reduce_scatter, reduce_scatter), d.for_all.data(), d.got.data(),
        d.wide_shares.data(), MPI_INT, d.op, d.comm);
  d.run("reduce_scatter_block", FORMS(Reduce_scatter_block, reduce_scatter_block), d.for_all.data(),
        d.got.data(), d.share, MPI_INT, d.op, d.comm);
  d.run("reduce_scatter_block_c", LARGE_FORMS(Reduce_scatter_block, reduce_scatter_block), d.for_all.data(),
        d.got.data(), d.share, MPI_INT, d.op, d.comm);
}

void all_to_all(Data& d) {
  allgathers(d);
  exchanges(d);
  exchanges_of_types(d);
  reductions_for_all(d);
}

void unequal(const Answers& me, MPI_Comm comm, int length, MPI_Op op) {
  Data d(me, comm, length);
  d.op = op;
  d.unequal();
  all_to_all(d);
}

// Uses every second element of the send buffer and of the receive buffer.
void with_holes(const Answers& me, MPI_Comm comm) {
  MPI_Datatype spread;
  MPI_Type_vector(3, 1, 2, MPI_INT, &spread);
  MPI_Type_commit(&spread);
  Data d(me, comm, 6);
  d.run("holes", FORMS(Allgather, allgather), d.mine.data(), 1, spread, d.got.data(), 1, spread, comm);
  MPI_Type_free(&spread);
}

// Created in the background, while another one of another kind and a message are in progress.
void duplicates(const Answers& me, MPI_Comm inter) {
  MPI_Comm copies[2];
  MPI_Request requests[3];
  int value = me.rank, told = -1;
  MPI_Comm_idup(inter, &copies[0], &requests[0]);
  MPI_Comm_idup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &copies[1], &requests[1]);
  MPI_Isend(&value, 1, MPI_INT, (me.rank + 1) % me.size, 3, MPI_COMM_WORLD, &requests[2]);
  MPI_Recv(&told, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  show("told", told);
  int same = -1, inside = -1;
  MPI_Comm_compare(inter, copies[0], &same);
  MPI_Comm_test_inter(copies[0], &inside);
  show("compared", same);
  show("inter", inside);
  Data d(me, copies[0], 2);
  all_to_all(d);
  MPI_Allreduce(&value, &told, 1, MPI_INT, MPI_SUM, copies[1]);
  show("sum", told);
  for (MPI_Comm& copy : copies) MPI_Comm_free(&copy);
}

}  // namespace

int main(int argc, char** argv) {
  const Answers me(&argc, &argv);
  MPI_Op op;
  MPI_Op_create(first_by_three, 0, &op);
  for (const int left : {1, me.size / 2, me.size - 1}) {
    MPI_Comm inter = groups_of(me, left), copy;
    unequal(me, inter, 3, MPI_SUM);
    unequal(me, inter, 700, op);
    MPI_Comm_dup(inter, &copy);
    MPI_Comm_free(&inter);
    with_holes(me, copy);
    duplicates(me, copy);
    MPI_Comm_free(&copy);
  }
  MPI_Op_free(&op);
}
