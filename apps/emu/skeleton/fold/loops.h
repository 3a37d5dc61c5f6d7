// Conversion of a sequence to nested loops.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace emu::skeleton {

// A symbol, or a repeated body. `times` has one count for each execution of the loop, in the order of
// the sequence; if all are equal, only that one.
struct LoopNode {
  std::uint32_t symbol = 0;  // if the body is empty
  std::vector<LoopNode> body;
  std::vector<std::uint32_t> times;

  bool is_loop() const { return !body.empty(); }
};

struct LoopOptions {
  // Two loops with equal bodies are equal if their counts differ by less than this fraction.
  double tolerance = 0.1;
  // Loops with equal bodies are equal for any counts, if that makes more repeats.
  bool counts_may_vary = true;
};

// Innermost repeats first: each round replaces all runs of the sequence (repeats.h) without overlaps, those of short
// periods first, and the loops are symbols of the next round, until nothing repeats.
std::vector<LoopNode> fold(const std::vector<std::uint32_t>& sequence, std::uint32_t symbols,
                           const LoopOptions& options = {});

// The number of symbols in it.
std::size_t symbols_in(const std::vector<LoopNode>& nodes);
// "1 2 (3 (4)x7)x249": symbols by number, in order of first appearance. A varying count is its mean, with a ~.
std::string text_of(const std::vector<LoopNode>& nodes);

// Walks through the sequence that `nodes` represent: `visit(const LoopNode& leaf)` for each symbol.
template <class Visit>
void walk(const std::vector<LoopNode>& nodes, Visit&& visit);

// The present index into `times` for each loop. One of these accompanies a walk.
class Counts {
 public:
  std::uint32_t next(const LoopNode& loop) {
    if (loop.times.size() == 1) return loop.times.front();
    std::size_t& at = at_[index(loop)];
    return loop.times[at++ % loop.times.size()];
  }

 private:
  std::size_t index(const LoopNode& loop) {
    for (std::size_t i = 0; i < known_.size(); ++i)
      if (known_[i] == &loop) return i;
    known_.push_back(&loop);
    at_.push_back(0);
    return known_.size() - 1;
  }
  std::vector<const LoopNode*> known_;
  std::vector<std::size_t> at_;
};

template <class Visit>
void walk(const std::vector<LoopNode>& nodes, Counts& counts, Visit& visit) {
  for (const LoopNode& node : nodes) {
    if (!node.is_loop()) {
      visit(node);
      continue;
    }
    for (std::uint32_t i = 0, n = counts.next(node); i < n; ++i) walk(node.body, counts, visit);
  }
}

template <class Visit>
void walk(const std::vector<LoopNode>& nodes, Visit&& visit) {
  Counts counts;
  walk(nodes, counts, visit);
}

}  // namespace emu::skeleton
