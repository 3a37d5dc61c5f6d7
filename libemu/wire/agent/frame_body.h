// Bodies of frames: layout, permitted lengths, and checks of received bodies. A body that passes its check can
// be used without further checks of its counts, nodes and ranks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "match/message.h"
#include "record/summary.h"
#include "wire/agent/cut.h"
#include "wire/agent/frame.h"
#include "wire/node_map.h"

namespace emu::wire {

// Parts of a report, in this order.
struct ReportHead {
  std::int64_t bound;
  std::uint32_t received, sent;  // number of parts of each kind that follow
};
struct ReportReceived {
  std::int64_t from;
  std::uint64_t count;
};
struct ReportSent {  // `arrivals` of them follow: std::int64_t
  std::int32_t to;
  std::uint32_t arrivals;
  std::uint64_t first;
};

struct Finished {
  std::int64_t rank;
  record::RankSummary summary;
};

// A longer text of Kind::last_words is truncated.
inline constexpr std::size_t longest_last_words = 64 << 10;

// Permitted lengths of the frames from `node`, for the agent that has this map.
// `region_bytes`: size of its shared memory, the most that a message can need.
FrameLimits frame_limits(const NodeMap& node_map, int node, std::uint64_t region_bytes);

// Checks. Null: the body is valid; otherwise the defect. `body` has a length that frame_limits() permits.
const char* wrong_with_message(std::span<const std::byte> body, const NodeMap& node_map, int from);
bool is_in_transit(const std::byte* message);  // the body of a valid message
const char* wrong_with_report(std::span<const std::byte> body, const NodeMap& node_map, int from);
const char* wrong_with_finished(std::span<const std::byte> body, const NodeMap& node_map, int from);
const char* wrong_with_waits(std::span<const std::byte> body, const NodeMap& node_map, int from);

// Puts a valid report of `node` into the cut. Returns the nodes whose bounds it may have changed.
std::vector<int> learn_report(Cut& cut, int node, const std::byte* body);

}  // namespace emu::wire
