// Compares the schedules of libemu/model/collectives with the plain ones: the messages of each
// rank, in order, for all sizes to 33, all roots, and amounts on both sides of each limit.
#include "model/collectives.h"

#include <gtest/gtest.h>

#include "model/two_level.h"
#include "reference/collectives/comparison.h"

namespace emu::reference {
namespace {

TEST(PlainCollectives, Barrier) {
  for_sizes([](int size) {
    same(
        barrier(size), [&](int rank) { return model::barrier(rank, size); }, "barrier");
  });
}

TEST(PlainCollectives, Broadcast) {
  for_sizes([](int size) {
    for (int root = 0; root < size; ++root) {
      for (const Bytes bytes : amounts({12288, 524288, 20000, 600000})) {
        if (!same(
                broadcast(size, root, bytes), [&](int rank) { return model::bcast(rank, size, root, bytes); },
                words("bcast", bytes, root)))
          return;
      }
    }
  });
}

TEST(PlainCollectives, GatherAndScatter) {
  for_sizes([](int size) {
    for (int root = 0; root < size; ++root) {
      for (const Bytes block : amounts({1024, 32768})) {
        for (const bool in_place : both) {
          if (!same(
                  gather(size, root, block, in_place),
                  [&](int rank) { return model::gather(rank, size, root, block, in_place); },
                  words("gather", block, root, in_place)) ||
              !same(
                  scatter(size, root, block, in_place),
                  [&](int rank) { return model::scatter(rank, size, root, block, in_place); },
                  words("scatter", block, root, in_place)))
            return;
        }
      }
    }
  });
}

TEST(PlainCollectives, Reduce) {
  for_sizes([](int size) {
    for (int root = 0; root < size; ++root) {
      for (const Operator& by : operators) {
        for (const Bytes element : {1, 8}) {
          for (const Bytes count : amounts({2048 / element, 4, 16, 5000})) {
            const bool in_place = (count + root) % 2 == 1;
            if (!same(
                    reduce(size, root, {count, element, by.commutative, by.predefined}, in_place),
                    [&](int rank) {
                      return model::reduce(rank, size, root, {count, element, by.commutative, by.predefined},
                                           in_place);
                    },
                    words("reduce", count, root, in_place) + " by " + by.name))
              return;
          }
        }
      }
    }
  });
}

// Distributions of the members over nodes: in order, round-robin, and irregular.
std::vector<std::vector<int>> layouts(int size) {
  std::vector<std::vector<int>> all(5, std::vector<int>(static_cast<std::size_t>(size)));
  for (int i = 0; i < size; ++i) {
    const auto at = static_cast<std::size_t>(i);
    all[0][at] = i / 2;
    all[1][at] = i / 5;
    all[2][at] = i % 3;
    all[3][at] = (i * i + 3) % 7 / 2;
    all[4][at] = 1;
  }
  return all;
}

TEST(PlainCollectives, ByNodes) {
  for_sizes([](int size) {
    if (size > 12 && size != 16 && size != 17) return;
    for (const std::vector<int>& nodes : layouts(size)) {
      const auto groups = [&](int rank) {
        return model::NodeGroups(rank, size, [&](int i) { return nodes[static_cast<std::size_t>(i)]; });
      };
      // As in the library: by nodes where MPICH does so.
      const auto chosen = [&](const model::AlgorithmQuery& asked, const auto& by_nodes, const OfRank& flat) {
        return [=](int rank) {
          const model::NodeGroups g = groups(rank);
          return model::takes_nodes(g, asked) ? by_nodes(g) : flat(rank);
        };
      };
      same(barrier_by_nodes(nodes),
           chosen({model::Collective::barrier, 0, size}, model::barrier_by_nodes,
                  [&](int rank) { return model::barrier(rank, size); }),
           "barrier by nodes");
      for (const int root : {0, 1, size / 2, size - 1}) {
        if (root >= size) continue;
        for (const Bytes bytes : {0, 8, 2048, 2056, 12280, 12288, 12296, 524280, 524288}) {
          if (!same(broadcast_by_nodes(nodes, root, bytes),
                    chosen(
                        {model::Collective::bcast, bytes, size},
                        [&](const auto& g) { return model::bcast_by_nodes(g, root, bytes); },
                        [&](int rank) { return model::bcast(rank, size, root, bytes); }),
                    words("bcast by nodes", bytes, root)))
            return;
          for (const Operator& by : operators) {
            const Operands what{bytes / 8, 8, by.commutative, by.predefined};
            const model::Reduction same_what{what.count, 8, by.commutative, by.predefined};
            const model::AlgorithmQuery asked{.operation = model::Collective::reduce,
                                              .bytes = what.bytes(),
                                              .ranks = size,
                                              .commutative = by.commutative};
            model::AlgorithmQuery all_asked = asked;
            all_asked.operation = model::Collective::allreduce;
            if (!same(reduce_by_nodes(nodes, root, what),
                      chosen(
                          asked, [&](const auto& g) { return model::reduce_by_nodes(g, root, same_what); },
                          [&](int rank) { return model::reduce(rank, size, root, same_what); }),
                      words("reduce by nodes", bytes, root)) ||
                !same(all_reduce_by_nodes(nodes, what),
                      chosen(
                          all_asked, [&](const auto& g) { return model::allreduce_by_nodes(g, same_what); },
                          [&](int rank) { return model::allreduce(rank, size, same_what); }),
                      words("all reduce by nodes", bytes)))
              return;
          }
        }
      }
    }
  });
}

TEST(PlainCollectives, ReduceToAllAndScan) {
  for_sizes([](int size) {
    for (const Operator& by : operators) {
      for (const Bytes element : {1, 4, 8}) {
        for (const Bytes count : amounts({4, 16, 5000})) {
          const Operands what{count, element, by.commutative, by.predefined};
          const model::Reduction same_what{count, element, by.commutative, by.predefined};
          for (const bool in_place : both) {
            const std::string text = words("of a reduction", count, -1, in_place) + " by " + by.name;
            if (!same(
                    all_reduce(size, what, in_place),
                    [&](int rank) { return model::allreduce(rank, size, same_what, in_place); },
                    "all " + text) ||
                !same(
                    scan(size, what, in_place),
                    [&](int rank) { return model::scan(rank, size, same_what, in_place); }, "scan " + text) ||
                !same(
                    scan_of_lower(size, what),
                    [&](int rank) { return model::exscan(rank, size, same_what, in_place); },
                    "exscan " + text))
              return;
          }
        }
      }
    }
  });
}

TEST(PlainCollectives, GatherToAll) {
  for_sizes([](int size) {
    for (const Bytes block : shares({81920, 524288}, {32768, 70000}, size)) {
      for (const bool in_place : both) {
        if (!same(
                all_gather(size, block, in_place),
                [&](int rank) { return model::allgather(rank, size, block, in_place); },
                words("allgather", block, -1, in_place)))
          return;
      }
    }
  });
}

TEST(PlainCollectives, AllToAll) {
  for_sizes([](int size) {
    for (const Bytes block : amounts({256, 32768, 70000})) {
      for (const bool in_place : both) {
        if (!same(
                all_to_all(size, block, in_place),
                [&](int rank) { return model::alltoall(rank, size, block, in_place); },
                words("alltoall", block, -1, in_place)))
          return;
      }
    }
  });
}

}  // namespace
}  // namespace emu::reference
