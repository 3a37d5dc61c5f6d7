#include "skeleton/fold/align.h"

#include <algorithm>

namespace emu::skeleton {
namespace {

using Words = std::vector<Word>;

// Number of words of each sequence that are examined together, and number aligned before the next examination.
constexpr std::size_t window = 32, settled = 16;
constexpr std::size_t far = 4096;

class Aligning {
 public:
  Aligning(const Words& a, const Words& b) : a_(a), b_(b) {
    result_.a.reserve(a.size());
    result_.b.reserve(b.size());
  }

  Aligned run() {
    while (i_ < a_.size() && j_ < b_.size())
      if (strong(i_, j_))
        both();
      else if (!settle(true) && !settle(false) && !find_far())
        break;
    skip(a_.size() - i_, b_.size() - j_);
    return std::move(result_);
  }

 private:
  bool weak(std::size_t i, std::size_t j) const { return a_[i].weak == b_[j].weak; }
  bool strong(std::size_t i, std::size_t j) const { return weak(i, j) && a_[i].strong == b_[j].strong; }

  void both() {
    result_.a.push_back(static_cast<std::uint32_t>(result_.size));
    result_.b.push_back(static_cast<std::uint32_t>(result_.size++));
    ++i_, ++j_;
  }
  void skip(std::size_t in_a, std::size_t in_b) {
    for (std::size_t k = 0; k < in_a; ++k) result_.a.push_back(static_cast<std::uint32_t>(result_.size++));
    for (std::size_t k = 0; k < in_b; ++k) result_.b.push_back(static_cast<std::uint32_t>(result_.size++));
    i_ += in_a, j_ += in_b;
  }

  // Aligns the first part of the longest common subsequence of the next words. Returns false if
  // they have none in common.
  bool settle(bool strongly) {
    const auto same = [&](std::size_t i, std::size_t j) { return strongly ? strong(i, j) : weak(i, j); };
    const std::size_t in_a = std::min(window, a_.size() - i_), in_b = std::min(window, b_.size() - j_);
    int best[window + 1][window + 1];  // from there to the end of the window
    for (std::size_t j = 0; j <= in_b; ++j) best[in_a][j] = 0;
    for (std::size_t i = in_a; i-- > 0;) {
      best[i][in_b] = 0;
      for (std::size_t j = in_b; j-- > 0;) {
        best[i][j] = same(i_ + i, j_ + j) ? 1 + best[i + 1][j + 1] : std::max(best[i + 1][j], best[i][j + 1]);
      }
    }
    if (best[0][0] == 0) return false;
    for (std::size_t i = 0, j = 0; i < std::min(in_a, settled) && j < std::min(in_b, settled);) {
      if (same(i_, j_)) {
        both();
        ++i, ++j;
      } else if (best[i][j] == best[i + 1][j]) {
        skip(1, 0);
        ++i;
      } else {
        skip(0, 1);
        ++j;
      }
    }
    return true;
  }

  // After a long part that only one sequence has, two consecutive words are equal again.
  bool find_far() {
    for (std::size_t n = window; n <= far; ++n) {
      if (i_ + n < a_.size() && again(i_ + n, j_)) {
        skip(n, 0);
        return true;
      }
      if (j_ + n < b_.size() && again(i_, j_ + n)) {
        skip(0, n);
        return true;
      }
    }
    return false;
  }
  bool again(std::size_t i, std::size_t j) const {
    if (!weak(i, j)) return false;
    return i + 1 == a_.size() || j + 1 == b_.size() || weak(i + 1, j + 1);
  }

  const Words& a_;
  const Words& b_;
  std::size_t i_ = 0, j_ = 0;
  Aligned result_;
};

}  // namespace

Aligned align(const Words& a, const Words& b) { return Aligning(a, b).run(); }

}  // namespace emu::skeleton
