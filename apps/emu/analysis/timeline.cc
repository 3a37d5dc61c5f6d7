#include "analysis/timeline.h"

#include <algorithm>

namespace emu::analysis {
namespace {

class Painter {
 public:
  Painter(std::vector<std::array<Interval, states.size()>>& bins, Interval bin)
      : bins_(bins), bin_(bin.picoseconds()) {}

  void operator()(const Event& e) {
    if (finished_) return;
    finished_ = e.kind == Record::finish;
    stretches(e, [&](State state, Instant from, Instant until) { paint(state, from, until); });
  }

 private:
  void paint(State state, Instant from, Instant until) {
    std::int64_t at = from.picoseconds();
    while (at < until.picoseconds()) {
      const std::int64_t bin = at / bin_;
      if (bin >= static_cast<std::int64_t>(bins_.size())) return;
      const std::int64_t end = std::min(until.picoseconds(), (bin + 1) * bin_);
      bins_[static_cast<std::size_t>(bin)][static_cast<std::size_t>(state)] +=
          Interval::picoseconds(end - at);
      at = end;
    }
  }

  std::vector<std::array<Interval, states.size()>>& bins_;
  const std::int64_t bin_;
  bool finished_ = false;
};

}  // namespace

Result<Timeline> read_timeline(const Folder& folder, const History& history, std::size_t bins) {
  Timeline timeline;
  const std::int64_t end = (history.end() - Instant::start()).picoseconds();
  const auto n = static_cast<std::int64_t>(bins);
  timeline.bin = Interval::picoseconds(std::max<std::int64_t>(1, (end + n - 1) / n));
  timeline.ranks.resize(history.ranks.size());
  for (int rank = 0; rank < folder.ranks(); ++rank) {
    auto& own = timeline.ranks[static_cast<std::size_t>(rank)];
    own.resize(bins);
    Painter painter(own, timeline.bin);
    const auto read = folder.visit(rank, std::ref(painter));
    if (!read) return tl::unexpected(read.error());
  }
  return timeline;
}

}  // namespace emu::analysis
