// Collectives among neighbours: in grids, periodic and not, of one and two ranks in a direction too, in graphs and in
// distributed graphs; each blocking, in the background, persistent, and with counts of type MPI_Count.
#include <algorithm>

#include "answers.h"
#include "collective/forms.h"

namespace {

using Ints = std::vector<int>;
constexpr int n = 3;

// Numbers of neighbours.
struct Degrees {
  int in = 0, out = 0;
};

Degrees degrees_of(MPI_Comm comm, int rank) {
  int kind = 0;
  Degrees d;
  MPI_Topo_test(comm, &kind);
  if (kind == MPI_CART) {
    int dimensions = 0;
    MPI_Cartdim_get(comm, &dimensions);
    d.in = d.out = 2 * dimensions;
  } else if (kind == MPI_GRAPH) {
    MPI_Graph_neighbors_count(comm, rank, &d.in);
    d.out = d.in;
  } else {
    int weighted = 0;
    MPI_Dist_graph_neighbors_count(comm, &d.in, &d.out, &weighted);
  }
  return d;
}

// Performs the exchange with messages. `blocks` are the blocks for the destinations. In a grid, a block sent
// forward arrives from behind. Of several edges between two ranks, the first to send is the first to receive.
// MPI 4.0 defines the alltoalls in this way; MPICH 4.0.2 differs if two neighbours are the same rank.
std::vector<Ints> by_messages(MPI_Comm comm, Degrees d, const std::vector<Ints>& blocks) {
  int kind = 0, rank = 0;
  MPI_Topo_test(comm, &kind);
  MPI_Comm_rank(comm, &rank);
  Ints sources(static_cast<std::size_t>(d.in)), destinations(static_cast<std::size_t>(d.out));
  if (kind == MPI_CART) {
    for (int i = 0; i < d.in; i += 2)
      MPI_Cart_shift(comm, i / 2, 1, &sources[static_cast<std::size_t>(i)],
                     &sources[static_cast<std::size_t>(i + 1)]);
    destinations = sources;
  } else if (kind == MPI_GRAPH) {
    MPI_Graph_neighbors(comm, rank, d.in, sources.data());
    destinations = sources;
  } else {
    MPI_Dist_graph_neighbors(comm, d.in, sources.data(), MPI_UNWEIGHTED, d.out, destinations.data(),
                             MPI_UNWEIGHTED);
  }
  const auto tag = [&](const Ints& peers, std::size_t i, std::size_t swap) {
    const auto end = peers.begin() + static_cast<std::ptrdiff_t>(i);
    return static_cast<int>(
        kind == MPI_CART ? i ^ swap : static_cast<std::size_t>(std::count(peers.begin(), end, peers[i])));
  };
  std::vector<Ints> got(sources.size(), Ints(n, -1));
  std::vector<MPI_Request> requests(sources.size() + destinations.size());
  for (std::size_t i = 0; i < sources.size(); ++i)
    MPI_Irecv(got[i].data(), n, MPI_INT, sources[i], tag(sources, i, 1), comm, &requests[i]);
  for (std::size_t i = 0; i < destinations.size(); ++i)
    MPI_Isend(blocks[i].data(), n, MPI_INT, destinations[i], tag(destinations, i, 0), comm,
              &requests[sources.size() + i]);
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  return got;
}

struct Data {
  Data(const Answers& me, MPI_Comm comm, Degrees d)
      : mine(counting(n * std::max<std::size_t>(1, static_cast<std::size_t>(d.out)), me.rank * 1000)),
        got(n * static_cast<std::size_t>(d.in) + 1),
        in_types(static_cast<std::size_t>(d.in), MPI_INT),
        out_types(static_cast<std::size_t>(d.out), MPI_INT) {
    fill(in_counts, in_displacements, in_bytes, d.in);
    fill(out_counts, out_displacements, out_bytes, d.out);
    wide_in.assign(in_counts.begin(), in_counts.end());
    wide_out.assign(out_counts.begin(), out_counts.end());
    in_offsets.assign(in_displacements.begin(), in_displacements.end());
    out_offsets.assign(out_displacements.begin(), out_displacements.end());
    in_order = expected(comm, d, [](int i, int) { return n * i; });
    in_reverse = expected(comm, d, [](int i, int degree) { return n * (degree - 1 - i); });
  }
  // `place(i, degree)`: where block i is.
  template <class Place>
  Ints expected(MPI_Comm comm, Degrees d, Place place) const {
    std::vector<Ints> blocks;
    for (int i = 0; i < d.out; ++i) {
      const auto begin = mine.begin() + place(i, d.out);
      blocks.emplace_back(begin, begin + n);
    }
    const std::vector<Ints> came = by_messages(comm, d, blocks);
    Ints all(got.size(), -1);
    for (int i = 0; i < d.in; ++i)
      std::ranges::copy(came[static_cast<std::size_t>(i)], all.begin() + place(i, d.in));
    return all;
  }
  static void fill(Ints& counts, Ints& displacements, std::vector<MPI_Aint>& bytes, int degree) {
    for (int i = 0; i < degree; ++i) {
      counts.push_back(n);
      displacements.push_back(n * (degree - 1 - i));  // in reverse order
      bytes.push_back(static_cast<MPI_Aint>(displacements.back() * static_cast<int>(sizeof(int))));
    }
  }
  // If `right` is given, it replaces the result of MPICH 4.0.2.
  template <class... P>
  void run(const char* what, const Ints* right, const Forms<P...>& forms, std::type_identity_t<P>... with) {
    perform_all(
        forms, [&] { std::fill(got.begin(), got.end(), -1); },
        [&] { show(what, right && !emu_active() ? *right : got); }, with...);
  }

  Ints in_order, in_reverse;  // expected results of the alltoalls
  Ints mine, got, in_counts, in_displacements, out_counts, out_displacements;
  std::vector<MPI_Count> wide_in, wide_out;
  std::vector<MPI_Aint> in_bytes, out_bytes, in_offsets, out_offsets;
  std::vector<MPI_Datatype> in_types, out_types;
};

void all_of(const Answers& me, MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  Data d(me, comm, degrees_of(comm, rank));
  d.run("allgather", nullptr, FORMS(Neighbor_allgather, neighbor_allgather), d.mine.data(), n, MPI_INT,
        d.got.data(), n, MPI_INT, comm);
  d.run("allgatherv", nullptr, FORMS(Neighbor_allgatherv, neighbor_allgatherv), d.mine.data(), n, MPI_INT,
        d.got.data(), d.in_counts.data(), d.in_displacements.data(), MPI_INT, comm);
  d.run("alltoall", &d.in_order, FORMS(Neighbor_alltoall, neighbor_alltoall), d.mine.data(), n, MPI_INT,
        d.got.data(), n, MPI_INT, comm);
  d.run("alltoallv", &d.in_reverse, FORMS(Neighbor_alltoallv, neighbor_alltoallv), d.mine.data(),
        d.out_counts.data(), d.out_displacements.data(), MPI_INT, d.got.data(), d.in_counts.data(),
        d.in_displacements.data(), MPI_INT, comm);
  d.run("alltoallw", &d.in_reverse, FORMS(Neighbor_alltoallw, neighbor_alltoallw), d.mine.data(),
        d.out_counts.data(), d.out_bytes.data(), d.out_types.data(), d.got.data(), d.in_counts.data(),
        d.in_bytes.data(), d.in_types.data(), comm);
}

void all_with_large_counts(const Answers& me, MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  Data d(me, comm, degrees_of(comm, rank));
  d.run("allgather", nullptr, LARGE_FORMS(Neighbor_allgather, neighbor_allgather), d.mine.data(), n, MPI_INT,
        d.got.data(), n, MPI_INT, comm);
  d.run("allgatherv", nullptr, LARGE_FORMS(Neighbor_allgatherv, neighbor_allgatherv), d.mine.data(), n,
        MPI_INT, d.got.data(), d.wide_in.data(), d.in_offsets.data(), MPI_INT, comm);
  d.run("alltoall", &d.in_order, LARGE_FORMS(Neighbor_alltoall, neighbor_alltoall), d.mine.data(), n, MPI_INT,
        d.got.data(), n, MPI_INT, comm);
  d.run("alltoallv", &d.in_reverse, LARGE_FORMS(Neighbor_alltoallv, neighbor_alltoallv), d.mine.data(),
        d.wide_out.data(), d.out_offsets.data(), MPI_INT, d.got.data(), d.wide_in.data(), d.in_offsets.data(),
        MPI_INT, comm);
  d.run("alltoallw", &d.in_reverse, LARGE_FORMS(Neighbor_alltoallw, neighbor_alltoallw), d.mine.data(),
        d.wide_out.data(), d.out_bytes.data(), d.out_types.data(), d.got.data(), d.wide_in.data(),
        d.in_bytes.data(), d.in_types.data(), comm);
}

void grid(const Answers& me, std::vector<int> dims, std::vector<int> periods) {
  MPI_Comm comm;
  MPI_Cart_create(MPI_COMM_WORLD, static_cast<int>(dims.size()), dims.data(), periods.data(), 0, &comm);
  if (comm == MPI_COMM_NULL) return;
  all_of(me, comm);
  all_with_large_counts(me, comm);
  MPI_Comm_free(&comm);
}

// A star: rank 0 and all others.
void star(const Answers& me) {
  Ints index, edges;
  edges.reserve(1);  // MPICH takes no null pointer for no edges
  for (int i = 1; i < me.size; ++i) edges.push_back(i);
  index.push_back(me.size - 1);
  for (int i = 1; i < me.size; ++i) {
    edges.push_back(0);
    index.push_back(static_cast<int>(edges.size()));
  }
  MPI_Comm comm;
  MPI_Graph_create(MPI_COMM_WORLD, me.size, index.data(), edges.data(), 0, &comm);
  all_of(me, comm);
  MPI_Comm_free(&comm);
}

// Edges to the next and the previous rank: three and one, or two each.
void several_edges(const Answers& me) {
  const int next = (me.rank + 1) % me.size, before = (me.rank + me.size - 1) % me.size;
  const Ints sources = {before, before, next, before}, destinations = {next, next, before, next};
  MPI_Comm comm;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 4, sources.data(), MPI_UNWEIGHTED, 4, destinations.data(),
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
  all_of(me, comm);
  all_with_large_counts(me, comm);
  MPI_Comm_free(&comm);
  Ints index, edges;
  for (int rank = 0; rank < me.size; ++rank) {
    for (const int step : {1, me.size - 1, 1, me.size - 1}) edges.push_back((rank + step) % me.size);
    index.push_back(4 * (rank + 1));
  }
  MPI_Graph_create(MPI_COMM_WORLD, me.size, index.data(), edges.data(), 0, &comm);
  all_of(me, comm);
  MPI_Comm_free(&comm);
}

// A ring in one direction, and steps of two. Lower ranks receive more than they send.
void one_way(const Answers& me) {
  const Ints sources = {(me.rank + me.size - 1) % me.size, (me.rank + 2 * me.size - 2) % me.size},
             destinations = {(me.rank + 1) % me.size, (me.rank + 2) % me.size};
  MPI_Comm comm;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, sources.data(), MPI_UNWEIGHTED, 2, destinations.data(),
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
  all_of(me, comm);
  all_with_large_counts(me, comm);
  MPI_Comm_free(&comm);
}

}  // namespace

int main(int argc, char** argv) {
  const Answers me(&argc, &argv);
  grid(me, {me.size}, {0});
  grid(me, {me.size}, {1});
  if (me.size % 2 == 0) {
    grid(me, {2, me.size / 2}, {1, 0});
    grid(me, {me.size / 2, 1, 2}, {1, 1, 1});
  }
  grid(me, {1, me.size, 1}, {1, 1, 1});
  if (me.size % 4 == 0) grid(me, {2, me.size / 4, 2}, {1, 1, 1});
  star(me);
  one_way(me);
  several_edges(me);
}
