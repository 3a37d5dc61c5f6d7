// emu study --sweep: the values, the words that they replace, and the points that a search over several dimensions
// runs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>

#include "program/braces.h"
#include "runs.h"
#include "study/json.h"
#include "study/plane/best.h"
#include "study/plane/plane_search.h"
#include "study/plane/sweep.h"

namespace emu::app::studies {
namespace {

std::string failure(const std::string& option) {
  const auto sweeps = parse_sweeps({option});
  return sweeps ? "none" : sweeps.error().message;
}

std::vector<std::string> values(const std::string& option) {
  const auto sweeps = parse_sweeps({option});
  EXPECT_TRUE(sweeps) << option;
  return sweeps ? sweeps->front().values : std::vector<std::string>();
}

TEST(Braces, AreReplacedOnceAndOnlyWhereTheNameIsKnown) {
  const Values known{{"T", "4"}, {"word", "a 'b' \"c\" {T}"}};
  EXPECT_EQ(with_values("--task={T},{T}", known), "--task=4,4");
  EXPECT_EQ(with_values("{word}", known), "a 'b' \"c\" {T}");  // blanks, quotes and braces stay
  EXPECT_EQ(with_values("{X}{}{ T}{T", known), "{X}{}{ T}{T");
  EXPECT_EQ(with_values("{{T}} {{X}} {{{T}}}", known), "{T} {X} {{T}}");
  EXPECT_EQ(with_values("{\"T\": {T}}", known), "{\"T\": 4}");
  EXPECT_EQ(names_in_braces("{a}{{b}}{1}{c_2}{}"), (std::vector<std::string>{"a", "c_2"}));
}

TEST(Braces, InTheEnvironmentCountOnlyIfTheNameIsKnown) {
  setenv("PLANE_TEST", "n={T} {other}", 1);
  EXPECT_EQ(environment_with_values({{"T", "4"}}).at("PLANE_TEST"), "n=4 {other}");
  EXPECT_FALSE(environment_with_values({{"U", "4"}}).contains("PLANE_TEST"));
  unsetenv("PLANE_TEST");
}

TEST(Sweep, HasListsRangesAndWords) {
  EXPECT_EQ(values("T=8,1,2"), (std::vector<std::string>{"1", "2", "8"}));
  EXPECT_EQ(values("T=1..64*2"), (std::vector<std::string>{"1", "2", "4", "8", "16", "32", "64"}));
  EXPECT_EQ(values("T=1..4,2..8*2"), (std::vector<std::string>{"1", "2", "3", "4", "8"}));
  EXPECT_EQ(values("T=-2..8:5"), (std::vector<std::string>{"-2", "3", "8"}));
  EXPECT_EQ(values("rule=gss,fac"), (std::vector<std::string>{"gss", "fac"}));
  EXPECT_EQ(values("file=../x,a..b"), (std::vector<std::string>{"../x", "a..b"}));
  EXPECT_EQ(values("x=0.5,2,1e-3"), (std::vector<std::string>{"1e-3", "0.5", "2"}));
}

TEST(Sweep, RefusesWhatIsNone) {
  for (const char* option : {"T", "=1", ""})
    EXPECT_NE(failure(option).find("expected NAME=V1"), std::string::npos);
  EXPECT_NE(failure("1T=2").find("invalid name of --sweep: 1T"), std::string::npos);
  EXPECT_NE(failure("P=2").find("--ranks"), std::string::npos);
  EXPECT_NE(failure("T=").find("no values (expected T=V1,V2,...)"), std::string::npos);
  EXPECT_NE(failure("T=1,,2").find("a value is empty"), std::string::npos);
  EXPECT_NE(failure("T=8..2").find("empty range of --sweep T: 8..2 (expected a last number of 8 or more)"),
            std::string::npos);
  EXPECT_NE(failure("T=1..8*1").find("invalid factor"), std::string::npos);
  EXPECT_NE(failure("T=0..8*2").find("expected 1 or more before a factor"), std::string::npos);
  for (const char* option : {"T=1..", "T=1..x", "T=1..8*", "T=1..8:0", "T=1...8"})
    EXPECT_NE(failure(option).find("invalid range of --sweep T"), std::string::npos) << option;
  EXPECT_NE(failure("T=1..1000000").find("at most 10000"), std::string::npos);
  EXPECT_FALSE(parse_sweeps({"T=1", "T=2"}));
  EXPECT_FALSE(parse_sweeps({"T=1..200", "U=1..200"}));
}

TEST(Sweep, EveryNameOccursAndNoOtherDoes) {
  const auto fits = [](const std::vector<std::string>& options, const std::vector<std::string>& arguments) {
    const auto good = names_fit(*parse_sweeps(options), {}, {{{}, "./a", arguments}});
    return good ? "" : good.error().message;
  };
  EXPECT_EQ(fits({"T=1"}, {"--task", "{T}", "{P}"}), "");
  EXPECT_EQ(fits({}, {"{{T}}", "{}"}), "");
  EXPECT_NE(fits({}, {"{T}"}).find("{{T}} for the word {T}"), std::string::npos);
  EXPECT_NE(fits({"T=1"}, {"{T}", "{U}"}).find("--sweep U="), std::string::npos);
  EXPECT_NE(fits({"T=1"}, {"T"}).find("occurs neither"), std::string::npos);
  setenv("PLANE_TEST", "{T}", 1);
  EXPECT_EQ(fits({"T=1"}, {"T"}), "");
  unsetenv("PLANE_TEST");
}

TEST(Sweep, NumbersAreNumbersInJson) {
  EXPECT_EQ(value_json("4").dump(), "4");
  EXPECT_EQ(value_json("-0.5").dump(), "-0.5");
  EXPECT_EQ(value_json("4x").dump(), "\"4x\"");
  EXPECT_EQ(value_json("nan").dump(), "\"nan\"");
}

// Searches the minimum of `time`; returns the cells that it ran.
template <class Time>
KnownCells search_plane(const Sizes& sizes, Time time) {
  KnownCells known;
  while (const auto next = next_of_search(sizes, known)) {
    EXPECT_EQ(next->size(), sizes.size());
    for (std::size_t d = 0; d < sizes.size(); ++d) EXPECT_TRUE((*next)[d] >= 0 && (*next)[d] < sizes[d]);
    if (!known.emplace(*next, time(*next)).second) {
      ADD_FAILURE() << "the search runs a cell twice";
      break;
    }
  }
  return known;
}

Cell least_cell(const KnownCells& known) {
  return std::min_element(known.begin(), known.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

// Oblique valleys: the best value of one dimension depends on the other. The result is compared with the whole plane.
TEST(PlaneSearch, FindsTheOptimumOfAnyPlaceAndSlope) {
  const Sizes sizes{63, 12};
  for (int x = 0; x < 63; x += 7)
    for (int y = 0; y < 12; y += 3)
      for (const double slope : {-2.0, 0.0, 2.0}) {
        const auto time = [&](const Cell& c) {
          const double dy = c[1] - y, dx = (c[0] - x - slope * dy) / 5.0;
          return 1 + 0.01 * dx * dx + 0.05 * dy * dy;
        };
        const KnownCells known = search_plane(sizes, time);
        EXPECT_EQ(least_cell(known), (Cell{x, y})) << "slope " << slope;
        EXPECT_LT(known.size(), 63u * 12 / 4);
        for (const Cell& cell : neighbours(sizes, {x, y})) EXPECT_TRUE(known.contains(cell));
      }
}

TEST(PlaneSearch, KnowsTheEndsOfTheFlatRegionAlongEachDimension) {
  const Sizes sizes{40, 40};
  const auto time = [](const Cell& c) {
    return 1 + 1e-4 * (c[0] - 20) * (c[0] - 20) + 2e-4 * (c[1] - 9) * (c[1] - 9);
  };
  const KnownCells known = search_plane(sizes, time);
  ASSERT_EQ(least_cell(known), (Cell{20, 9}));
  for (const Cell& end : {Cell{6, 9}, Cell{5, 9}, Cell{34, 9}, Cell{35, 9}, Cell{20, 19}, Cell{20, 20}})
    EXPECT_TRUE(known.contains(end)) << end[0] << "," << end[1];
}

// Sizes of tasks that do not divide the work make ridges between those that do.
TEST(PlaneSearch, SeesBeyondRidges) {
  const auto time = [](const Cell& c) {
    return 1 + 0.01 * std::abs(c[0] - 20) + 0.02 * std::abs(c[1] - 8) + (c[1] % 2 ? 0.5 : 0.0);
  };
  EXPECT_EQ(least_cell(search_plane({40, 12}, time)), (Cell{20, 8}));
}

TEST(PlaneSearch, RunsTheDrawnCellsAndFollowsOneThatIsBetter) {
  const Sizes sizes{30, 30};
  const std::vector<Cell> drawn = drawn_cells(sizes);
  EXPECT_EQ(drawn.size(), 27u);
  EXPECT_EQ(drawn, drawn_cells(sizes));
  // A narrow hole at the third of them, which no neighbour indicates.
  const Cell hole = drawn[2];
  const auto time = [&](const Cell& c) {
    const double far = std::hypot(c[0] - hole[0], c[1] - hole[1]);
    return far < 2 ? 0.5 + 0.1 * far : 1 + 1e-3 * c[0];
  };
  const KnownCells known = search_plane(sizes, time);
  EXPECT_EQ(least_cell(known), hole);
  for (const Cell& cell : neighbours(sizes, hole)) EXPECT_TRUE(known.contains(cell));
}

TEST(PlaneSearch, EndsWhateverTheTimes) {
  for (const int seed : {1, 2, 3}) {
    std::srand(seed);
    search_plane({9, 9, 5}, [](const Cell&) { return 1.0 + std::rand() % 100; });
    search_plane({1, 1}, [](const Cell&) { return 1.0; });
    search_plane({20, 1, 1, 3, 2}, [](const Cell&) { return 1.0; });
  }
  const double never = std::numeric_limits<double>::infinity();
  EXPECT_EQ(search_plane({9, 9}, [&](const Cell&) { return never; }).size(), 9u);
}

TEST(PlaneSearch, NeighboursAndShares) {
  EXPECT_EQ(neighbours({3, 3}, {1, 1}).size(), 8u);
  EXPECT_EQ(neighbours({3, 3}, {0, 0}).size(), 3u);
  EXPECT_EQ(neighbours({3, 1}, {1, 0}).size(), 2u);
  EXPECT_EQ(neighbours({3, 3, 3, 3}, {1, 1, 1, 1}).size(), 8u);
  EXPECT_NEAR(std::pow(1 - better_share(13), 13), 0.05, 1e-12);
  EXPECT_EQ(cells_of({7, 5}), 35u);
}

// A study of ranks and T, with given times.
template <class Time>
Study study_of(const std::vector<int>& ranks, const std::string& sweep, Time time) {
  Study study;
  study.program = "./a";
  study.ranks = ranks;
  study.sweeps = *parse_sweeps({sweep});
  for (const Setting& setting : settings_of(study.sweeps)) {
    Curve curve{.variation = {}, .target = {}, .points = {}, .setting = setting};
    for (const int p : ranks) {
      Point point;
      point.ranks = p;
      point.runs.push_back(run_of(time(p, std::stod(setting.values[0].second)), p));
      curve.points.push_back(std::move(point));
    }
    study.curves.push_back(std::move(curve));
  }
  return study;
}

TEST(Best, NamesThePairTheFlatRegionAndEachSide) {
  const Study study = study_of({2, 4, 8, 16}, "T=1,2,4", [](int p, double t) {
    return 1 + 0.015 * std::abs(std::log2(p) - 3) + 0.1 * std::abs(t - 2);
  });
  const auto best = best_of(study, 0);
  ASSERT_TRUE(best);
  EXPECT_EQ(study.curves[best->curve].setting.label(), "T=2");
  EXPECT_EQ(best->verdict.optimum.point->ranks, 8);
  EXPECT_EQ(best->flat.size(), 3u);  // 4, 8 and 16 ranks
  ASSERT_EQ(best->sides.size(), 4u);
  EXPECT_EQ(best->sides[0].name, "fewer ranks");
  ASSERT_TRUE(best->sides[0].point);  // 2 ranks: the first point outside the flat region
  EXPECT_EQ(best->sides[0].point->ranks, 2);
  EXPECT_FALSE(best->sides[1].point);
  EXPECT_FALSE(best->sides[1].at_end);
  EXPECT_EQ(best->sides[3].name, "T above 2");
  EXPECT_NEAR(best->sides[3].longer, 0.2, 1e-9);
}

TEST(Best, InJson) {
  const Study study = study_of({2, 4}, "T=1,2.5", [](int p, double t) { return t + p; });
  const auto json = to_json(study);
  ASSERT_EQ(json["points"].size(), 4u);
  EXPECT_EQ(json["points"][2]["sweep"].dump(), "{\"T\":2.5}");
  EXPECT_EQ(json["optimum_ranks"], 2);
  EXPECT_EQ(json["optimum_sweep"].dump(), "{\"T\":1}");
  EXPECT_EQ(json["optimum_seconds"], 3);
  EXPECT_EQ(json["sweep"].dump(), "{\"T\":[1,2.5]}");
}

}  // namespace
}  // namespace emu::app::studies
