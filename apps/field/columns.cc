#include "columns.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace field {

Dealer::Dealer(const Dealing& dealing) : dealing_(dealing), left_(dealing.columns) {
  const auto& powers = dealing.powers;
  weight_ = dealing.distributed ? std::accumulate(powers.begin(), powers.end(), 0)
                                : static_cast<int>(powers.size());
  if (dealing.rule == Rule::trapezoid) {
    chunk_ = dealing.columns / (2 * weight_);
    const int steps = static_cast<int>(std::ceil(2.0 * dealing.columns / (chunk_ + dealing.threshold)));
    decrement_ =
        steps > 1
            ? static_cast<int>(std::floor(static_cast<double>(chunk_ - dealing.threshold) / (steps - 1)))
            : 0;
    chunk_ = std::max(chunk_, dealing.threshold);
  }
  if (dealing.rule == Rule::factoring) make_table();
}

// Each row of the table divides half of the remaining columns among the slaves by their powers.
void Dealer::make_table() {
  table_.resize(dealing_.powers.size());
  int left = dealing_.columns;
  while (left > 0) {
    const double half = static_cast<double>(left) / (2 * weight_);
    const bool small = std::ceil(half) <= dealing_.threshold;
    const double share = small ? dealing_.threshold : half;
    const double before = left;
    if (left < dealing_.threshold) {  // a row of its own
      table_[0].push_back(left);
      return;
    }
    for (std::size_t slave = 0; slave < table_.size(); ++slave) {
      const int power = dealing_.distributed ? dealing_.powers[slave] : 1;
      const double exact =
          before > weight_ * share ? std::ceil(share * power) : std::floor(before * power / weight_);
      const int columns = std::min(static_cast<int>(exact), left);
      table_[slave].push_back(columns);
      left -= columns;
    }
    if (before <= weight_ * share && left > 0) {  // columns left over by rounding down
      table_[0].push_back(left);
      return;
    }
  }
}

int Dealer::one(int slave) {
  int columns = 0;
  switch (dealing_.rule) {
    case Rule::trapezoid:
      columns = chunk_;
      chunk_ = std::max(chunk_ - decrement_, dealing_.threshold);
      break;
    case Rule::guided:
      columns =
          std::max(static_cast<int>(std::ceil(static_cast<double>(left_) / weight_)), dealing_.threshold);
      break;
    case Rule::factoring: {
      auto& mine = table_[static_cast<std::size_t>(slave)];
      if (mine.empty()) return 0;
      columns = mine.front();
      mine.pop_front();
      break;
    }
  }
  columns = std::min(columns, left_);
  left_ -= columns;
  return columns;
}

Dealer::Chunk Dealer::next(int slave) {
  const bool several = dealing_.distributed && dealing_.rule != Rule::factoring;
  const int times = several ? dealing_.powers[static_cast<std::size_t>(slave)] : 1;
  Chunk chunk{given_, 0};
  for (int i = 0; i < times && left_ > 0; ++i) chunk.columns += one(slave);
  given_ += chunk.columns;
  return chunk;
}

bool never_leaves(double x, double y) {
  const double q = (x - 0.25) * (x - 0.25) + y * y;
  const double margin = 1 - 1e-5;  // points at the edge are iterated
  return q * (q + (x - 0.25)) < 0.25 * y * y * margin || (x + 1) * (x + 1) + y * y < 0.0625 * margin;
}

namespace {

int column_iterations(float x, float y, int most) {
  if (never_leaves(x, y)) return most;
  float re = 0, im = 0, squares = 0;
  int count = 0;
  while (squares <= 4 && count < most) {
    const float a = re * re, b = im * im;
    squares = a + b;
    im = 2 * re * im + y;
    re = a - b + x;
    ++count;
  }
  return count;
}

}  // namespace

std::vector<std::int64_t> iterations(int size, int most) {
  std::vector<std::int64_t> sums(static_cast<std::size_t>(size));
  const auto place = [&](int i) {
    return static_cast<float>(-2.0 + 4.0 * static_cast<double>(i) / static_cast<double>(size));
  };
  for (int column = 0; column < size; ++column) {
    // Point j and point size - j are mirror images.
    std::int64_t sum = column_iterations(place(column), place(0), most);
    for (int j = 1; 2 * j < size; ++j) sum += 2 * column_iterations(place(column), place(j), most);
    if (size % 2 == 0) sum += column_iterations(place(column), place(size / 2), most);
    sums[static_cast<std::size_t>(column)] = sum;
  }
  return sums;
}

}  // namespace field
