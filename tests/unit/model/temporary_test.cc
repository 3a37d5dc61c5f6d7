// Temporary memory of reductions: the bytes that a rank uses.
#include <gtest/gtest.h>

#include "model/algorithms.h"
#include "model/collectives.h"

namespace emu::model {
namespace {

constexpr Bytes count = 1200, element = 8, vector = count * element;
constexpr Reduction what{count, element, true, true};

Bytes of_allreduce(int rank, int size, Algorithm as) {
  return allreduce(rank, size, what, false, as).scratch;
}

Bytes of_reduce_scatter(int rank, int size, Algorithm as) {
  return reduce_scatter_block(rank, size, Reduction{count / size, element, true, true}, false, as).scratch;
}

TEST(Temporary, HalvingReceivesHalfOfTheVector) {
  for (int rank = 0; rank < 8; ++rank) {
    EXPECT_EQ(of_allreduce(rank, 8, Algorithm::rabenseifner), vector / 2) << rank;
    EXPECT_EQ(of_reduce_scatter(rank, 8, Algorithm::halving), vector + vector / 2) << rank;
  }
}

TEST(Temporary, ARankWithAPartnerReceivesTheWholeVector) {
  // 4 pairs; the odd ranks of the first 8 continue.
  for (int rank = 0; rank < 12; ++rank) {
    const bool paired = rank < 8, aside = paired && rank % 2 == 0;
    const Bytes received = aside ? 0 : paired ? vector : vector / 2;
    EXPECT_EQ(of_allreduce(rank, 12, Algorithm::rabenseifner), received) << rank;
  }
  for (int rank = 8; rank < 12; ++rank) {
    // The pairs keep the first half of the numbers, with two parts each, and these ranks the other, with one each.
    const Bytes kept = of_reduce_scatter(rank, 12, Algorithm::halving) - vector;
    EXPECT_EQ(kept, vector * 4 / 12) << rank;
  }
}

TEST(Temporary, ALibraryAllocatesTheWholeVector) {
  EXPECT_EQ(allreduce(0, 8, what, false, Algorithm::rabenseifner).largest, vector);
  EXPECT_EQ(reduce(0, 8, 0, what, false, {Algorithm::rabenseifner}).largest, vector);
}

TEST(Temporary, DoublingReceivesTheWholeVector) {
  EXPECT_EQ(of_allreduce(3, 8, Algorithm::recursive_doubling), vector);
}

TEST(Temporary, ARingReceivesBlocks) {
  EXPECT_EQ(of_allreduce(3, 8, Algorithm::ring), vector / 8);
  EXPECT_EQ(of_reduce_scatter(3, 8, Algorithm::ring), vector + vector / 8);
}

}  // namespace
}  // namespace emu::model
