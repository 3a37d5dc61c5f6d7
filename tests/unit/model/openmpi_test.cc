// The choices of Open MPI on both sides of every limit of its rules, and its segmented algorithms:
// they give the same results, without a deadlock under rendezvous, with one message for each segment.
#include "model/openmpi.h"

#include <gtest/gtest.h>

#include "collectives_data.h"
#include "collectives_world.h"
#include "model/collectives.h"
#include "model/collectives/trees.h"

namespace emu::model {
namespace {

using namespace testing;  // NOLINT: the test's own helpers

constexpr Bytes MiB = 1 << 20;

struct Case {
  AlgorithmQuery asked;
  Algorithm algorithm;
  Bytes segment = 0;
};

void check(const std::vector<Case>& cases, Library library = Library::openmpi) {
  Algorithms algorithms;
  algorithms.library = library;
  for (const Case& c : cases) {
    const AlgorithmChoice way = algorithms.of(c.asked);
    EXPECT_EQ(way.algorithm, c.algorithm) << c.asked.bytes << " bytes, " << c.asked.ranks << " ranks";
    EXPECT_EQ(way.segment, c.segment) << c.asked.bytes << " bytes, " << c.asked.ranks << " ranks";
  }
}

TEST(OpenMpi, ChoosesForWhatMovesData) {
  using enum Collective;
  using enum Algorithm;
  check({{{barrier, 0, 8}, recursive_doubling}, {{barrier, 0, 6}, dissemination}});
  // Ranks: 1.6134e-6 * 1,000,000 + 2.1102 = 3.7; 2.3679e-6 * 8,000,000 + 1.1787 = 20.1; 3.2118e-6 * 8,000,000 + 8.7936
  // = 34.5.
  check({{{bcast, 2047, 4}, binomial},
         {{bcast, 2048, 4}, split_binary, 1024},
         {{bcast, 370727, 4}, split_binary, 1024},
         {{bcast, 1000000, 3}, pipeline, 131072},
         {{bcast, 1000000, 4}, split_binary, 8192},
         {{bcast, 370728, 12}, split_binary, 8192},
         {{bcast, 8000000, 15}, pipeline, 131072},
         {{bcast, 8000000, 16}, pipeline, 65536},
         {{bcast, 8000000, 20}, pipeline, 65536},
         {{bcast, 8000000, 21}, pipeline, 16384},
         {{bcast, 8000000, 34}, pipeline, 16384},
         {{bcast, 8000000, 35}, pipeline, 8192}});
  check({{{allgather, 100, 2}, recursive_doubling},
         {{allgather, 49999, 8}, recursive_doubling},
         {{allgather, 49999, 6}, bruck},
         {{allgather, 50000, 8}, neighbor_exchange},
         {{allgather, 50000, 7}, ring},
         {{.operation = allgather, .bytes = 49999, .ranks = 8, .lists_counts = true}, bruck}});
  check({{{alltoall, 100000, 2}, rotation},
         {{alltoall, 199, 12}, linear},
         {{alltoall, 199, 13}, bruck},
         {{alltoall, 200, 13}, linear},
         {{alltoall, 2999, 64}, linear},
         {{alltoall, 3000, 64}, rotation}});
  check({{{gather, 60 * 6000, 60}, linear},
         {{gather, 61 * 6000, 61}, binomial},
         {{gather, 61 * 6001, 61}, linear},
         {{gather, 11 * 1023, 11}, binomial},
         {{gather, 10 * 1023, 10}, linear},
         {{.operation = gather, .bytes = 11 * 299, .ranks = 11, .scatters = true}, binomial},
         {{.operation = gather, .bytes = 11 * 300, .ranks = 11, .scatters = true}, linear}});
}

TEST(OpenMpi, ChoosesForWhatCombines) {
  using enum Collective;
  using enum Algorithm;
  check({{{allreduce, 9999, 4, 1249}, recursive_doubling},
         {{allreduce, 10000, 4, 1250}, ring},
         {{allreduce, 10000, 4, 4}, reduce_bcast},
         {{allreduce, 10000, 4, 1250, false}, reduce_bcast}});
  // Ranks: 0.6016 * 4 + 1.3496 = 3.8; 0.041 * 20 + 9.7128 = 10.5; 0.0422 * 400 + 1.1614 = 18.0; 0.0033 * 1000 + 1.6761
  // = 5.0.
  check({{{reduce, 511, 7, 64}, linear},
         {{reduce, 511, 8, 64}, binomial},
         {{reduce, 20479, 7, 2560}, binomial},
         {{reduce, 1000000, 64, 1}, binomial},
         {{reduce, 4096, 8, 512}, binomial, 1024},
         {{reduce, 20480, 11, 2560}, pipeline, 1024},
         {{reduce, 409600, 27, 51200}, pipeline, 1024},
         {{reduce, 409600, 19, 51200}, binary, 32768},
         {{reduce, 1024000, 6, 128000}, pipeline, 32768},
         {{reduce, 1024000, 4, 128000}, pipeline, 65536},
         {{reduce, 1024000, 4, 128000, false}, mpich}});
  check({{{reduce_scatter, 12288, 6, 1}, halving},
         {{reduce_scatter, 12289, 6, 1}, ring},
         {{reduce_scatter, 262144, 8, 1}, halving},
         {{reduce_scatter, 262145, 8, 1}, ring},
         {{reduce_scatter, 20000, 33, 1}, halving},
         {{reduce_scatter, 20000, 31, 1}, ring}});
}

TEST(OpenMpi, ChoosesByTablesFrom41On) {
  using enum Collective;
  using enum Algorithm;
  check({{{barrier, 0, 3}, recursive_doubling_halves},
         {{barrier, 0, 4}, linear},
         {{barrier, 0, 7}, linear},
         {{barrier, 0, 8}, recursive_doubling_halves},
         {{barrier, 0, 64}, dissemination},
         {{barrier, 0, 256}, tree},
         {{bcast, 31, 2}, pipeline, AlgorithmChoice::whole},
         {{bcast, 32, 3}, binary, AlgorithmChoice::whole},
         {{bcast, MiB - 1, 7}, linear, AlgorithmChoice::whole},
         {{bcast, 131072, 3}, pipeline, AlgorithmChoice::whole},
         {{bcast, MiB, 7}, pipeline, AlgorithmChoice::whole},
         {{bcast, 100, 12}, knomial, AlgorithmChoice::whole},
         {{bcast, 2047, 48}, binomial_doubling, AlgorithmChoice::whole},
         {{bcast, 2048, 48}, knomial, AlgorithmChoice::whole},
         {{bcast, 16384, 256}, split_binary, AlgorithmChoice::whole},
         {{bcast, 32768, 256}, knomial, AlgorithmChoice::whole},
         {{bcast, 262143, 4096}, knomial, AlgorithmChoice::whole},
         {{bcast, 262144, 4096}, scatter_doubling, AlgorithmChoice::whole},
         {{reduce, 100, 8, 25}, binary, AlgorithmChoice::whole},
         {{reduce, 8192, 8, 2048}, binomial, AlgorithmChoice::whole},
         {{reduce, 8192, 7, 2048}, pipeline, AlgorithmChoice::whole},
         {{reduce, 524288, 3, 131072}, pipeline, AlgorithmChoice::whole},
         {{reduce, 8192, 8, 2048, false}, mpich},
         {{allreduce, 8191, 8, 2048}, recursive_doubling},
         {{allreduce, 8192, 8, 2048}, rabenseifner},
         {{allreduce, 40, 16, 10}, recursive_doubling},  // a ring needs an element for each rank
         {{allreduce, 2048, 128, 512}, reduce_bcast_openmpi},
         {{allreduce, 32767, 4096, 8191}, recursive_doubling},
         {{allreduce, 32768, 4096, 8192}, rabenseifner},
         {{allgather, 1023 * 32, 32}, recursive_doubling},
         {{allgather, 1024 * 32, 32}, neighbor_exchange},
         {{allgather, 100 * 24, 24}, bruck},
         {{alltoall, 511, 32}, bruck},
         {{alltoall, 512, 32}, linear},
         {{alltoall, 262143, 255}, linear},
         {{alltoall, 262144, 255}, rotation},
         {{alltoall, 32767, 256}, linear},
         {{alltoall, 32768, 256}, rotation},
         {{alltoall, 2047, 4096}, bruck},
         {{alltoall, 2048, 4096}, linear},
         {{alltoall, MiB, 8192}, linear},
         {{gather, 1000 * 300, 300}, binomial},
         {{.operation = gather, .bytes = 16384 * 16, .ranks = 16, .scatters = true}, linear}},
        Library::openmpi_4_1);
}

using Steps = std::vector<std::pair<Bytes, Algorithm>>;  // from these bytes on

struct Row {
  int first, last;  // ranks
  Steps steps;
};

// The algorithms on both sides of each limit of ranks and bytes. A step has bytes of a block, if `by_block`.
void check_table(const std::vector<Row>& rows, AlgorithmQuery asked, bool by_block) {
  std::vector<Case> cases;
  for (const Row& row : rows) {
    for (const int ranks : {row.first, row.last}) {
      const auto add = [&](Bytes bytes, Algorithm as) {
        asked.ranks = ranks;
        asked.bytes = by_block ? bytes * ranks : bytes;
        cases.push_back({asked, as});
      };
      for (std::size_t i = 0; i < row.steps.size(); ++i) {
        add(row.steps[i].first, row.steps[i].second);
        if (i > 0) add(row.steps[i].first - 1, row.steps[i - 1].second);
      }
      add(Bytes{1} << 40, row.steps.back().second);
    }
  }
  check(cases, Library::openmpi_4_1);
}

TEST(OpenMpi, ChoosesForReduceScatterByTables) {
  using enum Algorithm;
  constexpr Algorithm reduces = reduce_scatter_openmpi;
  const std::vector<Row> of_parts = {
      {2, 3, {{0, ring}, {65536, butterfly}, {131072, ring}}},
      {4, 7, {{0, reduces}, {8, halving}, {262144, ring}}},
      {8, 31, {{0, halving}, {262144, ring}}},
      {32, 63, {{0, reduces}, {64, halving}, {2048, butterfly}, {524288, ring}}},
      {64, 127, {{0, reduces}, {256, halving}, {512, butterfly}, {2048, halving}, {4096, butterfly}}},
      {128, 255, {{0, reduces}, {256, halving}, {512, butterfly}}},
      {256, 511, {{0, reduces}, {256, halving}, {1024, butterfly}}},
      {512, 1023, {{0, reduces}, {512, halving}, {2048, butterfly}, {8192, halving}, {16384, butterfly}}},
      {1024, 2047, {{0, reduces}, {512, halving}, {4096, butterfly}, {16384, halving}, {32768, butterfly}}},
      {2048, 4095, {{0, reduces}, {512, halving}, {4096, butterfly}}},
      {4096, 9999, {{0, reduces}, {1024, halving}, {8192, butterfly}}}};
  check_table(of_parts, {.operation = Collective::reduce_scatter, .lists_counts = true}, false);
  const Steps of_3 = {{0, recursive_doubling}, {4, butterfly},    {8, halving},
                      {16, butterfly},         {128, halving},    {256, butterfly},
                      {4096, halving},         {8192, butterfly}, {131072, reduces}};
  const Steps of_7 = {{0, halving},      {8, recursive_doubling}, {32, butterfly}, {256, halving},
                      {8192, butterfly}, {16384, halving},        {MiB, reduces}};
  const Steps of_15 = {{0, reduces},   {4, halving},      {32, butterfly},
                       {128, halving}, {524288, reduces}, {4 * MiB, butterfly}};
  const std::vector<Row> of_blocks = {
      {2, 3, of_3},
      {4, 7, of_7},
      {8, 15, of_15},
      {16, 31, {{0, reduces}, {32, halving}, {524288, reduces}, {2 * MiB, halving}, {4 * MiB, butterfly}}},
      {32, 9999, {{0, halving}, {4, reduces}, {16, butterfly}, {65536, reduces}, {262144, butterfly}}}};
  check_table(of_blocks, {.operation = Collective::reduce_scatter}, true);
  check({{{Collective::reduce_scatter, MiB, 64, 1, false}, reduces}}, Library::openmpi_4_1);
}

TEST(OpenMpi, ChoosesForUnequalBlocksByTables) {
  using enum Algorithm;
  const Steps of_7 = {{0, bruck},     {256, neighbor_exchange},   {4096, ring}, {8192, neighbor_exchange},
                      {16384, bruck}, {262144, neighbor_exchange}};
  const std::vector<Row> rows = {{2, 2, {{0, ring}}},
                                 {3, 7, of_7},
                                 {8, 15, {{0, bruck}}},
                                 {16, 31, {{0, bruck}, {262144, ring}}},
                                 {32, 63, {{0, bruck}, {8192, ring}}},
                                 {64, 127, {{0, bruck}, {4096, ring}}},
                                 {128, 255, {{0, bruck}, {1024, neighbor_exchange}, {65536, ring}}},
                                 {256, 511, {{0, bruck}, {1024, ring}}},
                                 {512, 1023, {{0, bruck}, {4096, neighbor_exchange}, {MiB, ring}}},
                                 {1024, 9999, {{0, bruck}, {4096, neighbor_exchange}}}};
  check_table(rows, {.operation = Collective::allgather, .lists_counts = true}, true);
}

// The ordered children of each of 13 ranks, with root 0.
TEST(OpenMpi, Trees) {
  const auto children = [](Shape shape, int rank, int size) { return place(shape, rank, size, 0).children; };
  using List = std::vector<int>;
  EXPECT_EQ(children(Shape::chains, 0, 8), (List{1, 3, 5, 7}));
  EXPECT_EQ(children(Shape::chains, 1, 8), (List{2}));
  EXPECT_EQ(children(Shape::chains, 2, 8), List{});
  EXPECT_EQ(children(Shape::chains, 0, 3), (List{1, 2}));
  EXPECT_EQ(children(Shape::doubling, 0, 13), (List{1, 2, 4, 8}));
  EXPECT_EQ(children(Shape::doubling, 1, 13), (List{3, 5, 9}));
  EXPECT_EQ(children(Shape::doubling, 3, 13), (List{7, 11}));
  EXPECT_EQ(children(Shape::knomial, 0, 13), (List{4, 8, 12, 1, 2, 3}));
  EXPECT_EQ(children(Shape::knomial, 4, 13), (List{5, 6, 7}));
  EXPECT_EQ(children(Shape::knomial, 12, 13), List{});
  EXPECT_EQ(children(Shape::binary, 0, 8), (List{1, 2}));
  EXPECT_EQ(children(Shape::binary, 1, 8), (List{3, 5}));
  EXPECT_EQ(place(Shape::binary, 4, 8, 0).parent, 2);
  for (const Shape shape :
       {Shape::chain, Shape::chains, Shape::binary, Shape::knomial, Shape::doubling, Shape::binomial})
    for (int size = 1; size < 70; ++size)
      for (int root : {0, size - 1})
        for (int rank = 0; rank < size; ++rank) {
          const Place here = place(shape, rank, size, root);
          EXPECT_EQ(here.parent < 0, rank == root);
          for (const int child : here.children) EXPECT_EQ(place(shape, child, size, root).parent, rank);
        }
}

// Halves that are not cut into segments use the tree even if they are short.
TEST(OpenMpi, SplitBinaryInWhole) {
  World world(6);
  ASSERT_NO_FATAL_FAILURE(play_bcast(world, 6, 0, 40, {Algorithm::split_binary, AlgorithmChoice::whole}));
  EXPECT_EQ(world.messages, 5 + 2 * 2 + 1);
}

TEST(OpenMpi, IsAskedBehindWhatTheTargetSays) {
  Algorithms algorithms;
  algorithms.library = Library::openmpi;
  algorithms.choose(Collective::bcast, {{1000, Algorithm::linear}});
  EXPECT_EQ(algorithms.of({Collective::bcast, 1000, 4}).algorithm, Algorithm::linear);
  EXPECT_EQ(algorithms.of({Collective::bcast, 1001, 4}).algorithm, Algorithm::binomial);
  EXPECT_TRUE(algorithms.any());
}

TEST(OpenMpi, BcastInSegments) {
  constexpr Bytes bytes = 1000;
  for (const int size : kSizes) {
    for (const int root : roots(size)) {
      for (const AlgorithmChoice way :
           {AlgorithmChoice(Algorithm::pipeline, 64), AlgorithmChoice(Algorithm::split_binary, 64),
            AlgorithmChoice(Algorithm::pipeline, 2000), AlgorithmChoice(Algorithm::split_binary, 600)}) {
        SCOPED_TRACE(std::to_string(size) + " ranks, root " + std::to_string(root));
        World world(size);
        ASSERT_NO_FATAL_FAILURE(play_bcast(world, size, root, bytes, way));
        const Bytes segments = (bytes + way.segment - 1) / way.segment;
        if (way.algorithm == Algorithm::pipeline) {
          EXPECT_EQ(world.messages, (size - 1) * segments);
        }
        // Each rank gets its half in 8 segments; then it sends that half to its pair, or the last rank gets the other
        // half from the root.
        if (way.algorithm == Algorithm::split_binary && way.segment == 64) {
          const int pairs = (size - 1) / 2;
          EXPECT_EQ(world.messages, 8 * (size - 1) + 2 * pairs + (size % 2 == 0 ? 1 : 0));
        }
      }
    }
  }
}

TEST(OpenMpi, ReduceInSegments) {
  const Reduction what{100, 8, true, true};
  for (const int size : kSizes) {
    for (const int root : roots(size)) {
      for (const Algorithm as : {Algorithm::pipeline, Algorithm::binary, Algorithm::binomial}) {
        for (const bool in_place : {false, true}) {
          SCOPED_TRACE(std::to_string(size) + " ranks, root " + std::to_string(root));
          World world(size);
          // segments of 7 elements
          play_reduce(world, size, root, what, in_place, [&](int r) {
            return reduce(r, size, root, what, in_place, {as, 60});
          });
          EXPECT_EQ(world.messages, 15 * (size - 1));
        }
      }
    }
  }
}

}  // namespace
}  // namespace emu::model
