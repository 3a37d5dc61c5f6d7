#include "skeleton/align.h"

#include <algorithm>

namespace emu::skeleton {
namespace {

using Words = std::vector<Word>;

// As many words in a row have to be equal for both to be side by side again.
constexpr std::size_t enough = 2;
constexpr std::size_t close_by = 24, far = 4096;

class Aligning {
 public:
  Aligning(const Words& a, const Words& b) : a_(a), b_(b) {
    result_.a.reserve(a.size());
    result_.b.reserve(b.size());
  }

  Aligned run() {
    while (i_ < a_.size() && j_ < b_.size()) {
      if (strong(i_, j_)) {
        both();
      } else if (find(true, close_by)) {
        continue;
      } else if (weak(i_, j_)) {
        both();
      } else if (!find(false, close_by) && !find_far()) {
        break;
      }
    }
    skip(a_.size() - i_, b_.size() - j_);
    return std::move(result_);
  }

 private:
  bool weak(std::size_t i, std::size_t j) const { return a_[i].weak == b_[j].weak; }
  bool strong(std::size_t i, std::size_t j) const { return weak(i, j) && a_[i].strong == b_[j].strong; }

  bool again(std::size_t i, std::size_t j, bool strongly) const {
    for (std::size_t k = 0; k < enough; ++k) {
      if (i + k == a_.size() || j + k == b_.size()) return k > 0;
      if (!(strongly && k == 0 ? strong(i + k, j + k) : weak(i + k, j + k))) return false;
    }
    return true;
  }

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

  // The least number of words to leave out, behind which both go on alike.
  bool find(bool strongly, std::size_t most) {
    for (std::size_t sum = 1; sum <= most; ++sum) {
      for (std::size_t in_a = 0; in_a <= sum; ++in_a) {
        const std::size_t i = i_ + in_a, j = j_ + sum - in_a;
        if (i < a_.size() && j < b_.size() && again(i, j, strongly)) {
          skip(in_a, sum - in_a);
          return true;
        }
      }
    }
    return false;
  }
  bool find_far() {
    for (std::size_t n = close_by; n <= far; ++n) {
      if (i_ + n < a_.size() && again(i_ + n, j_, false)) {
        skip(n, 0);
        return true;
      }
      if (j_ + n < b_.size() && again(i_, j_ + n, false)) {
        skip(0, n);
        return true;
      }
    }
    return false;
  }

  const Words& a_;
  const Words& b_;
  std::size_t i_ = 0, j_ = 0;
  Aligned result_;
};

}  // namespace

Aligned align(const Words& a, const Words& b) { return Aligning(a, b).run(); }

}  // namespace emu::skeleton
