#include "study/runs/metric.h"

#include <algorithm>
#include <fstream>

#include "base/number.h"

namespace emu::app::studies {
namespace {

// The stack of the standard library's expressions grows with the line.
constexpr std::size_t longest_line = 2000;

// A line on which the search takes too long has no match.
bool matches(const std::string& line, std::smatch& match, const std::regex& expression) {
  try {
    return std::regex_search(line, match, expression);
  } catch (const std::regex_error&) {
    return false;
  }
}

std::string without_blanks(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r"), last = text.find_last_not_of(" \t\r");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

}  // namespace

Result<std::regex> parse_metric(const std::string& expression) {
  if (expression.empty())
    return fail("--metric: the expression is empty (expected such as 'error: ([0-9.]+)')");
  try {
    return std::regex(expression);
  } catch (const std::regex_error& error) {
    return fail("invalid expression of --metric: " + expression + " (" + error.what() + ")");
  }
}

std::optional<double> metric_of(const std::string& output, const std::regex& expression) {
  std::ifstream in(output, std::ios::binary);
  std::optional<double> found;
  for (std::string line; std::getline(in, line);) {
    line.resize(std::min(line.size(), longest_line));
    std::smatch match;
    if (!matches(line, match, expression)) continue;
    if (const auto number = read_number<double>(without_blanks(match[match.size() > 1 ? 1 : 0].str())))
      found = number;
  }
  return found;
}

}  // namespace emu::app::studies
