// A stream of frames that an agent reads from another one: cut into pieces, checked, and used as the agent
// uses it. The first byte gives the length of the pieces, the second the node of the reader, out of three.
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "fuzz/harness.h"
#include "wire/agent/cut.h"
#include "wire/agent/frame_body.h"
#include "wire/agent/frame_reader.h"
#include "wire/deadlock.h"

using namespace emu;
using wire::FrameHead;

namespace {

constexpr std::uint64_t region_bytes = 1 << 20;

// The agent of node `self`, which reads from node `from`. Ranks 0 and 3 are on node 0, and so on.
class Reader final : public wire::FrameSink {
 public:
  Reader(int self, int from) : map_({0, 1, 2, 0, 1, 2}, self), from_(from) {}

  wire::FrameLimits limits() const { return wire::frame_limits(map_, from_, region_bytes); }
  std::size_t taken() const { return taken_; }

  std::byte* place(const FrameHead& head) override {
    if (head.kind != FrameHead::Kind::message) return nullptr;
    fuzz::require(head.bytes <= region_bytes, "a message longer than the memory of all");
    placed_.resize(head.bytes);
    return placed_.data();
  }

  void take(const FrameHead& head, std::byte* body) override {
    taken_ += sizeof head + head.bytes;
    fuzz::require(limits()[static_cast<std::size_t>(head.kind)].allow(head.bytes),
                  "a length that is not allowed");
    const std::vector<std::byte> copy(body, body + head.bytes);  // detects reads beyond its end
    const char* wrong = use(head, copy);
    if (wrong)
      fuzz::require_message(wrong);
    else
      ++fuzz::accepted;
  }

 private:
  const char* use(const FrameHead& head, const std::vector<std::byte>& body) {
    switch (head.kind) {
      case FrameHead::Kind::message:
        return wire::wrong_with_message(body, map_, from_);
      case FrameHead::Kind::report: {
        if (const char* wrong = wire::wrong_with_report(body, map_, from_)) return wrong;
        for (const int node : wire::learn_report(cut_, from_, body.data())) {
          fuzz::require(node >= 0 && node < map_.nodes() && node != map_.node(), "a report about this node");
          (void)cut_.bound(node);
        }
        return nullptr;
      }
      case FrameHead::Kind::finished:
        return wire::wrong_with_finished(body, map_, from_);
      case FrameHead::Kind::waits:
        if (const char* wrong = wire::wrong_with_waits(body, map_, from_)) return wrong;
        describe(body);
        return nullptr;
      default:
        return nullptr;
    }
  }

  void describe(const std::vector<std::byte>& body) {
    std::vector<wire::Waiter> waits;
    const std::byte* at = body.data();
    while (at < body.data() + body.size()) waits.push_back(wire::take_from<wire::Waiter>(at));
    if (wire::deadlocked(waits))
      fuzz::require(!wire::describe_deadlock(waits).empty(), "a deadlock without a description");
  }

  const wire::NodeMap map_;
  const int from_;
  wire::Cut cut_{3, map_.node()};
  std::vector<std::byte> placed_;
  std::size_t taken_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::size_t piece = data[0] + 1u;
  const int self = data[1] % 3, from = (self + 1 + data[1] / 3 % 2) % 3;
  Reader sink(self, from);
  wire::FrameReader reader(sink, sink.limits());
  const std::size_t before = reader.memory();
  for (std::size_t at = 2; at < size;) {
    const auto room = reader.room();
    fuzz::require(!room.empty(), "no room");
    const std::size_t part = std::min({piece, room.size(), size - at});
    std::memcpy(room.data(), data + at, part);
    at += part;
    if (!reader.received(part)) {
      fuzz::require_message(reader.reason());
      break;
    }
    fuzz::require(sink.taken() <= at - 2, "more frames than bytes");
    fuzz::require(reader.memory() <= before + (128 << 10) + 2 * at, "memory for what has not come");
  }
  return 0;
}
