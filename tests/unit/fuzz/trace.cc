// The trace file of one rank: unchanged, and with corrected checksums,
// because otherwise every changed file would fail at the checksums.
#include <memory>
#include <sstream>
#include <vector>

#include "analysis/trace_reader.h"
#include "fuzz/harness.h"

using namespace emu;

namespace {

// Corrects the checksums of its blocks, with the lengths that they state or to the end.
std::vector<std::uint8_t> put_right(std::vector<std::uint8_t> file) {
  std::size_t at = record::preamble;
  while (at + record::block_header < file.size()) {
    std::uint8_t* front = file.data() + at;
    const std::size_t left = file.size() - at - record::block_header;
    std::size_t length = front[0] | front[1] << 8 | front[2] << 16 | static_cast<std::size_t>(front[3]) << 24;
    if (length == 0 || length > left) length = left;
    for (int i = 0; i < 4; ++i) front[i] = static_cast<std::uint8_t>(length >> 8 * i);
    const std::uint32_t sum = record::checksum(front + record::block_header, length);
    for (int i = 0; i < 4; ++i) front[4 + i] = static_cast<std::uint8_t>(sum >> 8 * i);
    at += record::block_header + length;
  }
  return file;
}

void read(const std::vector<std::uint8_t>& file) {
  const auto reader = analysis::Reader::from(
      std::make_unique<std::istringstream>(std::string(file.begin(), file.end())), "rank.0");
  if (!reader) return fuzz::require_message(reader.error().message);
  analysis::Event event;
  Instant now;
  for (std::size_t events = 0;; ++events) {
    fuzz::require(events <= file.size(), "more events than bytes");
    const auto more = (*reader)->next(event);
    if (!more) return fuzz::require_message(more.error().message);
    if (!*more) break;
    fuzz::require((*reader)->now() >= now && !(*reader)->now().is_never(), "a clock that goes back");
    fuzz::require(event.from >= now && event.from <= event.now, "an event that ends before it begins");
    fuzz::require(event.wait >= Interval() && event.cost >= Interval() && event.down >= Interval(),
                  "a time below 0");
    now = (*reader)->now();
  }
  fuzz::require((*reader)->complete() == (*reader)->cut().empty(), "neither complete nor cut off");
  if ((*reader)->complete()) ++fuzz::accepted;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<std::uint8_t> file(data, data + size), right = put_right(file);
  read(right);
  if (file != right) read(file);
  return 0;
}
