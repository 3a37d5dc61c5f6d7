#include "report/axis.h"

#include <fmt/format.h>

#include <cmath>

namespace emu::app {

bool far_apart(double low, double high) { return high > 8 * low; }

std::string logarithmic_labels(double low, double high) {
  const int first = static_cast<int>(std::floor(std::log10(low))),
            last = static_cast<int>(std::ceil(std::log10(high)));
  std::string labels;
  for (int power = first; power <= last; ++power)
    for (const int digit : {1, 2, 5}) {
      if (digit > 1 && last - first > 5) continue;
      const double value = digit * std::pow(10, power);
      labels += fmt::format("{}\"{:g}\" {:.9g}", labels.empty() ? "" : ",", value, value);
    }
  return labels;
}

}  // namespace emu::app
