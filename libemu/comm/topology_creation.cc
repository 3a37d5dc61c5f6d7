// Creation of communicators with a topology.

#include <mpi.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "comm/creation_messages.h"
#include "comm/intercommunicators.h"
#include "model/collectives.h"
#include "mpi/calls.h"
#include "mpi/convert.h"
#include "mpi/entry.h"
#include "mpi/objects.h"
#include "rank/protocols/background.h"

namespace emu::mpi::calls {

using rank::Buffer;

namespace {

MPI_Comm keep(creation::StandIn& stand_in, MPI_Comm parent, std::optional<Communicator>&& made,
              Topology&& topology) {
  if (made) made->topology = std::make_shared<const Topology>(std::move(topology));
  return creation::keep(stand_in, parent, std::move(made));
}

// The first `size` members of `comm`. A reordering keeps their order; as in MPICH, it is a split.
std::optional<Communicator> of_first(Rank& rank, const Communicator& c, int size, bool reorder, bool room) {
  std::optional<Communicator> made;
  if (reorder)
    made = creation::split(rank, c, {c.rank < size ? 1 : MPI_UNDEFINED, c.rank}, room);
  else
    made = creation::first_of(c, size, creation::agree_on_context(rank, c, room));
  return made;
}

Cartesian grid(int dimensions, const int dims[], const int periods[]) {
  if (dimensions < 0)
    throw Error{MPI_ERR_ARG, "negative number of dimensions, " + std::to_string(dimensions)};
  if (dimensions > 0) {
    present(dims);
    present(periods);
  }
  Cartesian cart;
  cart.dims.assign(dims, dims + dimensions);
  for (int i = 0; i < dimensions; ++i) cart.periodic.push_back(periods[i] != 0);
  for (const int length : cart.dims)
    if (length < 0) throw Error{MPI_ERR_DIMS, "dimension of length " + std::to_string(length)};
  return cart;
}

// A grid without dimensions: it has the first member alone, as in MPICH.
MPI_Comm point(const char* call, const Communicator& c) {
  if (c.rank != 0) return MPI_COMM_NULL;
  const MPI_Comm handle = creation::copied_stand_in(call, MPI_COMM_SELF, nullptr);
  if (handle == MPI_COMM_NULL) throw creation::too_many_communicators();
  Communicator made(objects->communicators.new_context(), creation::intra(MPI_COMM_SELF).group, 0);
  made.topology = std::make_shared<const Topology>(Cartesian());
  objects->communicators.add(handle, std::move(made));
  return handle;
}

std::vector<int> copied(int n, const int values[]) {
  if (n > 0) present(values);
  return {values, values + std::max(n, 0)};
}

void check_nodes(const std::vector<int>& nodes, const Communicator& c) {
  for (const int node : nodes)
    if ((node < 0 || node >= c.size()) && node != MPI_PROC_NULL)
      throw Error{MPI_ERR_RANK, "invalid rank " + std::to_string(node) + " in a communicator of size " +
                                    std::to_string(c.size())};
}

// --- a graph that any members describe: the members at the ends of edges have to learn them

void add(void*, const std::byte* from, std::byte* into, model::Bytes bytes) {
  const auto* const a = reinterpret_cast<const int*>(from);
  auto* const b = reinterpret_cast<int*>(into);
  for (model::Bytes i = 0; i < bytes / 4; ++i) b[i] += a[i];
}

// The edges that this rank was given, each with its other end and its weight.
class Told {
 public:
  // By rank: the edges into it, and the edges out of it.
  std::map<int, std::vector<int>> in, out;
  void edge(int from, int to, int weight) {
    out[from].insert(out[from].end(), {to, weight});
    in[to].insert(in[to].end(), {from, weight});
  }
};

// The messages about a rank's edges, each to the rank at the other ends, in the background.
class Edges {
 public:
  Edges(Rank& rank, const Communicator& c, int tag, const std::map<int, std::vector<int>>& all)
      : rank_(rank) {
    for (const auto& [to, edges] : all) {
      const auto bytes = [](const std::vector<int>& list) {
        return static_cast<model::Bytes>(4 * list.size());
      };
      schedule_.steps.push_back(
          {model::Step::Kind::send, to, {model::Space::input, bytes(data_), bytes(edges)}, {}});
      data_.insert(data_.end(), edges.begin(), edges.end());
    }
    if (!all.empty()) schedule_.steps.push_back({model::Step::Kind::wait, -1, {}, {}});
    sending_ = rank.start(c, tag, schedule_,
                          {reinterpret_cast<const std::byte*>(data_.data()), nullptr, nullptr, nullptr});
  }
  // A failure that has ended the operation also ends these messages.
  ~Edges() {
    wait();
    rank_.free(sending_->request());
  }
  Edges(const Edges&) = delete;

  // Throws Error if a failure broke the operation.
  void end() {
    wait();
    check_failed(sending_->request()->status);
  }

 private:
  void wait() {
    rank::Request* const request = sending_->request();
    rank_.wait_all({&request, 1});
  }

  Rank& rank_;
  std::vector<int> data_;
  model::Schedule schedule_;
  std::unique_ptr<rank::Background> sending_;
};

// As in MPICH: each rank learns the number of messages for it, and receives them from any source.
Neighbors exchange(Rank& rank, const Communicator& c, const Told& told, bool weighted) {
  constexpr int in_tag = 1 << 22, out_tag = in_tag + 1;
  std::vector<int> counts(2 * static_cast<std::size_t>(c.size()));
  for (const auto& [to, edges] : told.in) counts[2 * static_cast<std::size_t>(to)] = 1;
  for (const auto& [to, edges] : told.out) counts[2 * static_cast<std::size_t>(to) + 1] = 1;
  int coming[2] = {};
  run(rank, c, model::reduce_scatter_block(c.rank, c.size(), model::Reduction{2, 4, true, true}),
      {reinterpret_cast<const std::byte*>(counts.data()), reinterpret_cast<std::byte*>(coming), &add,
       nullptr});
  rank::Communicator aside = c;
  aside.context = c.collective();
  aside.acknowledged.reset();  // any failure breaks the operation
  Edges in(rank, c, in_tag, told.in), out(rank, c, out_tag, told.out);
  Neighbors found;
  found.weighted = weighted;
  const auto receive = [&](int messages, int tag, std::vector<int>& ends, std::vector<int>& weights) {
    for (; messages > 0; --messages) {
      const auto status = rank.probe(aside, MPI_ANY_SOURCE, tag);
      check_failed(status);
      std::vector<int> edges(static_cast<std::size_t>(status.bytes / 4));
      model::Schedule schedule;
      schedule.steps = {
          {model::Step::Kind::receive, status.source, {model::Space::output, 0, status.bytes}, {}},
          {model::Step::Kind::wait, -1, {}, {}}};
      check_failed(rank.run(c, tag, schedule,
                            {nullptr, reinterpret_cast<std::byte*>(edges.data()), nullptr, nullptr}));
      for (std::size_t i = 0; i < edges.size(); i += 2) {
        ends.push_back(edges[i]);
        if (weighted) weights.push_back(edges[i + 1]);
      }
    }
  };
  receive(coming[0], in_tag, found.sources, found.source_weights);
  receive(coming[1], out_tag, found.destinations, found.destination_weights);
  in.end();
  out.end();
  return found;
}

}  // namespace

void cart_create(Rank& rank, MPI_Comm comm, int dimensions, const int dims[], const int periods[],
                 int reorder, MPI_Comm* out) {
  const Communicator& c = creation::intra(comm);
  present(out) = MPI_COMM_NULL;  // in all error cases, as in MPICH
  Cartesian cart = grid(dimensions, dims, periods);
  if (cart.points() > c.size()) {
    std::string shape;
    for (const int length : cart.dims) shape += (shape.empty() ? "" : " x ") + std::to_string(length);
    throw Error{MPI_ERR_ARG,
                "a grid of " + shape + " points in a communicator of size " + std::to_string(c.size())};
  }
  if (dimensions == 0) {
    *out = point("MPI_Cart_create", c);
    return;
  }
  creation::StandIn stand_in;
  auto made = of_first(rank, c, cart.points(), reorder, stand_in.room());
  *out = keep(stand_in, comm, std::move(made), std::move(cart));
}

void cart_sub(Rank& rank, MPI_Comm comm, const int remain[], MPI_Comm* out) {
  const Communicator& c = creation::intra(comm);
  present(out);
  const auto* const cart = c.topology ? std::get_if<Cartesian>(c.topology.get()) : nullptr;
  if (!cart) throw Error{MPI_ERR_TOPOLOGY, "the communicator has no Cartesian topology"};
  if (cart->dimensions() > 0) present(remain);
  const std::vector<int> own = cart->coordinates(c.rank);
  creation::SplitArguments own_arguments{0, 0};
  Cartesian part;
  for (std::size_t i = 0; i < cart->dims.size(); ++i) {
    int& place = remain[i] ? own_arguments.key : own_arguments.color;
    place = place * cart->dims[i] + own[i];
    if (!remain[i]) continue;
    part.dims.push_back(cart->dims[i]);
    part.periodic.push_back(cart->periodic[i]);
  }
  if (part.dims.empty()) {
    *out = point("MPI_Cart_sub", c);
    return;
  }
  creation::StandIn stand_in;
  auto made = creation::split(rank, c, own_arguments, stand_in.room());
  *out = keep(stand_in, comm, std::move(made), std::move(part));
}

void graph_create(Rank& rank, MPI_Comm comm, int nodes, const int index[], const int edges[], int reorder,
                  MPI_Comm* out) {
  const Communicator& c = creation::intra(comm);
  present(out);
  if (nodes < 0) throw Error{MPI_ERR_ARG, "negative number of nodes, " + std::to_string(nodes)};
  if (nodes > c.size())
    throw Error{MPI_ERR_ARG, "a graph of " + std::to_string(nodes) + " nodes in a communicator of size " +
                                 std::to_string(c.size())};
  *out = MPI_COMM_NULL;
  if (nodes == 0) return;
  present(index);
  Graph graph;
  graph.index.assign(index, index + nodes);
  for (int i = 0; i < nodes; ++i)
    if (graph.last(i) < graph.first(i))
      throw Error{MPI_ERR_ARG, "index " + std::to_string(i) + " is less than the one before"};
  if (index[nodes - 1] > 0) present(edges);
  graph.edges.assign(edges, edges + index[nodes - 1]);
  for (int i = 0; i < nodes; ++i)
    for (int e = graph.first(i); e < graph.last(i); ++e)
      if (const int to = edges[e]; to < 0 || to >= nodes)
        throw Error{MPI_ERR_ARG, "edge " + std::to_string(e) + " leads to node " + std::to_string(to) +
                                     " of " + std::to_string(nodes)};
  creation::StandIn stand_in;
  auto made = of_first(rank, c, nodes, reorder, stand_in.room());
  *out = keep(stand_in, comm, std::move(made), std::move(graph));
}

void dist_graph_create(Rank& rank, MPI_Comm comm, int n, const int sources[], const int degrees[],
                       const int destinations[], const int weights[], MPI_Info, int, MPI_Comm* out) {
  const Communicator& c = creation::intra(comm);
  present(out);
  if (n < 0) throw Error{MPI_ERR_ARG, "negative number of sources, " + std::to_string(n)};
  const std::vector<int> from = copied(n, sources), each = copied(n, degrees);
  check_nodes(from, c);
  int edges = 0;
  for (const int degree : each) {
    if (degree < 0) throw Error{MPI_ERR_ARG, "negative degree " + std::to_string(degree)};
    edges += degree;
  }
  const std::vector<int> to = copied(edges, destinations);
  check_nodes(to, c);
  const bool weighted = weights != MPI_UNWEIGHTED;
  const std::vector<int> heavy = weighted ? copied(edges, weights) : std::vector<int>();
  Told told;
  for (std::size_t i = 0, e = 0; i < from.size(); ++i)
    for (int k = 0; k < each[i]; ++k, ++e) told.edge(from[i], to[e], weighted ? heavy[e] : -1);
  creation::StandIn stand_in;
  auto made = creation::first_of(c, c.size(), creation::agree_on_context(rank, c, stand_in.room()));
  Neighbors own = exchange(rank, c, told, weighted);
  *out = keep(stand_in, comm, std::move(made), std::move(own));
}

void dist_graph_create_adjacent(Rank& rank, MPI_Comm comm, int in, const int sources[],
                                const int source_weights[], int out_, const int destinations[],
                                const int destination_weights[], MPI_Info, int, MPI_Comm* out) {
  const Communicator& c = creation::intra(comm);
  present(out);
  for (const int n : {in, out_})
    if (n < 0) throw Error{MPI_ERR_ARG, "negative number of neighbours, " + std::to_string(n)};
  Neighbors own;
  own.sources = copied(in, sources);
  own.destinations = copied(out_, destinations);
  own.weighted = source_weights != MPI_UNWEIGHTED;
  check_nodes(own.sources, c);
  check_nodes(own.destinations, c);
  if (own.weighted) {
    own.source_weights = copied(in, source_weights);
    own.destination_weights = copied(out_, destination_weights);
  }
  creation::StandIn stand_in;
  auto made = of_first(rank, c, c.size(), false, stand_in.room());
  *out = keep(stand_in, comm, std::move(made), std::move(own));
}

}  // namespace emu::mpi::calls
