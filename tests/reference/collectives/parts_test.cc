// Compares the schedules of libemu/model/collectives with the plain ones, as collectives_test.cc, for the operations whose
// ranks have parts of unequal sizes.
#include <gtest/gtest.h>

#include "model/collectives.h"
#include "reference/collectives/comparison.h"

namespace emu::reference {
namespace {

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
    for (const Operator& by : operators) {
      for (const Bytes element : {1, 8}) {
        for (const Bytes about : shares({524288 / element}, {5}, size)) {
          const Operands what{about, element, by.commutative, by.predefined};
          const model::Reduction same_what{about, element, by.commutative, by.predefined};
          if (!same(
                  reduce_scatter_block(size, what),
                  [&](int rank) { return model::reduce_scatter_block(rank, size, same_what); },
                  words("reduce_scatter_block", about) + " by " + by.name, by.commutative))
            return;
          for (int pattern = 0; pattern < patterns; ++pattern) {
            const Sizes counts = parts(pattern, size, about);
            if (!same(
                    reduce_scatter(counts, what, pattern % 2),
                    [&](int rank) {
                      return model::reduce_scatter(rank, size, counts, same_what, pattern % 2);
                    },
                    words("reduce_scatter", about) + ", pattern " + std::to_string(pattern) + " by " +
                        by.name,
                    by.commutative))
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
                  gather_parts(root, of, in_place),
                  [&](int rank) {
                    return model::gatherv(rank, size, root, own(rank), at_root(rank), in_place);
                  },
                  words("gatherv", 40, root, in_place) + text) ||
              !same(
                  scatter_parts(root, of, in_place),
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
                  all_gather_parts(counts, element.size, element.extent, pattern % 2),
                  [&](int rank) { return model::allgatherv(rank, size, blocks, element, pattern % 2); },
                  words("allgatherv", about) + ", pattern " + std::to_string(pattern) + ", elements of " +
                      std::to_string(element.size) + " in " + std::to_string(element.extent)))
            return;
        }
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
