// Collectives whose counts are of type MPI_Count: each of them blocking, in the background, and persistent.
#include <emu/emu.h>

#include "answers.h"

namespace {

using Ints = std::vector<int>;
using Counts = std::vector<MPI_Count>;
constexpr MPI_Count n = 5;

struct Data {
  explicit Data(const Answers& me)
      : ranks(static_cast<std::size_t>(me.size)),
        mine(counting(n, me.rank * 1000)),
        for_all(counting(n * ranks, me.rank * 7000)),
        got(n * ranks),
        one(n),
        types(ranks, MPI_INT) {
    for (std::size_t i = 0; i < ranks; ++i) {
      counts.push_back(static_cast<MPI_Count>(i % 3) + 1);
      displacements.push_back(static_cast<MPI_Aint>(i * n));
      bytes.push_back(static_cast<MPI_Aint>(i * n * sizeof(int)));
    }
    same = Counts(ranks, counts[static_cast<std::size_t>(me.rank)]);
  }
  void clear() {
    std::fill(got.begin(), got.end(), -1);
    one = mine;
  }
  void result(const char* what) {
    show(what, got);
    show(what, one);
  }
  template <class Blocking, class Background, class Persistent>
  void run(const char* what, Blocking blocking, Background background, Persistent persistent) {
    MPI_Request request;
    clear();
    blocking();
    result(what);
    clear();
    background(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    result(what);
    // Natively, the blocking operation replaces it: see persistent_collectives.cc.
    if (emu_active()) persistent(&request);
    for (int time = 0; time < 2; ++time) {
      clear();
      if (emu_active()) {
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
      } else {
        blocking();
      }
      result(what);
    }
    if (emu_active()) MPI_Request_free(&request);
  }

  std::size_t ranks;
  Ints mine, for_all, got, one;
  Counts counts, same;
  std::vector<MPI_Aint> displacements, bytes;
  std::vector<MPI_Datatype> types;
};

void rooted(const Answers& me) {
  Data d(me);
  const MPI_Comm world = MPI_COMM_WORLD;
  const int root = me.size - 1;
  const MPI_Count own = d.counts[static_cast<std::size_t>(me.rank)];
  d.run(
      "bcast", [&] { MPI_Bcast_c(d.one.data(), n, MPI_INT, root, world); },
      [&](MPI_Request* r) { MPI_Ibcast_c(d.one.data(), n, MPI_INT, root, world, r); },
      [&](MPI_Request* r) { MPI_Bcast_init_c(d.one.data(), n, MPI_INT, root, world, MPI_INFO_NULL, r); });
  d.run(
      "gather", [&] { MPI_Gather_c(d.mine.data(), n, MPI_INT, d.got.data(), n, MPI_INT, root, world); },
      [&](MPI_Request* r) {
        MPI_Igather_c(d.mine.data(), n, MPI_INT, d.got.data(), n, MPI_INT, root, world, r);
      },
      [&](MPI_Request* r) {
        MPI_Gather_init_c(d.mine.data(), n, MPI_INT, d.got.data(), n, MPI_INT, root, world, MPI_INFO_NULL, r);
      });
  d.run(
      "gatherv",
      [&] {
        MPI_Gatherv_c(d.mine.data(), own, MPI_INT, d.got.data(), d.counts.data(), d.displacements.data(),
                      MPI_INT, root, world);
      },
      [&](MPI_Request* r) {
        MPI_Igatherv_c(d.mine.data(), own, MPI_INT, d.got.data(), d.counts.data(), d.displacements.data(),
                       MPI_INT, root, world, r);
      },
      [&](MPI_Request* r) {
        MPI_Gatherv_init_c(d.mine.data(), own, MPI_INT, d.got.data(), d.counts.data(), d.displacements.data(),
                           MPI_INT, root, world, MPI_INFO_NULL, r);
      });
  d.run(
      "scatter", [&] { MPI_Scatter_c(d.for_all.data(), n, MPI_INT, d.one.data(), n, MPI_INT, root, world); },
      [&](MPI_Request* r) {
        MPI_Iscatter_c(d.for_all.data(), n, MPI_INT, d.one.data(), n, MPI_INT, root, world, r);
      },
      [&](MPI_Request* r) {
        MPI_Scatter_init_c(d.for_all.data(), n, MPI_INT, d.one.data(), n, MPI_INT, root, world, MPI_INFO_NULL,
                           r);
      });
  d.run(
      "scatterv",
      [&] {
        MPI_Scatterv_c(d.for_all.data(), d.counts.data(), d.displacements.data(), MPI_INT, d.one.data(), own,
                       MPI_INT, root, world);
      },
      [&](MPI_Request* r) {
        MPI_Iscatterv_c(d.for_all.data(), d.counts.data(), d.displacements.data(), MPI_INT, d.one.data(), own,
                        MPI_INT, root, world, r);
      },
      [&](MPI_Request* r) {
        MPI_Scatterv_init_c(d.for_all.data(), d.counts.data(), d.displacements.data(), MPI_INT, d.one.data(),
                            own, MPI_INT, root, world, MPI_INFO_NULL, r);
      });
}

// Every rank gets some elements from every other rank.
void all_to_all(const Answers& me) {
  Data d(me);
  const MPI_Comm world = MPI_COMM_WORLD;
  const MPI_Count own = d.counts[static_cast<std::size_t>(me.rank)];
  d.run(
      "allgather", [&] { MPI_Allgather_c(d.mine.data(), n, MPI_INT, d.got.data(), n, MPI_INT, world); },
      [&](MPI_Request* r) {
        MPI_Iallgather_c(d.mine.data(), n, MPI_INT, d.got.data(), n, MPI_INT, world, r);
      },
      [&](MPI_Request* r) {
        MPI_Allgather_init_c(d.mine.data(), n, MPI_INT, d.got.data(), n, MPI_INT, world, MPI_INFO_NULL, r);
      });
  d.run(
      "allgatherv",
      [&] {
        MPI_Allgatherv_c(d.mine.data(), own, MPI_INT, d.got.data(), d.counts.data(), d.displacements.data(),
                         MPI_INT, world);
      },
      [&](MPI_Request* r) {
        MPI_Iallgatherv_c(d.mine.data(), own, MPI_INT, d.got.data(), d.counts.data(), d.displacements.data(),
                          MPI_INT, world, r);
      },
      [&](MPI_Request* r) {
        MPI_Allgatherv_init_c(d.mine.data(), own, MPI_INT, d.got.data(), d.counts.data(),
                              d.displacements.data(), MPI_INT, world, MPI_INFO_NULL, r);
      });
  d.run(
      "alltoall", [&] { MPI_Alltoall_c(d.for_all.data(), n, MPI_INT, d.got.data(), n, MPI_INT, world); },
      [&](MPI_Request* r) {
        MPI_Ialltoall_c(d.for_all.data(), n, MPI_INT, d.got.data(), n, MPI_INT, world, r);
      },
      [&](MPI_Request* r) {
        MPI_Alltoall_init_c(d.for_all.data(), n, MPI_INT, d.got.data(), n, MPI_INT, world, MPI_INFO_NULL, r);
      });
  d.run(
      "alltoallv",
      [&] {
        MPI_Alltoallv_c(d.for_all.data(), d.same.data(), d.displacements.data(), MPI_INT, d.got.data(),
                        d.counts.data(), d.displacements.data(), MPI_INT, world);
      },
      [&](MPI_Request* r) {
        MPI_Ialltoallv_c(d.for_all.data(), d.same.data(), d.displacements.data(), MPI_INT, d.got.data(),
                         d.counts.data(), d.displacements.data(), MPI_INT, world, r);
      },
      [&](MPI_Request* r) {
        MPI_Alltoallv_init_c(d.for_all.data(), d.same.data(), d.displacements.data(), MPI_INT, d.got.data(),
                             d.counts.data(), d.displacements.data(), MPI_INT, world, MPI_INFO_NULL, r);
      });
  d.run(
      "alltoallw",
      [&] {
        MPI_Alltoallw_c(d.for_all.data(), d.same.data(), d.bytes.data(), d.types.data(), d.got.data(),
                        d.counts.data(), d.bytes.data(), d.types.data(), world);
      },
      [&](MPI_Request* r) {
        MPI_Ialltoallw_c(d.for_all.data(), d.same.data(), d.bytes.data(), d.types.data(), d.got.data(),
                         d.counts.data(), d.bytes.data(), d.types.data(), world, r);
      },
      [&](MPI_Request* r) {
        MPI_Alltoallw_init_c(d.for_all.data(), d.same.data(), d.bytes.data(), d.types.data(), d.got.data(),
                             d.counts.data(), d.bytes.data(), d.types.data(), world, MPI_INFO_NULL, r);
      });
}

void reducing(const Answers& me) {
  Data d(me);
  const MPI_Comm world = MPI_COMM_WORLD;
  const int root = me.size - 1;
  d.run(
      "reduce", [&] { MPI_Reduce_c(d.mine.data(), d.one.data(), n, MPI_INT, MPI_SUM, root, world); },
      [&](MPI_Request* r) {
        MPI_Ireduce_c(d.mine.data(), d.one.data(), n, MPI_INT, MPI_SUM, root, world, r);
      },
      [&](MPI_Request* r) {
        MPI_Reduce_init_c(d.mine.data(), d.one.data(), n, MPI_INT, MPI_SUM, root, world, MPI_INFO_NULL, r);
      });
  d.run(
      "allreduce", [&] { MPI_Allreduce_c(d.mine.data(), d.one.data(), n, MPI_INT, MPI_SUM, world); },
      [&](MPI_Request* r) { MPI_Iallreduce_c(d.mine.data(), d.one.data(), n, MPI_INT, MPI_SUM, world, r); },
      [&](MPI_Request* r) {
        MPI_Allreduce_init_c(d.mine.data(), d.one.data(), n, MPI_INT, MPI_SUM, world, MPI_INFO_NULL, r);
      });
  d.run(
      "reduce_scatter_block",
      [&] { MPI_Reduce_scatter_block_c(d.for_all.data(), d.one.data(), n, MPI_INT, MPI_SUM, world); },
      [&](MPI_Request* r) {
        MPI_Ireduce_scatter_block_c(d.for_all.data(), d.one.data(), n, MPI_INT, MPI_SUM, world, r);
      },
      [&](MPI_Request* r) {
        MPI_Reduce_scatter_block_init_c(d.for_all.data(), d.one.data(), n, MPI_INT, MPI_SUM, world,
                                        MPI_INFO_NULL, r);
      });
  d.run(
      "reduce_scatter",
      [&] { MPI_Reduce_scatter_c(d.for_all.data(), d.one.data(), d.counts.data(), MPI_INT, MPI_SUM, world); },
      [&](MPI_Request* r) {
        MPI_Ireduce_scatter_c(d.for_all.data(), d.one.data(), d.counts.data(), MPI_INT, MPI_SUM, world, r);
      },
      [&](MPI_Request* r) {
        MPI_Reduce_scatter_init_c(d.for_all.data(), d.one.data(), d.counts.data(), MPI_INT, MPI_SUM, world,
                                  MPI_INFO_NULL, r);
      });
  d.run(
      "scan", [&] { MPI_Scan_c(d.mine.data(), d.one.data(), n, MPI_INT, MPI_SUM, world); },
      [&](MPI_Request* r) { MPI_Iscan_c(d.mine.data(), d.one.data(), n, MPI_INT, MPI_SUM, world, r); },
      [&](MPI_Request* r) {
        MPI_Scan_init_c(d.mine.data(), d.one.data(), n, MPI_INT, MPI_SUM, world, MPI_INFO_NULL, r);
      });
  d.run(
      "exscan", [&] { MPI_Exscan_c(d.mine.data(), d.one.data(), n, MPI_INT, MPI_SUM, world); },
      [&](MPI_Request* r) { MPI_Iexscan_c(d.mine.data(), d.one.data(), n, MPI_INT, MPI_SUM, world, r); },
      [&](MPI_Request* r) {
        MPI_Exscan_init_c(d.mine.data(), d.one.data(), n, MPI_INT, MPI_SUM, world, MPI_INFO_NULL, r);
      });
}

}  // namespace

int main(int argc, char** argv) {
  const Answers me(&argc, &argv);
  rooted(me);
  all_to_all(me);
  reducing(me);
}
