// A file of the availability of a CPU over time.
#include "target/availability.h"

#include "fuzz/harness.h"

using namespace emu;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto steps = target::parse_availability(text, "load.txt", std::nullopt);
  if (!steps) {
    fuzz::require_message(steps.error().message);
    return 0;
  }
  ++fuzz::accepted;
  fuzz::require((*steps)->most() >= 0, "never a factor");
  Instant at;
  for (int i = 0; i < 100 && !at.is_never(); ++i) {
    const model::Factor::Piece piece = (*steps)->piece(at);
    fuzz::require(piece.factor >= 0 && piece.factor <= (*steps)->most(), "a factor above the greatest");
    fuzz::require(piece.until > at, "a piece without length");
    at = piece.until;
  }
  model::Speed speed;
  speed.change(*steps);
  const auto done = speed.done(Interval::picoseconds(1'000'000'000'000), Instant());
  fuzz::require(done.at > Instant(), "work that takes no time");
  return 0;
}
