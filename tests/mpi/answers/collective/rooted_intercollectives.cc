// Collectives of intercommunicators with roots in both groups, and barriers; blocking, in the background and
// persistent, with counts of type MPI_Count too.
#include "answers.h"
#include "intercollectives.h"

namespace {

// Natively, with a root other than 0, MPI_Ibcast of MPICH 4.0.2 gives the other group the old data of the rank with
// that number among its own, or fails if there is none (mpir_localproc.c). The blocking operation replaces it.
template <auto blocking, auto background, class Count>
int bcast_in_background(void* data, Count n, MPI_Datatype type, int root, MPI_Comm comm,
                        MPI_Request* request) {
  return emu_active() ? background(data, n, type, root, comm, request) : blocking(data, n, type, root, comm);
}

void barrier_and_bcast(Data& d) {
  d.run("barrier", FORMS(Barrier, barrier), d.comm);
  d.run("bcast", Forms{MPI_Bcast, bcast_in_background<MPI_Bcast, MPI_Ibcast, int>, MPI_Bcast_init},
        d.buffer.data(), d.n, MPI_INT, d.root, d.comm);
  d.run("bcast_c",
        Forms{MPI_Bcast_c, bcast_in_background<MPI_Bcast_c, MPI_Ibcast_c, MPI_Count>, MPI_Bcast_init_c},
        d.buffer.data(), d.n, MPI_INT, d.root, d.comm);
}

void gathers(Data& d) {
  d.run("gather", FORMS(Gather, gather), d.mine.data(), d.n, MPI_INT, d.got.data(), d.n, MPI_INT, d.root,
        d.comm);
  d.run("gather_c", LARGE_FORMS(Gather, gather), d.mine.data(), d.n, MPI_INT, d.got.data(), d.n, MPI_INT,
        d.root, d.comm);
  d.run("gatherv", FORMS(Gatherv, gatherv), d.mine.data(), d.own, MPI_INT, d.got.data(), d.counts.data(),
        d.places.data(), MPI_INT, d.root, d.comm);
  d.run("gatherv_c", LARGE_FORMS(Gatherv, gatherv), d.mine.data(), d.own, MPI_INT, d.got.data(),
        d.wide_counts.data(), d.wide_places.data(), MPI_INT, d.root, d.comm);
}

void scatters(Data& d) {
  d.run("scatter", FORMS(Scatter, scatter), d.for_all.data(), d.n, MPI_INT, d.got.data(), d.n, MPI_INT,
        d.root, d.comm);
  d.run("scatter_c", LARGE_FORMS(Scatter, scatter), d.for_all.data(), d.n, MPI_INT, d.got.data(), d.n,
        MPI_INT, d.root, d.comm);
  d.run("scatterv", FORMS(Scatterv, scatterv), d.for_all.data(), d.counts.data(), d.places.data(), MPI_INT,
        d.got.data(), d.own, MPI_INT, d.root, d.comm);
  d.run("scatterv_c", LARGE_FORMS(Scatterv, scatterv), d.for_all.data(), d.wide_counts.data(),
        d.wide_places.data(), MPI_INT, d.got.data(), d.own, MPI_INT, d.root, d.comm);
}

void reduces(Data& d) {
  d.run("reduce", FORMS(Reduce, reduce), d.mine.data(), d.got.data(), d.n, MPI_INT, d.op, d.root, d.comm);
  d.run("reduce_c", LARGE_FORMS(Reduce, reduce), d.mine.data(), d.got.data(), d.n, MPI_INT, d.op, d.root,
        d.comm);
}

void rooted(Data& d) {
  barrier_and_bcast(d);
  gathers(d);
  scatters(d);
  reduces(d);
}

void all_of(const Answers& me, MPI_Comm comm, int length, MPI_Op op) {
  Data d(me, comm, length);
  d.op = op;
  for (const bool second : {false, true}) {
    int here = 0, there = 0;
    MPI_Comm_size(comm, &here);
    MPI_Comm_remote_size(comm, &there);
    d.root_at(second, (second == d.second ? here : there) - 1);
    rooted(d);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Answers me(&argc, &argv);
  MPI_Op op;
  MPI_Op_create(first_by_three, 0, &op);
  for (const int left : {1, me.size / 2, me.size - 1}) {
    MPI_Comm inter = groups_of(me, left), copy;
    all_of(me, inter, 3, MPI_SUM);
    all_of(me, inter, 700, op);
    MPI_Comm_dup(inter, &copy);
    MPI_Comm_free(&inter);
    all_of(me, copy, 2, MPI_SUM);
    MPI_Comm_free(&copy);
  }
  MPI_Op_free(&op);
}
