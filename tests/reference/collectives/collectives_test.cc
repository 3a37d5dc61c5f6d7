// Compares the schedules of libemu/model/collectives with the plain ones: the messages of each
// rank, in order, for all sizes to 33, all roots, and amounts on both sides of each limit.
#include "model/collectives.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>

#include "model/two_level.h"
#include "reference/collectives/collectives.h"

namespace emu::reference {
namespace {

constexpr int most = 33;

// Amounts on both sides of every given limit, and some small and odd ones.
Sizes amounts(const Sizes& limits) {
  Sizes all = {0, 1, 2, 3, 7, 8, 9, 31, 32, 33, 100, 1000};
  for (const Bytes limit : limits)
    for (const Bytes more : {-1, 0, 1}) all.push_back(std::max<Bytes>(0, limit + more));
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

// Amounts for each rank, so that their total for `size` ranks is on both sides of each limit.
Sizes shares(const Sizes& totals, const Sizes& limits, int size) {
  Sizes each = limits;
  for (const Bytes total : totals) each.push_back(total / size);
  return amounts(each);
}

std::vector<Move> moves(const model::Schedule& schedule) {
  std::vector<Move> moves;
  for (const model::Step& step : schedule.steps) {
    if (step.kind == model::Step::Kind::send)
      moves.push_back({Move::Kind::send, step.peer, step.slice.bytes});
    if (step.kind == model::Step::Kind::receive)
      moves.push_back({Move::Kind::receive, step.peer, step.slice.bytes});
    if (step.kind == model::Step::Kind::wait) moves.push_back({});
  }
  return moves;
}

std::string in_words(const std::vector<Move>& moves) {
  std::string text;
  for (const Move& move : moves) {
    if (move.kind == Move::Kind::wait) {
      text += " |";
    } else {
      text += (move.kind == Move::Kind::send ? " to " : " from ") + std::to_string(move.peer) + ":" +
              std::to_string(move.bytes);
    }
  }
  return text;
}

using OfRank = std::function<model::Schedule(int rank)>;

// Returns false after the first difference.
bool same(const Plan& plain, const OfRank& model, const std::string& what) {
  for (int rank = 0; rank < plain.size(); ++rank) {
    const std::vector<Move> got = moves(model(rank));
    if (got == plain.of(rank)) continue;
    ADD_FAILURE() << what << ", rank " << rank << " of " << plain.size()
                  << "\n  plain:" << in_words(plain.of(rank)) << "\n  model:" << in_words(got);
    return false;
  }
  return true;
}

std::string words(const char* operation, Bytes amount, int root = -1, bool in_place = false) {
  return std::string(operation) + " of " + std::to_string(amount) +
         (root < 0 ? "" : ", root " + std::to_string(root)) + (in_place ? ", in place" : "");
}

// Calls `each` for all numbers of ranks, until there is a difference.
void for_sizes(const std::function<void(int size)>& each) {
  for (int size = 1; size <= most && !testing::Test::HasFailure(); ++size) each(size);
}

constexpr bool both[] = {false, true};

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
                  gather(size, root, block),
                  [&](int rank) { return model::gather(rank, size, root, block, in_place); },
                  words("gather", block, root, in_place)) ||
              !same(
                  scatter(size, root, block),
                  [&](int rank) { return model::scatter(rank, size, root, block, in_place); },
                  words("scatter", block, root, in_place)))
            return;
        }
      }
    }
  });
}

// A predefined operation, a commutative one of the program, and one that does not commute.
struct Kind {
  const char* name;
  bool commutative, predefined;
};
constexpr Kind kinds[] = {{"sum", true, true}, {"own", true, false}, {"ordered", false, false}};

TEST(PlainCollectives, Reduce) {
  for_sizes([](int size) {
    for (int root = 0; root < size; ++root) {
      for (const Kind& kind : kinds) {
        for (const Bytes element : {1, 8}) {
          for (const Bytes count : amounts({2048 / element, 4, 16, 5000})) {
            const bool in_place = (count + root) % 2 == 1;
            if (!same(
                    reduce(size, root, {count, element, kind.commutative, kind.predefined}),
                    [&](int rank) {
                      return model::reduce(rank, size, root,
                                           {count, element, kind.commutative, kind.predefined}, in_place);
                    },
                    words("reduce", count, root, in_place) + " by " + kind.name))
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
          for (const Kind& kind : kinds) {
            const Operands what{bytes / 8, 8, kind.commutative, kind.predefined};
            const model::Reduction same_what{what.count, 8, kind.commutative, kind.predefined};
            const model::AlgorithmQuery asked{.operation = model::Collective::reduce,
                                              .bytes = what.bytes(),
                                              .ranks = size,
                                              .commutative = kind.commutative};
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
    for (const Kind& kind : kinds) {
      for (const Bytes element : {1, 4, 8}) {
        for (const Bytes count : amounts({4, 16, 5000})) {
          const Operands what{count, element, kind.commutative, kind.predefined};
          const model::Reduction same_what{count, element, kind.commutative, kind.predefined};
          for (const bool in_place : both) {
            const std::string text = words("of a reduction", count, -1, in_place) + " by " + kind.name;
            if (!same(
                    all_reduce(size, what),
                    [&](int rank) { return model::allreduce(rank, size, same_what, in_place); },
                    "all " + text) ||
                !same(
                    scan(size, what), [&](int rank) { return model::scan(rank, size, same_what, in_place); },
                    "scan " + text) ||
                !same(
                    scan(size, what),
                    [&](int rank) { return model::exscan(rank, size, same_what, in_place); },
                    "exscan " + text))
              return;
          }
        }
      }
    }
  });
}

// Unequal parts, some of them empty, with an average of about `about`.
Sizes parts(int pattern, int size, Bytes about) {
  Sizes parts;
  for (int i = 0; i < size; ++i) {
    switch (pattern) {
      case 0:
        parts.push_back(about);
        break;
      case 1:
        parts.push_back(i % 2 ? 0 : 2 * about + i);
        break;
      case 2:
        parts.push_back(i == size - 1 ? about * size : 0);
        break;
      case 3:
        parts.push_back((i * 7 + 3) % 5 * about / 2);
        break;
      case 4:
        parts.push_back(i == 0 ? 0 : about + i);
        break;
      default:
        parts.push_back(0);
        break;
    }
  }
  return parts;
}
constexpr int patterns = 6;

TEST(PlainCollectives, ReduceAndScatter) {
  for_sizes([](int size) {
    for (const Kind& kind : kinds) {
      for (const Bytes element : {1, 8}) {
        for (const Bytes about : shares({524288 / element}, {5}, size)) {
          const Operands what{about, element, kind.commutative, kind.predefined};
          const model::Reduction same_what{about, element, kind.commutative, kind.predefined};
          if (!same(
                  reduce_scatter_block(size, what),
                  [&](int rank) { return model::reduce_scatter_block(rank, size, same_what); },
                  words("reduce_scatter_block", about) + " by " + kind.name))
            return;
          for (int pattern = 0; pattern < patterns; ++pattern) {
            const Sizes counts = parts(pattern, size, about);
            if (!same(
                    reduce_scatter(counts, what),
                    [&](int rank) {
                      return model::reduce_scatter(rank, size, counts, same_what, pattern % 2);
                    },
                    words("reduce_scatter", about) + ", pattern " + std::to_string(pattern) + " by " +
                        kind.name))
              return;
          }
        }
      }
    }
  });
}

std::vector<model::Block> one_after_the_other(const Sizes& parts) {
  std::vector<model::Block> blocks;
  Bytes offset = 0;
  for (const Bytes part : parts) {
    blocks.push_back({offset, part});
    offset += part;
  }
  return blocks;
}

TEST(PlainCollectives, GatherAndScatterParts) {
  for_sizes([](int size) {
    for (int root = 0; root < size; ++root) {
      for (int pattern = 0; pattern < patterns; ++pattern) {
        const Sizes of = parts(pattern, size, 40);
        const auto blocks = one_after_the_other(of);
        const std::string text = ", pattern " + std::to_string(pattern);
        for (const bool in_place : both) {
          const auto own = [&](int rank) { return of[static_cast<std::size_t>(rank)]; };
          const auto at_root = [&](int rank) {
            return std::span<const model::Block>(blocks.data(), rank == root ? blocks.size() : 0);
          };
          if (!same(
                  gather_parts(root, of),
                  [&](int rank) {
                    return model::gatherv(rank, size, root, own(rank), at_root(rank), in_place);
                  },
                  words("gatherv", 40, root, in_place) + text) ||
              !same(
                  scatter_parts(root, of),
                  [&](int rank) {
                    return model::scatterv(rank, size, root, at_root(rank), own(rank), in_place);
                  },
                  words("scatterv", 40, root, in_place) + text))
            return;
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
                all_gather(size, block),
                [&](int rank) { return model::allgather(rank, size, block, in_place); },
                words("allgather", block, -1, in_place)))
          return;
      }
    }
  });
}

TEST(PlainCollectives, GatherPartsToAll) {
  constexpr model::Element elements[] = {{1, 1}, {8, 24}, {4096, 40000}, {12, 12}};
  for_sizes([&](int size) {
    for (const model::Element& element : elements) {
      for (const Bytes about :
           shares({81920 / element.size, 524288 / element.size}, {32768 / element.extent}, size)) {
        if (about * size * element.extent > (Bytes{64} << 20)) continue;  // thousands of pieces
        for (int pattern = 0; pattern < patterns; ++pattern) {
          Sizes counts = parts(pattern, size, about), bytes;
          for (const Bytes count : counts) bytes.push_back(count * element.size);
          const auto blocks = one_after_the_other(bytes);
          if (!same(
                  all_gather_parts(counts, element.size, element.extent),
                  [&](int rank) { return model::allgatherv(rank, size, blocks, element, pattern % 2); },
                  words("allgatherv", about) + ", pattern " + std::to_string(pattern) + ", elements of " +
                      std::to_string(element.size) + " in " + std::to_string(element.extent)))
            return;
        }
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

TEST(PlainCollectives, AllToAllParts) {
  for_sizes([](int size) {
    for (int pattern = 0; pattern < patterns; ++pattern) {
      for (const bool in_place : both) {
        Matrix of;
        for (int from = 0; from < size; ++from) {
          Sizes row = parts(pattern, size, 50);
          std::rotate(row.begin(), row.begin() + from, row.end());
          of.push_back(row);
        }
        // In place, the received and the sent parts have equal lengths.
        if (in_place)
          for (std::size_t a = 0; a < of.size(); ++a)
            for (std::size_t b = 0; b < a; ++b) of[a][b] = of[b][a];
        const auto schedule = [&](int rank) {
          Sizes sent = of[static_cast<std::size_t>(rank)], received;
          for (const Sizes& row : of) received.push_back(row[static_cast<std::size_t>(rank)]);
          return model::alltoallv(rank, size, one_after_the_other(sent), one_after_the_other(received),
                                  in_place);
        };
        if (!same(all_to_all_parts(of, in_place), schedule,
                  words("alltoallv", 50, -1, in_place) + ", pattern " + std::to_string(pattern)))
          return;
      }
    }
  });
}

}  // namespace
}  // namespace emu::reference
