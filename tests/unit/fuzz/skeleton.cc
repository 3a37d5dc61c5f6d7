// A rank's recording, or a skeleton as text: accepted input can be compressed, scaled and made into a program.
#include <string_view>

#include "fuzz/harness.h"
#include "skeleton/generate/generate.h"
#include "skeleton/program/text.h"
#include "skeleton/recording/trace.h"

using namespace emu;

namespace {

void make_program(const skeleton::Skeleton& skeleton) {
  const skeleton::Scaling scaling = skeleton::scale_down(skeleton, 10);
  for (const auto& [loop, scale] : scaling.loops) {
    const double all = static_cast<double>(scale.first) + static_cast<double>(scale.rest) * scale.weight;
    fuzz::require(scale.rest >= 1 && scale.weight > 1, "a loop that does not run");
    fuzz::require(all > 0.999999 * loop->times && all < 1.000001 * loop->times, "a remainder that is lost");
  }
  const auto program = skeleton::c_program(skeleton, scaling);
  if (!program) fuzz::require_message(program.error().message);
}

void read_text(const std::string& text) {
  const auto skeleton = skeleton::parse_text(text, "skeleton");
  if (!skeleton) return fuzz::require_message(skeleton.error().message);
  ++fuzz::accepted;
  const std::string again = skeleton::to_text(*skeleton);
  const auto same = skeleton::parse_text(again, "skeleton");
  fuzz::require(same && skeleton::to_text(*same) == again, "a text that is not read as it was written");
  make_program(*skeleton);
}

void read_trace(std::string_view bytes) {
  auto trace = skeleton::parse_trace(bytes, "rank");
  if (!trace) return fuzz::require_message(trace.error().message);
  ++fuzz::accepted;
  skeleton::Recording recording;
  trace->rank = 0;
  recording.ranks.push_back(std::move(*trace));
  const auto compressed = skeleton::compress(std::move(recording));
  if (!compressed) return fuzz::require_message(compressed.error().message);
  if (!compressed->skeleton.nodes.empty()) make_program(compressed->skeleton);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (text.starts_with(skeleton::trace_magic))
    read_trace(text);
  else
    read_text(text);
  return 0;
}
