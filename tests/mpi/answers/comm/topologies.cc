// Topologies: grids, graphs and neighbourhoods, queries of them, and errors in their arguments.
#include <algorithm>

#include "answers.h"

namespace {

void show_error(const std::string& name, int code) {
  int error_class = -1;
  MPI_Error_class(code, &error_class);
  show(name, error_class);
}

void show_kind(const std::string& name, MPI_Comm comm) {
  int kind = -1;
  MPI_Topo_test(comm, &kind);
  show(name + ", kind", kind == MPI_CART         ? 1
                        : kind == MPI_GRAPH      ? 2
                        : kind == MPI_DIST_GRAPH ? 3
                        : kind == MPI_UNDEFINED  ? 0
                                                 : -1);
}

void show_cart(const std::string& name, MPI_Comm cart) {
  show(name + ", none", cart == MPI_COMM_NULL);
  if (cart == MPI_COMM_NULL) return;
  show_kind(name, cart);
  int dimensions, rank, size;
  MPI_Comm_rank(cart, &rank);
  MPI_Comm_size(cart, &size);
  MPI_Cartdim_get(cart, &dimensions);
  show(name + ", dimensions", dimensions);
  int dims[5], periods[5], at[5], elsewhere[5];
  MPI_Cart_get(cart, 5, dims, periods, at);
  const auto n = static_cast<std::size_t>(dimensions);
  show(name + ", lengths", dims, n);
  show(name + ", periods", periods, n);
  show(name + ", own place", at, n);
  int found = -1;
  MPI_Cart_rank(cart, at, &found);
  show(name + ", own rank", found == rank);
  for (int r = 0; r < size; ++r) {
    MPI_Cart_coords(cart, r, 5, elsewhere);
    show(name + ", place", elsewhere, n);
  }
  for (int d = 0; d < dimensions; ++d)
    for (const int steps : {0, 1, -1, 2, 7}) {
      int ends[2];
      MPI_Cart_shift(cart, d, steps, &ends[0], &ends[1]);
      for (int& end : ends) end = end == MPI_PROC_NULL ? -8 : end;
      show(name + ", shift", ends, 2);
    }
}

void carts(const Answers& me) {
  const int dims[] = {2, 1, me.size / 2}, periods[] = {0, 1, 1};
  MPI_Comm cart, part, copy;
  for (const int reorder : {0, 1}) {
    MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periods, reorder, &cart);
    show_cart(numbered("grid", reorder), cart);
    if (cart == MPI_COMM_NULL) continue;
    MPI_Comm_dup(cart, &copy);
    show_cart("copy", copy);
    const int outside[] = {0, -3, 100};
    int rank = -1;
    MPI_Cart_rank(copy, outside, &rank);
    show("wrapped", rank);
    for (int which = 0; which < 8; ++which) {
      const int remain[] = {which & 1, which >> 1 & 1, which >> 2};
      MPI_Cart_sub(copy, remain, &part);
      show_cart(numbered("part", which), part);
      if (part != MPI_COMM_NULL) MPI_Comm_free(&part);
    }
    MPI_Comm_free(&cart);
    MPI_Comm_free(&copy);
  }
  MPI_Cart_create(MPI_COMM_WORLD, 0, nullptr, nullptr, 0, &cart);
  show_cart("point", cart);
  if (cart != MPI_COMM_NULL) MPI_Comm_free(&cart);
  int rank = -1;
  const int one[] = {me.size - 1};
  MPI_Cart_map(MPI_COMM_WORLD, 1, one, periods, &rank);
  show("cart map", rank == MPI_UNDEFINED ? -7 : rank);
  show_kind("world", MPI_COMM_WORLD);
}

void graphs(const Answers& me) {
  // All ranks except the last one: a chain, to which rank 0 has two edges.
  const int nodes = std::max(me.size - 1, 1);
  std::vector<int> index, edges;
  for (int i = 0; i < nodes; ++i) {
    if (i > 0) edges.push_back(i - 1);
    if (i + 1 < nodes) edges.push_back(i + 1);
    edges.push_back(0);
    index.push_back(static_cast<int>(edges.size()));
  }
  for (const int reorder : {0, 1}) {
    MPI_Comm graph, copy;
    MPI_Graph_create(MPI_COMM_WORLD, nodes, index.data(), edges.data(), reorder, &graph);
    show("graph, none", graph == MPI_COMM_NULL);
    if (graph == MPI_COMM_NULL) continue;
    MPI_Comm_dup(graph, &copy);
    MPI_Comm_free(&graph);
    show_kind("graph", copy);
    int found[2];
    MPI_Graphdims_get(copy, &found[0], &found[1]);
    show("graph, size", found, 2);
    std::vector<int> i(static_cast<std::size_t>(found[0])), e(static_cast<std::size_t>(found[1]));
    MPI_Graph_get(copy, found[0], found[1], i.data(), e.data());
    show("graph, index", i);
    show("graph, edges", e);
    for (int r = 0; r < nodes; ++r) {
      int count;
      MPI_Graph_neighbors_count(copy, r, &count);
      std::vector<int> next(static_cast<std::size_t>(count));
      MPI_Graph_neighbors(copy, r, count, next.data());
      show("graph, neighbours", next);
    }
    MPI_Comm_free(&copy);
  }
  int rank = -1;
  MPI_Graph_map(MPI_COMM_WORLD, nodes, index.data(), edges.data(), &rank);
  show("graph map", rank == MPI_UNDEFINED ? -7 : rank);
}

// Pairs in ascending order: those of a distributed graph are in the order in which its messages arrived.
void show_sorted(const std::string& name, const std::vector<int>& ends, const std::vector<int>& weights) {
  std::vector<std::pair<int, int>> all;
  for (std::size_t i = 0; i < ends.size(); ++i) all.emplace_back(ends[i], weights[i]);
  std::sort(all.begin(), all.end());
  std::vector<int> flat;
  for (const auto& [end, weight] : all) flat.insert(flat.end(), {end, weight});
  show(name, flat);
}

void show_neighbors(const std::string& name, MPI_Comm comm) {
  show_kind(name, comm);
  int in, out, weighted;
  MPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
  const int found[] = {in, out, weighted};
  show(name, found, 3);
  std::vector<int> sources(static_cast<std::size_t>(in)), destinations(static_cast<std::size_t>(out));
  std::vector<int> a(sources.size(), -1), b(destinations.size(), -1);
  MPI_Dist_graph_neighbors(comm, in, sources.data(), weighted ? a.data() : MPI_UNWEIGHTED, out,
                           destinations.data(), weighted ? b.data() : MPI_UNWEIGHTED);
  show_sorted(name + ", sources", sources, a);
  show_sorted(name + ", destinations", destinations, b);
}

void neighborhoods(const Answers& me) {
  MPI_Comm comm, copy;
  const int left = (me.rank + me.size - 1) % me.size, right = (me.rank + 1) % me.size;
  const int from[] = {left, me.rank, left}, to[] = {right, me.rank, right};
  const int heavy[] = {me.rank, 7, 2 * me.rank + 1}, light[] = {left, 7, 2 * left + 1};
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 3, from, light, 3, to, heavy, MPI_INFO_NULL, 0, &comm);
  show_neighbors("adjacent", comm);
  MPI_Comm_dup(comm, &copy);
  MPI_Comm_free(&comm);
  show_neighbors("adjacent, copied", copy);
  MPI_Comm_free(&copy);
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, from, MPI_UNWEIGHTED, 1, to, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 1, &comm);
  show_neighbors("unweighted", comm);
  MPI_Comm_free(&comm);
  // Each rank also describes edges of others: from itself to all, and from its right neighbour back.
  std::vector<int> ends, weights;
  for (int i = 0; i < me.size; ++i) {
    ends.push_back(i);
    weights.push_back(100 * me.rank + i);
  }
  ends.push_back(me.rank);
  weights.push_back(1000 + me.rank);
  const int sources[] = {me.rank, right}, degrees[] = {me.size, 1};
  MPI_Dist_graph_create(MPI_COMM_WORLD, 2, sources, degrees, ends.data(), weights.data(), MPI_INFO_NULL, 0,
                        &comm);
  show_neighbors("distributed", comm);
  MPI_Comm_free(&comm);
  const int n = me.rank == 0 ? 1 : 0;
  MPI_Dist_graph_create(MPI_COMM_WORLD, n, sources, degrees, ends.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                        &comm);
  show_neighbors("by one", comm);
  MPI_Comm_free(&comm);
}

void mistakes(const Answers& me) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm cart, made = MPI_COMM_NULL;
  const int size[] = {me.size}, more[] = {me.size + 1}, periodic[] = {1}, open[] = {0}, zero[] = {0};
  int n[8];
  MPI_Cart_create(MPI_COMM_WORLD, 1, size, open, 0, &cart);
  show_error("too many", MPI_Cart_create(MPI_COMM_WORLD, 1, more, open, 0, &made));
  show_error("length 0", MPI_Cart_create(MPI_COMM_WORLD, 1, zero, open, 0, &made));
  show_error("negative dimensions", MPI_Cart_create(MPI_COMM_WORLD, -1, size, open, 0, &made));
  show_error("no dims", MPI_Cart_create(MPI_COMM_WORLD, 1, nullptr, open, 0, &made));
  show_error("cart of null", MPI_Cart_create(MPI_COMM_NULL, 1, size, periodic, 0, &made));
  show_error("sub of none", MPI_Cart_sub(MPI_COMM_WORLD, open, &made));
  show_error("dim of none", MPI_Cartdim_get(MPI_COMM_WORLD, n));
  show_error("rank outside", MPI_Cart_rank(cart, more, n));
  show_error("coordinates beyond", MPI_Cart_coords(cart, me.size, 1, n));
  show_error("coordinates too few", MPI_Cart_coords(cart, 0, 0, n));
  show_error("shift direction", MPI_Cart_shift(cart, 1, 1, n, n + 1));
  show_error("shift below", MPI_Cart_shift(cart, -1, 1, n, n + 1));
  show_error("shift of none", MPI_Cart_shift(MPI_COMM_WORLD, 0, 1, n, n + 1));
  show_error("cart map too many", MPI_Cart_map(MPI_COMM_WORLD, 1, more, open, n));
  show_error("graph map none", MPI_Graph_map(MPI_COMM_WORLD, 0, size, size, n));
  show_error("graph map too many", MPI_Graph_map(MPI_COMM_WORLD, me.size + 1, size, size, n));
  const int falling[] = {1, 0}, two[] = {1, 2}, fine[] = {0, 0};
  show_error("graph, too many", MPI_Graph_create(MPI_COMM_WORLD, me.size + 1, two, fine, 0, &made));
  show_error("graph, falling", MPI_Graph_create(MPI_COMM_WORLD, 2, falling, fine, 0, &made));
  show_error("graph get of cart", MPI_Graph_get(cart, 8, 8, n, n));
  show_error("graph dims of cart", MPI_Graphdims_get(cart, n, n + 1));
  show_error("neighbours of cart", MPI_Graph_neighbors(cart, 0, 8, n));
  show_error("count of cart", MPI_Graph_neighbors_count(cart, 0, n));
  show_error("distributed of cart", MPI_Dist_graph_neighbors_count(cart, n, n + 1, n + 2));
  show_error("adjacent, negative", MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, -1, zero, zero, 0, zero,
                                                                  zero, MPI_INFO_NULL, 0, &made));
  show_error("distributed, negative",
             MPI_Dist_graph_create(MPI_COMM_WORLD, -1, zero, zero, zero, zero, MPI_INFO_NULL, 0, &made));
  show_error("topology of null", MPI_Topo_test(MPI_COMM_NULL, n));
  MPI_Comm_free(&cart);
}

}  // namespace

int main(int argc, char** argv) {
  const Answers me(&argc, &argv);
  carts(me);
  graphs(me);
  neighborhoods(me);
  mistakes(me);
}
