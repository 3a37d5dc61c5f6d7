// --metric: a number from the output of a program's run.
#pragma once

#include <optional>
#include <regex>
#include <string>

#include "base/failure.h"

namespace emu::app::studies {

// Fails if `expression` is invalid.
Result<std::regex> parse_metric(const std::string& expression);

// The number in the last line of the file that matches: in the expression's first group, or else in the whole match.
// Nothing if there is none.
std::optional<double> metric_of(const std::string& output, const std::regex& expression);

}  // namespace emu::app::studies
