// Collectives whose counts are of type MPI_Count: each of them blocking, in the background, and persistent.
#include "answers.h"
#include "collective/forms.h"

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
  template <class... P>
  void run(const char* what, const Forms<P...>& forms, std::type_identity_t<P>... with) {
    perform_all(
        forms, [&] { clear(); }, [&] { result(what); }, with...);
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
  d.run("bcast", LARGE_FORMS(Bcast, bcast), d.one.data(), n, MPI_INT, root, world);
  d.run("gather", LARGE_FORMS(Gather, gather), d.mine.data(), n, MPI_INT, d.got.data(), n, MPI_INT, root,
        world);
  d.run("gatherv", LARGE_FORMS(Gatherv, gatherv), d.mine.data(), own, MPI_INT, d.got.data(), d.counts.data(),
        d.displacements.data(), MPI_INT, root, world);
  d.run("scatter", LARGE_FORMS(Scatter, scatter), d.for_all.data(), n, MPI_INT, d.one.data(), n, MPI_INT,
        root, world);
  d.run("scatterv", LARGE_FORMS(Scatterv, scatterv), d.for_all.data(), d.counts.data(),
        d.displacements.data(), MPI_INT, d.one.data(), own, MPI_INT, root, world);
}

// Every rank gets some elements from every other rank.
void all_to_all(const Answers& me) {
  Data d(me);
  const MPI_Comm world = MPI_COMM_WORLD;
  const MPI_Count own = d.counts[static_cast<std::size_t>(me.rank)];
  d.run("allgather", LARGE_FORMS(Allgather, allgather), d.mine.data(), n, MPI_INT, d.got.data(), n, MPI_INT,
        world);
  d.run("allgatherv", LARGE_FORMS(Allgatherv, allgatherv), d.mine.data(), own, MPI_INT, d.got.data(),
        d.counts.data(), d.displacements.data(), MPI_INT, world);
  d.run("alltoall", LARGE_FORMS(Alltoall, alltoall), d.for_all.data(), n, MPI_INT, d.got.data(), n, MPI_INT,
        world);
  d.run("alltoallv", LARGE_FORMS(Alltoallv, alltoallv), d.for_all.data(), d.same.data(),
        d.displacements.data(), MPI_INT, d.got.data(), d.counts.data(), d.displacements.data(), MPI_INT,
        world);
  d.run("alltoallw", LARGE_FORMS(Alltoallw, alltoallw), d.for_all.data(), d.same.data(), d.bytes.data(),
        d.types.data(), d.got.data(), d.counts.data(), d.bytes.data(), d.types.data(), world);
}

void reducing(const Answers& me) {
  Data d(me);
  const MPI_Comm world = MPI_COMM_WORLD;
  const int root = me.size - 1;
  d.run("reduce", LARGE_FORMS(Reduce, reduce), d.mine.data(), d.one.data(), n, MPI_INT, MPI_SUM, root, world);
  d.run("allreduce", LARGE_FORMS(Allreduce, allreduce), d.mine.data(), d.one.data(), n, MPI_INT, MPI_SUM,
        world);
  d.run("reduce_scatter_block", LARGE_FORMS(Reduce_scatter_block, reduce_scatter_block), d.for_all.data(),
        d.one.data(), n, MPI_INT, MPI_SUM, world);
  d.run("reduce_scatter", LARGE_FORMS(Reduce_scatter, reduce_scatter), d.for_all.data(), d.one.data(),
        d.counts.data(), MPI_INT, MPI_SUM, world);
  d.run("scan", LARGE_FORMS(Scan, scan), d.mine.data(), d.one.data(), n, MPI_INT, MPI_SUM, world);
  d.run("exscan", LARGE_FORMS(Exscan, exscan), d.mine.data(), d.one.data(), n, MPI_INT, MPI_SUM, world);
}

}  // namespace

int main(int argc, char** argv) {
  const Answers me(&argc, &argv);
  rooted(me);
  all_to_all(me);
  reducing(me);
}
