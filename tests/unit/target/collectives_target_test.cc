// [collectives] of a target: the choice of scatters and of algorithms.
#include <gtest/gtest.h>

#include "target/algorithms.h"
#include "target/target.h"

namespace emu::target {
namespace {

const std::string good = R"(name = "test"
[network]
latency = "50us"
gap_per_byte = "1us"
eager_limit = "64KiB"
send = { fixed = "3us", per_process = "0us", per_byte = "0us" }
receive = { fixed = "4us", per_process = "0us", per_byte = "0us" }
[[node]]
count = 2
)";

std::string error_of(const std::string& text) {
  const auto target = parse(text, "x.toml");
  EXPECT_FALSE(target) << "expected an error";
  return target ? "" : target.error().message;
}

TEST(TargetCollectives, WhatScattersAreAsked) {
  EXPECT_EQ(parse(good, "x.toml")->scatter, Scatter::balanced);
  EXPECT_EQ(parse(good + "[collectives]\nscatter = \"balanced\"\n", "x.toml")->scatter, Scatter::balanced);
  EXPECT_EQ(parse(good + "[collectives]\nscatter = \"uniform\"\n", "x.toml")->scatter, Scatter::uniform);
  EXPECT_NE(error_of(good + "[collectives]\nscatter = \"fair\"\n").find("collectives.scatter"),
            std::string::npos);
}

TEST(TargetCollectives, Algorithms) {
  using model::Algorithm;
  using model::Collective;
  const std::string start = good + "[collectives]\n";
  EXPECT_FALSE(parse(good, "x.toml")->algorithms.any());
  const auto one = parse(start + "barrier = \"tree\"\n", "x.toml");
  ASSERT_TRUE(one) << one.error().message;
  EXPECT_EQ(one->algorithms.of({Collective::barrier, 0}).algorithm, Algorithm::tree);
  const auto several =
      parse(start + "scatter = \"uniform\"\nallreduce = [\"recursive-doubling up to 16KiB\", \"ring\"]\n",
            "x.toml");
  ASSERT_TRUE(several) << several.error().message;
  EXPECT_EQ(several->scatter, Scatter::uniform);
  EXPECT_EQ(several->algorithms.of({Collective::allreduce, 16384}).algorithm, Algorithm::recursive_doubling);
  EXPECT_EQ(several->algorithms.of({Collective::allreduce, 16385}).algorithm, Algorithm::ring);
  const auto library = parse(start + "library = \"openmpi\"\nbcast = \"linear up to 1kB\"\n", "x.toml");
  ASSERT_TRUE(library) << library.error().message;
  EXPECT_TRUE(library->algorithms.any());
  EXPECT_EQ(library->algorithms.of({Collective::bcast, 1000, 8}).algorithm, Algorithm::linear);
  EXPECT_EQ(library->algorithms.of({Collective::bcast, 3000, 8}).algorithm, Algorithm::split_binary);
  EXPECT_FALSE(parse(start + "library = \"mpich\"\n", "x.toml")->algorithms.any());

  EXPECT_EQ(parse(start + "library = \"openmpi-4.1\"\n", "x.toml")->algorithms.library,
            model::Library::openmpi_4_1);
  const auto cut =
      parse(start + "bcast = [\"pipeline in 8KiB up to 1MiB\", \"split-binary in whole\"]\n", "x.toml");
  ASSERT_TRUE(cut) << cut.error().message;
  EXPECT_EQ(cut->algorithms.of({Collective::bcast, 1 << 20, 8}),
            model::AlgorithmChoice(Algorithm::pipeline, 8192));
  EXPECT_EQ(cut->algorithms.of({Collective::bcast, 2 << 20, 8}),
            model::AlgorithmChoice(Algorithm::split_binary, model::AlgorithmChoice::whole));

  const auto refused = [&](const std::string& line, const std::string& what) {
    const std::string error = error_of(start + line + "\n");
    EXPECT_NE(error.find(what), std::string::npos) << line << ": " << error;
  };
  refused("bcast = 3", "collectives.bcast: invalid value (expected one of \"mpich\", \"binary\"");
  refused("bcast = \"tree\"", "collectives.bcast: unknown algorithm: \"tree\"");
  refused("bcast = [\"binomial up to many\"]", "collectives.bcast: ");
  refused("library = \"lam\"", "collectives.library: unknown library (expected");
  refused("library = 3", "collectives.library: unknown library");
  refused("bcast = \"pipeline in 0B\"", "collectives.bcast: invalid segment: 0B (expected 1 byte or more");
  refused("bcast = \"pipeline in pieces\"", "collectives.bcast: ");
  refused("allreduce = \"ring in 8KiB\"", "collectives.allreduce: segments are for bcast and reduce only");
  refused("bcast = []", "collectives.bcast: invalid value: an empty list");
  refused("bcast = [\"binomial\", \"linear\"]", "collectives.bcast: unreachable choice");
  refused("bcast = [\"binomial up to 2kB\", \"linear up to 1kB\"]", "collectives.bcast: unreachable choice");
  refused("broadcast = \"linear\"", "collectives.broadcast: ");
}

// Traces contain this text, also those of versions with other algorithms.
TEST(TargetCollectives, AlgorithmsAreNamedInTraces) {
  const std::string lines =
      "[collectives]\nlibrary = \"openmpi\"\nbcast = [\"chains up to 4kB\", \"pipeline in 8kB up to 9kB\"]\n";
  EXPECT_EQ(ways_of_collectives(*parse(good + lines, "x.toml"), 2),
            "1 bcast:chains/0/4000 bcast:pipeline/8000/9000");
}

}  // namespace
}  // namespace emu::target
