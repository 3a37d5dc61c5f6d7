// Sums of the time of a run by kind.
#include "analysis/profile.h"

#include <gtest/gtest.h>

namespace emu::analysis {
namespace {

Interval ps(std::int64_t n) { return Interval::picoseconds(n); }

// 64 bits of picoseconds hold 106 days of all processors together.
TEST(Profile, SumsOverRanksDoNotWrapAround) {
  constexpr std::int64_t day = 86'400'000'000'000'000;
  IntervalProfile interval;
  for (int rank = 0; rank < 5; ++rank) {
    Measures m;
    m.execution = ps((rank == 0 ? 50 : 40) * day);
    m.productive = ps(30 * day);
    m.by_kind[0].time = ps((rank == 0 ? 20 : 10) * day);
    interval.per_rank.push_back(m);
  }
  EXPECT_EQ(interval.total().each(1000), ps(day / 4));
  EXPECT_EQ(interval.sum().execution.each(10), ps(21 * day));
  EXPECT_EQ(interval.sum().communication().each(10), ps(6 * day));
  EXPECT_EQ(interval.idle().each(1), ps(40 * day));
  EXPECT_EQ(interval.lost().each(1), ps(100 * day));
  EXPECT_DOUBLE_EQ(interval.efficiency(), 0.6);
  EXPECT_EQ(interval.imbalance(), ps(0));
  EXPECT_TRUE(interval.lost().fits());
  EXPECT_FALSE(interval.total().fits());
}

TEST(Profile, EveryCallIsOfAKind) {
  const std::pair<const char*, Kind> calls[] = {
      {"MPI_Send", Kind::point_to_point},
      {"MPI_Get_count", Kind::point_to_point},
      {"MPI_Cancel", Kind::point_to_point},
      {"MPI_Reduce_scatter", Kind::reduction},
      {"MPI_Exscan", Kind::reduction},
      {"MPI_Reduce_scatter_block_init_c", Kind::reduction},
      {"MPI_Bcast", Kind::broadcast},
      {"MPI_Neighbor_allgather", Kind::redistribution},
      {"MPI_Iscatterv", Kind::redistribution},
      {"MPI_Alltoallw", Kind::redistribution},
      {"MPI_Put", Kind::remote_access},
      {"MPI_Get", Kind::remote_access},
      {"MPI_Rget_accumulate", Kind::remote_access},
      {"MPI_Win_fence", Kind::remote_access},
      {"MPI_Win_unlock_all", Kind::remote_access},
      {"MPI_Win_create", Kind::set_up},
      {"MPI_Comm_split", Kind::set_up},
      {"MPI_File_write_all", Kind::io},
      {"MPI_File_iread_at_all_c", Kind::io},
      {"MPI_Barrier", Kind::barrier},
  };
  for (const auto& [call, kind] : calls)
    EXPECT_EQ(kind_of(call), kind) << call << ": " << kind_names[static_cast<std::size_t>(kind_of(call))];
}

}  // namespace
}  // namespace emu::analysis
