// Robust linear regression (GSL, bisquare weights): outliers do not move the line.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/failure.h"

namespace emu::app::calibration {

// A number with its 95 % confidence interval.
struct Value {
  double value = 0;
  double low = 0;
  double high = 0;
};

struct Row {
  std::vector<double> x;
  double y = 0;
  double scale = 1;  // the size to which an error is relative
};

struct Line {
  std::vector<Value> coefficients;
  double off = 0;  // the median of |y - fit| / scale
};

// y = sum of coefficient * x. Fails if the rows do not determine the coefficients.
Result<Line> regress(const std::vector<Row>& rows);

// As regress(). Coefficients marked in `droppable` that cannot be distinguished from 0 are set to 0, and the
// others are fitted without them. An effect on the scale below `resolution` counts as 0.
Result<Line> regress_without_zeros(const std::vector<Row>& rows, const std::vector<bool>& droppable,
                                   double resolution);

}  // namespace emu::app::calibration
