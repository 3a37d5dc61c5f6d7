#include "survey.h"

#include <algorithm>

namespace emu::goal {
namespace {

constexpr int at_once = 16;      // operations that are read at once
constexpr int farthest = 65536;  // greatest Survey::window()
constexpr int shortest = 256;    // least number of operations for a window

std::size_t place(int operation) { return static_cast<std::size_t>(operation % farthest); }

}  // namespace

Result<bool> Surveyor::survey(Reader& reader, Block& block, Streamed& text, Survey& found) {
  last_.resize(farthest);
  found = Survey{.begin = reader.cursor(block)};
  for (Portion got = Portion::more; got == Portion::more;) {
    const std::size_t before = reader.place();
    const auto read = reader.portion(block, at_once);
    if (!read) return tl::unexpected(read.error());
    got = *read;
    if (got == Portion::irregular || !add(block, found)) {
      reader.is_hindered();
      return false;
    }
    text.read(reader.place() - before);
  }
  for (int i = std::max(0, found.operations - farthest); i < found.operations; ++i) settle(i, found);
  reader.is_hindered();
  return found.window() <= farthest && found.operations >= std::max(shortest, 4 * found.window());
}

// Within a portion, the position of a dependency is unknown: it may be after all operations of the portion.
bool Surveyor::add(const Block& block, Survey& found) {
  for (const Step& step : block.steps) {
    if (found.operations >= farthest) settle(found.operations - farthest, found);
    last_[place(found.operations++)] = -1;
    if (step.kind == Kind::compute) found.longest = std::max(found.longest, step.amount);
  }
  for (const Dependency& d : block.dependencies) {
    if (d.on >= d.of || d.of < found.operations - farthest) return false;
    found.reach = std::max(found.reach, found.operations - 1 - d.of);
    if (!d.complete) found.ahead = std::max(found.ahead, d.of - d.on);
    int& last = last_[place(d.of)];
    last = std::max(last, d.on);
  }
  return found.window() <= farthest;
}

void Surveyor::settle(int operation, Survey& found) const {
  const int last = last_[place(operation)];
  if (last < 0)
    found.last_free = operation;
  else
    found.ahead = std::max(found.ahead, operation - last);
}

}  // namespace emu::goal
