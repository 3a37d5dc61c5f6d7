// --metric: a number from the output of a program's run.
#pragma once

#include <optional>
#include <regex>
#include <string>

#include "base/failure.h"

namespace emu::app::studies {

// Failure if `expression` is none.
Result<std::regex> parse_metric(const std::string& expression);

// The number that the last line of the file with a match has there: the expression's first group, or else all that it
// matches. Nothing if there is none.
std::optional<double> metric_of(const std::string& output, const std::regex& expression);

}  // namespace emu::app::studies
