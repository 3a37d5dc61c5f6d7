// Labels of axes in gnuplot scripts.
#pragma once

#include <string>

namespace emu::app {

// True if a linear axis from 0 would show only the greatest of the values from `low` to `high`.
bool far_apart(double low, double high);

// Labels of a logarithmic axis at 1, 2 and 5 times each power of ten, or only at powers if there are many:
// the argument of `set ytics (...)`. `low` is above 0.
std::string logarithmic_labels(double low, double high);

}  // namespace emu::app
