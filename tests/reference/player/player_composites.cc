// The player's operations that create communicators with a topology, and intercommunicators.
#include <algorithm>
#include <deque>

#include "reference/player/player.h"
#include "reference/program/across.h"
#include "reference/program/composites.h"
#include "reference/program/payload.h"

namespace emu::reference {
namespace {

constexpr int all_members = 98;

int composite_number(int from, int to) { return 2'000'000 + 1000 * from + to; }

}  // namespace

void Player::composite(const Operation& o, MPI_Comm comm, int rank, int size) {
  switch (o.action) {
    case Action::ring:
      return make_ring(o, comm, rank, size);
    case Action::star:
      return make_star(o, comm, rank, size);
    case Action::shortcuts:
      return make_shortcuts(o, comm, rank, size);
    case Action::edges:
      return make_edges(comm, rank, size);
    case Action::rows:
      return make_rows(comm, rank, size);
    case Action::bridge:
      return make_bridge(o, comm, rank, size);
    case Action::bridge_split:
    case Action::bridge_create:
      return make_parted_bridge(o, comm, rank, size);
    case Action::from_group:
      return make_from_group(o, comm, rank, size);
    case Action::from_groups:
      return make_from_groups(o, rank, size);
    case Action::subset:
      return make_subset(o, comm, rank, size);
    default:
      break;
  }
}

void Player::make_lasting() {
  const std::vector<int> from = ring_sources(rank_, ranks_), to = ring_destinations(rank_, ranks_);
  MPI_Dist_graph_create_adjacent(all_, 2, from.data(), MPI_UNWEIGHTED, 2, to.data(), MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &communicators_[web]);
  write({});
  if (ranks_ < 2) return;
  MPI_Intercomm_create(communicators_[parts], 0, all_, other_part().front(), 5, &communicators_[halves]);
  write({});
}

// MPI_Neighbor_allgather: a block from each of `sources`, in this order.
void Player::gather_from(const Operation& o, MPI_Comm comm, int rank, const std::vector<int>& sources) {
  const int n = static_cast<int>(o.bytes);
  const std::vector<char> mine = payload(program_->seed, composite_number(rank, all_members), o.bytes);
  std::vector<char> expected;
  for (const int source : sources) {
    const std::vector<char> block = payload(program_->seed, composite_number(source, all_members), o.bytes);
    expected.insert(expected.end(), block.begin(), block.end());
  }
  std::vector<char> data(expected.size());
  const bool well =
      went_well(MPI_Neighbor_allgather(mine.data(), n, MPI_BYTE, data.data(), n, MPI_BYTE, comm));
  check(!well || data == expected, "what came from neighbours");
}

void Player::make_ring(const Operation& o, MPI_Comm comm, int rank, int size) {
  const int periodic = 1;
  MPI_Comm ring;
  if (!went_well(MPI_Cart_create(comm, 1, &size, &periodic, 1, &ring))) return;
  int coordinate = -1, before = -1, behind = -1;
  MPI_Cart_coords(ring, rank, 1, &coordinate);
  MPI_Cart_shift(ring, 0, 1, &before, &behind);
  check(coordinate == rank && before == (rank + size - 1) % size && behind == (rank + 1) % size, "the ring");
  gather_from(o, ring, rank, {before, behind});
  MPI_Comm_free(&ring);
}

void Player::make_star(const Operation& o, MPI_Comm comm, int rank, int size) {
  std::vector<int> index, edges, near;
  for (int node = 1; node < size; ++node) edges.push_back(node);
  for (int node = 0; node < size; ++node) {
    index.push_back(size - 1 + node);
    if (node > 0) edges.push_back(0);
  }
  near = rank > 0 ? std::vector<int>{0} : std::vector<int>(edges.begin(), edges.begin() + (size - 1));
  edges.push_back(0);  // edges may not be null, so there is one
  MPI_Comm star;
  if (!went_well(MPI_Graph_create(comm, size, index.data(), edges.data(), 0, &star))) return;
  int count = -1;
  MPI_Graph_neighbors_count(star, rank, &count);
  check(count == static_cast<int>(near.size()), "the neighbours in a star");
  gather_from(o, star, rank, near);
  MPI_Comm_free(&star);
}

void Player::make_shortcuts(const Operation& o, MPI_Comm comm, int rank, int size) {
  const int n = static_cast<int>(o.bytes);
  const std::vector<int> from = ring_sources(rank, size), to = ring_destinations(rank, size);
  MPI_Comm graph;
  if (!went_well(MPI_Dist_graph_create_adjacent(comm, 2, from.data(), MPI_UNWEIGHTED, 2, to.data(),
                                                MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph)))
    return;
  std::vector<char> blocks, expected;
  for (int i = 0; i < 2; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const auto append = [&](std::vector<char>& all, int source, int distance) {
      const std::vector<char> block = payload(program_->seed, composite_number(source, distance), o.bytes);
      all.insert(all.end(), block.begin(), block.end());
    };
    append(blocks, rank, i);
    append(expected, from[at], i);
  }
  std::vector<char> data(expected.size());
  const bool well =
      went_well(MPI_Neighbor_alltoall(blocks.data(), n, MPI_BYTE, data.data(), n, MPI_BYTE, graph));
  check(!well || data == expected, "what came by shortcuts");
  MPI_Comm_free(&graph);
}

// The order in which a rank hears of its edges is not determined by MPI.
void Player::make_edges(MPI_Comm comm, int rank, int size) {
  std::vector<int> from, degrees, to;
  for (const Edge& edge : known_edges(rank, size)) {
    from.push_back(edge.source);
    degrees.push_back(1);
    to.push_back(edge.destination);
  }
  MPI_Comm graph;
  if (!went_well(MPI_Dist_graph_create(comm, static_cast<int>(from.size()), from.data(), degrees.data(),
                                       to.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph)))
    return;
  int in = -1, out = -1, weighted = -1;
  MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted);
  check(in == 2 && out == 2 && !weighted, "the number of neighbours that others told");
  std::vector<int> sources(2), destinations(2);
  MPI_Dist_graph_neighbors(graph, 2, sources.data(), MPI_UNWEIGHTED, 2, destinations.data(), MPI_UNWEIGHTED);
  const auto sorted = [](std::vector<int> ranks) {
    std::sort(ranks.begin(), ranks.end());
    return ranks;
  };
  check(sorted(sources) == sorted(ring_sources(rank, size)) &&
            sorted(destinations) == sorted(ring_destinations(rank, size)),
        "the neighbours that others told");
  MPI_Comm_free(&graph);
}

void Player::make_rows(MPI_Comm comm, int rank, int size) {
  const int dims[] = {size / 2, 2}, periods[] = {0, 0}, remain[] = {0, 1};
  MPI_Comm grid = MPI_COMM_NULL, row = MPI_COMM_NULL;
  if (size < 2) {  // MPI has no grid without points
    if (went_well(MPI_Comm_dup(comm, &grid))) MPI_Comm_free(&grid);
    return;
  }
  if (!went_well(MPI_Cart_create(comm, 2, dims, periods, 0, &grid))) return;
  check((grid == MPI_COMM_NULL) == (rank >= size / 2 * 2), "who is in the grid");
  if (grid == MPI_COMM_NULL) return;
  if (went_well(MPI_Cart_sub(grid, remain, &row))) {
    int place = -1, length = -1;
    MPI_Comm_rank(row, &place);
    MPI_Comm_size(row, &length);
    check(place == rank % 2 && length == 2, "a row");
    MPI_Comm_free(&row);
  }
  MPI_Comm_free(&grid);
}

void Player::make_bridge(const Operation& o, MPI_Comm comm, int rank, int size) {
  const bool even = rank % 2 == 0;
  MPI_Comm half, bridge;
  if (!went_well(MPI_Comm_split(comm, rank % 2, rank, &half))) return;
  if (size > 1 && went_well(MPI_Intercomm_create(half, 0, comm, even ? 1 : 0, 3, &bridge)))
    use_bridge(o, bridge, rank, size);
  MPI_Comm_free(&half);
}

void Player::make_parted_bridge(const Operation& o, MPI_Comm comm, int rank, int size) {
  const bool even = rank % 2 == 0;
  MPI_Comm half, bridge;
  if (!went_well(MPI_Comm_split(comm, rank % 2, rank, &half))) return;
  if (size > 1 && went_well(MPI_Intercomm_create(half, 0, comm, even ? 1 : 0, 3, &bridge))) {
    use_parted_bridge(o, bridge, rank, size);
    MPI_Comm_free(&bridge);
  }
  MPI_Comm_free(&half);
}

void Player::use_parted_bridge(const Operation& o, MPI_Comm bridge, int rank, int size) {
  const bool even = rank % 2 == 0, split = o.action == Action::bridge_split;
  const int place = rank / 2, colour = split ? place % (parted_colours + 1) : 0;
  MPI_Comm made;
  const std::vector<int> near = parted(even ? (size + 1) / 2 : size / 2, colour, split),
                         far = parted(even ? size / 2 : (size + 1) / 2, colour, split);
  if (split) {
    if (!went_well(MPI_Comm_split(bridge, colour < parted_colours ? colour : MPI_UNDEFINED, -place, &made)))
      return;
  } else {
    MPI_Group all, chosen;
    MPI_Comm_group(bridge, &all);
    MPI_Group_incl(all, static_cast<int>(near.size()), near.data(), &chosen);
    const bool well = went_well(MPI_Comm_create(bridge, chosen, &made));
    MPI_Group_free(&chosen);
    MPI_Group_free(&all);
    if (!well) return;
  }
  const auto own = std::find(near.begin(), near.end(), place);
  const bool in = colour < parted_colours && own != near.end() && !far.empty();
  check((made != MPI_COMM_NULL) == in, "who is in an intercommunicator made from another");
  if (made == MPI_COMM_NULL) return;
  int there = -1, here = -1;
  MPI_Comm_rank(made, &here);
  MPI_Comm_remote_size(made, &there);
  check(here == own - near.begin() && there == static_cast<int>(far.size()),
        "the place and the other group in an intercommunicator made from another");
  cross(o, made, even, here, there);
  MPI_Comm_free(&made);
}

// Also frees the intercommunicator.
void Player::use_bridge(const Operation& o, MPI_Comm bridge, int rank, int size) {
  const bool even = rank % 2 == 0;
  MPI_Comm all;
  int there = -1;
  MPI_Comm_remote_size(bridge, &there);
  check(there == (even ? size / 2 : (size + 1) / 2), "the size of the other group");
  if (cross(o, bridge, even, rank / 2, there) && went_well(MPI_Intercomm_merge(bridge, even ? 0 : 1, &all))) {
    int place = -1;
    MPI_Comm_rank(all, &place);
    check(place == (even ? 0 : (size + 1) / 2) + rank / 2, "the place in the merged communicator");
    MPI_Comm_free(&all);
  }
  MPI_Comm_free(&bridge);
}

namespace {

// A session, and the group of its process set with all ranks.
class Session {
 public:
  Session() {
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session_);
    MPI_Group_from_session_pset(session_, "mpi://WORLD", &all_);
  }
  ~Session() {
    for (MPI_Group& group : groups_) MPI_Group_free(&group);
    MPI_Group_free(&all_);
    MPI_Session_finalize(&session_);
  }
  Session(const Session&) = delete;

  MPI_Group group(const std::vector<int>& world) {
    groups_.emplace_back();
    MPI_Group_incl(all_, static_cast<int>(world.size()), world.data(), &groups_.back());
    return groups_.back();
  }

 private:
  MPI_Session session_;
  MPI_Group all_;
  std::deque<MPI_Group> groups_;
};

}  // namespace

void Player::make_from_group(const Operation& o, MPI_Comm comm, int rank, int size) {
  const std::vector<int> world = members(o.communicator, rank_, ranks_);
  Session session;
  MPI_Comm made;
  if (!went_well(MPI_Comm_create_from_group(session.group(world), "random", MPI_INFO_NULL, MPI_ERRORS_RETURN,
                                            &made)))
    return;
  int same = -1;
  MPI_Comm_compare(comm, made, &same);
  check(same == MPI_CONGRUENT, "who is in a communicator made from a group");
  run({.action = Action::all_gather, .bytes = o.bytes}, made, rank, size);
  MPI_Comm_free(&made);
}

void Player::make_subset(const Operation& o, MPI_Comm comm, int rank, int size) {
  const std::vector<int> chosen = subset(size);
  const auto place = std::find(chosen.begin(), chosen.end(), rank);
  if (place == chosen.end()) return;
  MPI_Group all, some;
  MPI_Comm_group(comm, &all);
  MPI_Group_incl(all, static_cast<int>(chosen.size()), chosen.data(), &some);
  MPI_Comm made;
  const bool well = went_well(MPI_Comm_create_group(comm, some, 3, &made));
  MPI_Group_free(&all);
  MPI_Group_free(&some);
  if (!well) return;
  MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);  // MPICH's does not inherit that of `comm`
  run({.action = Action::all_gather, .bytes = o.bytes}, made, static_cast<int>(place - chosen.begin()),
      static_cast<int>(chosen.size()));
  MPI_Comm_free(&made);
}

void Player::make_from_groups(const Operation& o, int rank, int size) {
  if (size < 2) return;
  const std::vector<int> world = members(o.communicator, rank_, ranks_);
  std::vector<int> halves[2];
  for (std::size_t i = 0; i < world.size(); ++i) halves[i % 2].push_back(world[i]);
  Session session;
  MPI_Comm bridge;
  if (went_well(MPI_Intercomm_create_from_groups(session.group(halves[rank % 2]), 0,
                                                 session.group(halves[1 - rank % 2]), 0, "random",
                                                 MPI_INFO_NULL, MPI_ERRORS_RETURN, &bridge)))
    use_bridge(o, bridge, rank, size);
}

// Each rank sends to its counterpart; then the first even rank sends to all odd ranks. False: a rank has failed.
bool Player::cross(const Operation& o, MPI_Comm bridge, bool even, int place, int there) {
  const int n = static_cast<int>(o.bytes);
  const auto block = [&](bool of_even, int who) {
    return payload(program_->seed, composite_number(who, of_even ? 90 : 91), o.bytes);
  };
  std::vector<char> mine = block(even, place), data(mine.size());
  if (place < there) {
    const bool well = went_well(MPI_Sendrecv(mine.data(), n, MPI_BYTE, place, 4, data.data(), n, MPI_BYTE,
                                             place, 4, bridge, MPI_STATUS_IGNORE));
    check(!well || data == block(!even, place), "what came from the other group");
    if (!well) return false;
  }
  std::vector<char>& shared = even ? mine : data;
  const int root = !even ? 0 : place == 0 ? MPI_ROOT : MPI_PROC_NULL;
  const bool well = went_well(MPI_Bcast(shared.data(), n, MPI_BYTE, root, bridge));
  check(!well || even || data == block(true, 0), "what was broadcast to the other group");
  return well;
}

}  // namespace emu::reference
