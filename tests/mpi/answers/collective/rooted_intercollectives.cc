// Collectives of intercommunicators with roots in both groups, and barriers; blocking, in the background and
// persistent, with counts of type MPI_Count too.
#include "answers.h"
#include "intercollectives.h"

namespace {

// Natively, with a root other than 0, MPI_Ibcast of MPICH 4.0.2 gives the other group the old data of the rank with
// that number among its own, or fails if there is none (mpir_localproc.c). The blocking operation replaces it.
void barrier_and_bcast(Data& d) {
  d.run(
      "barrier", [&] { MPI_Barrier(d.comm); }, [&](MPI_Request* r) { MPI_Ibarrier(d.comm, r); },
      [&](MPI_Request* r) { MPI_Barrier_init(d.comm, MPI_INFO_NULL, r); });
  d.run(
      "bcast", [&] { MPI_Bcast(d.buffer.data(), d.n, MPI_INT, d.root, d.comm); },
      [&](MPI_Request* r) {
        if (emu_active())
          MPI_Ibcast(d.buffer.data(), d.n, MPI_INT, d.root, d.comm, r);
        else
          MPI_Bcast(d.buffer.data(), d.n, MPI_INT, d.root, d.comm);
      },
      [&](MPI_Request* r) {
        MPI_Bcast_init(d.buffer.data(), d.n, MPI_INT, d.root, d.comm, MPI_INFO_NULL, r);
      });
  d.run(
      "bcast_c", [&] { MPI_Bcast_c(d.buffer.data(), d.n, MPI_INT, d.root, d.comm); },
      [&](MPI_Request* r) {
        if (emu_active())
          MPI_Ibcast_c(d.buffer.data(), d.n, MPI_INT, d.root, d.comm, r);
        else
          MPI_Bcast_c(d.buffer.data(), d.n, MPI_INT, d.root, d.comm);
      },
      [&](MPI_Request* r) {
        MPI_Bcast_init_c(d.buffer.data(), d.n, MPI_INT, d.root, d.comm, MPI_INFO_NULL, r);
      });
}

void gathers(Data& d) {
  d.run(
      "gather", [&] { MPI_Gather(d.mine.data(), d.n, MPI_INT, d.got.data(), d.n, MPI_INT, d.root, d.comm); },
      [&](MPI_Request* r) {
        MPI_Igather(d.mine.data(), d.n, MPI_INT, d.got.data(), d.n, MPI_INT, d.root, d.comm, r);
      },
      [&](MPI_Request* r) {
        MPI_Gather_init(d.mine.data(), d.n, MPI_INT, d.got.data(), d.n, MPI_INT, d.root, d.comm,
                        MPI_INFO_NULL, r);
      });
  d.run(
      "gather_c",
      [&] { MPI_Gather_c(d.mine.data(), d.n, MPI_INT, d.got.data(), d.n, MPI_INT, d.root, d.comm); },
      [&](MPI_Request* r) {
        MPI_Igather_c(d.mine.data(), d.n, MPI_INT, d.got.data(), d.n, MPI_INT, d.root, d.comm, r);
      },
      [&](MPI_Request* r) {
        MPI_Gather_init_c(d.mine.data(), d.n, MPI_INT, d.got.data(), d.n, MPI_INT, d.root, d.comm,
                          MPI_INFO_NULL, r);
      });
  d.run(
      "gatherv",
      [&] {
        MPI_Gatherv(d.mine.data(), d.own, MPI_INT, d.got.data(), d.counts.data(), d.places.data(), MPI_INT,
                    d.root, d.comm);
      },
      [&](MPI_Request* r) {
        MPI_Igatherv(d.mine.data(), d.own, MPI_INT, d.got.data(), d.counts.data(), d.places.data(), MPI_INT,
                     d.root, d.comm, r);
      },
      [&](MPI_Request* r) {
        MPI_Gatherv_init(d.mine.data(), d.own, MPI_INT, d.got.data(), d.counts.data(), d.places.data(),
                         MPI_INT, d.root, d.comm, MPI_INFO_NULL, r);
      });
  d.run(
      "gatherv_c",
      [&] {
        MPI_Gatherv_c(d.mine.data(), d.own, MPI_INT, d.got.data(), d.wide_counts.data(), d.wide_places.data(),
                      MPI_INT, d.root, d.comm);
      },
      [&](MPI_Request* r) {
        MPI_Igatherv_c(d.mine.data(), d.own, MPI_INT, d.got.data(), d.wide_counts.data(),
                       d.wide_places.data(), MPI_INT, d.root, d.comm, r);
      },
      [&](MPI_Request* r) {
        MPI_Gatherv_init_c(d.mine.data(), d.own, MPI_INT, d.got.data(), d.wide_counts.data(),
                           d.wide_places.data(), MPI_INT, d.root, d.comm, MPI_INFO_NULL, r);
      });
}

void scatters(Data& d) {
  d.run(
      "scatter",
      [&] { MPI_Scatter(d.for_all.data(), d.n, MPI_INT, d.got.data(), d.n, MPI_INT, d.root, d.comm); },
      [&](MPI_Request* r) {
        MPI_Iscatter(d.for_all.data(), d.n, MPI_INT, d.got.data(), d.n, MPI_INT, d.root, d.comm, r);
      },
      [&](MPI_Request* r) {
        MPI_Scatter_init(d.for_all.data(), d.n, MPI_INT, d.got.data(), d.n, MPI_INT, d.root, d.comm,
                         MPI_INFO_NULL, r);
      });
  d.run(
      "scatter_c",
      [&] { MPI_Scatter_c(d.for_all.data(), d.n, MPI_INT, d.got.data(), d.n, MPI_INT, d.root, d.comm); },
      [&](MPI_Request* r) {
        MPI_Iscatter_c(d.for_all.data(), d.n, MPI_INT, d.got.data(), d.n, MPI_INT, d.root, d.comm, r);
      },
      [&](MPI_Request* r) {
        MPI_Scatter_init_c(d.for_all.data(), d.n, MPI_INT, d.got.data(), d.n, MPI_INT, d.root, d.comm,
                           MPI_INFO_NULL, r);
      });
  d.run(
      "scatterv",
      [&] {
        MPI_Scatterv(d.for_all.data(), d.counts.data(), d.places.data(), MPI_INT, d.got.data(), d.own,
                     MPI_INT, d.root, d.comm);
      },
      [&](MPI_Request* r) {
        MPI_Iscatterv(d.for_all.data(), d.counts.data(), d.places.data(), MPI_INT, d.got.data(), d.own,
                      MPI_INT, d.root, d.comm, r);
      },
      [&](MPI_Request* r) {
        MPI_Scatterv_init(d.for_all.data(), d.counts.data(), d.places.data(), MPI_INT, d.got.data(), d.own,
                          MPI_INT, d.root, d.comm, MPI_INFO_NULL, r);
      });
  d.run(
      "scatterv_c",
      [&] {
        MPI_Scatterv_c(d.for_all.data(), d.wide_counts.data(), d.wide_places.data(), MPI_INT, d.got.data(),
                       d.own, MPI_INT, d.root, d.comm);
      },
      [&](MPI_Request* r) {
        MPI_Iscatterv_c(d.for_all.data(), d.wide_counts.data(), d.wide_places.data(), MPI_INT, d.got.data(),
                        d.own, MPI_INT, d.root, d.comm, r);
      },
      [&](MPI_Request* r) {
        MPI_Scatterv_init_c(d.for_all.data(), d.wide_counts.data(), d.wide_places.data(), MPI_INT,
                            d.got.data(), d.own, MPI_INT, d.root, d.comm, MPI_INFO_NULL, r);
      });
}

void reduces(Data& d) {
  d.run(
      "reduce", [&] { MPI_Reduce(d.mine.data(), d.got.data(), d.n, MPI_INT, d.op, d.root, d.comm); },
      [&](MPI_Request* r) {
        MPI_Ireduce(d.mine.data(), d.got.data(), d.n, MPI_INT, d.op, d.root, d.comm, r);
      },
      [&](MPI_Request* r) {
        MPI_Reduce_init(d.mine.data(), d.got.data(), d.n, MPI_INT, d.op, d.root, d.comm, MPI_INFO_NULL, r);
      });
  d.run(
      "reduce_c", [&] { MPI_Reduce_c(d.mine.data(), d.got.data(), d.n, MPI_INT, d.op, d.root, d.comm); },
      [&](MPI_Request* r) {
        MPI_Ireduce_c(d.mine.data(), d.got.data(), d.n, MPI_INT, d.op, d.root, d.comm, r);
      },
      [&](MPI_Request* r) {
        MPI_Reduce_init_c(d.mine.data(), d.got.data(), d.n, MPI_INT, d.op, d.root, d.comm, MPI_INFO_NULL, r);
      });
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
