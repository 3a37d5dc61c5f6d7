// Recordings of ranks that a test makes call by call.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "skeleton/fold/merge.h"
#include "skeleton/generate/generate.h"

namespace emu::skeleton {

inline Call message(Function function, int peer, int tag = 0, std::int64_t bytes = 0, int slot = 0) {
  Call call;
  call.function = function;
  call.peer = peer;
  call.tag = tag;
  call.bytes = bytes;
  call.slot = slot;
  return call;
}
inline Call wait(std::vector<std::int64_t> slots) {
  Call call;
  call.function = Function::wait;
  call.list = std::move(slots);
  return call;
}
inline Call all(Function function, std::int64_t bytes = 8) {
  Call call;
  call.function = function;
  call.bytes = bytes;
  call.unit = 8;
  return call;
}

struct Ranks {
  Recording recording;
  explicit Ranks(int ranks) : recording{{}, std::vector<RankTrace>(static_cast<std::size_t>(ranks))} {
    for (int rank = 0; rank < ranks; ++rank) {
      recording.ranks[static_cast<std::size_t>(rank)].rank = rank;
      recording.ranks[static_cast<std::size_t>(rank)].ranks = ranks;
    }
  }
  void add(int rank, const Call& call, double work = 0) {
    RankTrace& trace = recording.ranks[static_cast<std::size_t>(rank)];
    const auto known = std::find(trace.calls.begin(), trace.calls.end(), call);
    trace.call.push_back(static_cast<std::uint32_t>(known - trace.calls.begin()));
    if (known == trace.calls.end()) trace.calls.push_back(call);
    trace.work.push_back(static_cast<float>(work));
    trace.inside.push_back(0);
  }
  Compressed compressed() const {
    auto result = compress(recording);
    EXPECT_TRUE(result) << result.error().message;
    return std::move(*result);
  }
};

// The calls of a rank in a skeleton that repeats as often as the program did.
inline void play(const std::vector<Node>& nodes, std::size_t rank, std::vector<Call>& to) {
  for (const Node& node : nodes) {
    if (!node.is_loop() && node.step.calls[rank].function != Function::nothing)
      to.push_back(node.step.calls[rank]);
    for (int i = 0; node.is_loop() && i < static_cast<int>(node.times); ++i) play(node.body, rank, to);
  }
}

inline void expect_the_same(const Ranks& ranks, const Skeleton& skeleton) {
  for (std::size_t rank = 0; rank < ranks.recording.ranks.size(); ++rank) {
    const RankTrace& trace = ranks.recording.ranks[rank];
    std::vector<Call> recorded, played;
    for (const std::uint32_t call : trace.call) recorded.push_back(trace.calls[call]);
    play(skeleton.nodes, rank, played);
    EXPECT_EQ(played, recorded) << "rank " << rank;
  }
}

}  // namespace emu::skeleton
