#include "skeleton/fold/repeats.h"

#include <divsufsort.h>

#include <algorithm>
#include <unordered_map>

namespace emu::skeleton {
namespace {

using Text = std::vector<std::uint32_t>;
using Index = std::int32_t;

// libdivsufsort sorts bytes: a letter becomes as many as necessary, the highest first, and only suffixes that begin
// at a letter count.
std::vector<Index> suffix_array(const Text& text, std::uint32_t letters) {
  unsigned width = 1;
  for (std::uint64_t reach = 256; reach < letters; reach *= 256) ++width;
  std::vector<sauchar_t> bytes;
  bytes.reserve(text.size() * width);
  for (const std::uint32_t letter : text)
    for (unsigned i = width; i-- > 0;) bytes.push_back(static_cast<sauchar_t>(letter >> 8 * i));
  std::vector<Index> all(bytes.size());
  if (divsufsort(bytes.data(), all.data(), static_cast<saidx_t>(bytes.size())) != 0) return {};
  if (width == 1) return all;
  std::vector<Index> result;
  result.reserve(text.size());
  for (const Index at : all)
    if (static_cast<unsigned>(at) % width == 0)
      result.push_back(static_cast<Index>(static_cast<unsigned>(at) / width));
  return result;
}

// lcp[i]: number of common letters of the suffixes i-1 and i of the array (Kasai et al., 2001).
std::vector<Index> common_prefixes(const Text& text, const std::vector<Index>& suffixes,
                                   const std::vector<Index>& place) {
  const std::size_t n = text.size();
  std::vector<Index> lcp(n, 0);
  std::size_t common = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(place[i]);
    if (at == 0) {
      common = 0;
      continue;
    }
    const auto other = static_cast<std::size_t>(suffixes[at - 1]);
    while (i + common < n && other + common < n && text[i + common] == text[other + common]) ++common;
    lcp[at] = static_cast<Index>(common);
    if (common > 0) --common;
  }
  return lcp;
}

// Square of words of `period` letters, which is not also a square one place to the right.
struct Square {
  Index begin, period;
};

class Squares {
 public:
  Squares(const Text& text, std::uint32_t letters)
      : text_(text), suffixes_(suffix_array(text, letters)), place_(text.size()) {
    for (std::size_t i = 0; i < suffixes_.size(); ++i)
      place_[static_cast<std::size_t>(suffixes_[i])] = static_cast<Index>(i);
    lcp_ = common_prefixes(text, suffixes_, place_);
  }

  // Bottom-up through the intervals of suffixes with a common prefix (Abouelhoda et al., 2004).
  std::vector<Square> find() {
    const auto n = static_cast<Index>(text_.size());
    for (Index i = 1; i <= n; ++i) {
      const Index common = i < n ? lcp_[static_cast<std::size_t>(i)] : -1;
      Index begin = i - 1, large_begin = i - 1, large_end = i - 1;  // a single suffix
      while (!stack_.empty() && stack_.back().depth > common) {
        Interval done = stack_.back();
        stack_.pop_back();
        done.add(begin, large_begin, i - 1);
        look_through(done, i - 1);
        begin = large_begin = done.begin;
        large_end = i - 1;
      }
      if (common < 0) break;
      if (!stack_.empty() && stack_.back().depth == common)
        stack_.back().add(begin, large_begin, large_end);
      else
        stack_.push_back({common, begin, large_begin, large_end});
    }
    return std::move(squares_);
  }

 private:
  // Suffixes with `depth` letters in common, and the largest of the intervals in it.
  struct Interval {
    Index depth, begin, large_begin, large_end;
    void add(Index, Index first, Index last) {
      if (last - first > large_end - large_begin) large_begin = first, large_end = last;
    }
  };

  std::uint32_t letter(Index at) const {
    return static_cast<std::size_t>(at) < text_.size() ? text_[static_cast<std::size_t>(at)] : ~0u;
  }

  void look_through(const Interval& interval, Index end) {
    const Index d = interval.depth, n = static_cast<Index>(text_.size());
    if (d == 0) return;
    const auto look = [&](Index at) {
      const Index i = suffixes_[static_cast<std::size_t>(at)];
      if (i + d < n) {
        const Index other = place_[static_cast<std::size_t>(i + d)];
        if (other >= interval.begin && other <= end && letter(i + d) != letter(i + 2 * d))
          squares_.push_back({i, d});
      }
      if (i >= d) {
        const Index other = place_[static_cast<std::size_t>(i - d)];
        if (other >= interval.large_begin && other <= interval.large_end) squares_.push_back({i - d, d});
      }
    };
    for (Index at = interval.begin; at < interval.large_begin; ++at) look(at);
    for (Index at = interval.large_end + 1; at <= end; ++at) look(at);
  }

  const Text& text_;
  std::vector<Index> suffixes_, place_, lcp_;
  std::vector<Interval> stack_;
  std::vector<Square> squares_;
};

}  // namespace

std::vector<Run> runs_of(const Text& text, std::uint32_t letters) {
  if (text.size() < 2) return {};
  std::vector<Square> squares = Squares(text, letters).find();
  std::sort(squares.begin(), squares.end(), [](const Square& a, const Square& b) {
    return std::pair(a.period, a.begin) < std::pair(b.period, b.begin);
  });
  std::vector<Run> runs;
  std::unordered_multimap<std::uint32_t, std::size_t> by_end;  // of runs of a lesser period
  for (const Square& square : squares) {
    const auto period = static_cast<std::uint32_t>(square.period);
    const auto end = static_cast<std::uint32_t>(square.begin) + 2 * period;
    auto begin = static_cast<std::uint32_t>(square.begin);
    // With twice the period, and so on, it is the same run.
    bool known = false;
    for (auto [it, last] = by_end.equal_range(end); it != last && !known; ++it) {
      const Run& other = runs[it->second];
      known = period % other.period == 0 && other.begin <= begin;
    }
    if (known) continue;
    while (begin > 0 && text[begin - 1] == text[begin - 1 + period]) --begin;
    by_end.emplace(end, runs.size());
    runs.push_back({begin, end, period});
  }
  return runs;
}

}  // namespace emu::skeleton
