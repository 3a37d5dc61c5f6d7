#include "program/rank_numbers.h"

#include <cstdint>
#include <set>
#include <sstream>

#include "base/number.h"

namespace emu::app {
namespace {

// One part of a list of numbers of ranks: "8", "2..64", "2..64:2" or "2..64*2".
Result<void> add_part(const std::string& what, const std::string& part, int step, std::set<int>& to) {
  const auto dots = part.find(".."), sign = part.find_first_of(":*");
  if (dots == std::string::npos) {
    const auto one = whole_number(what, part, most_ranks);
    if (!one) return tl::unexpected(one.error());
    to.insert(*one);
    return {};
  }
  const auto first = whole_number(what, part.substr(0, dots), most_ranks);
  if (!first) return tl::unexpected(first.error());
  const auto length = sign == std::string::npos ? sign : sign - dots - 2;
  const auto last = whole_number(what, part.substr(dots + 2, length), most_ranks);
  if (!last) return tl::unexpected(last.error());
  const bool multiplies = sign != std::string::npos && part[sign] == '*';
  if (sign != std::string::npos) {
    const auto own = whole_number(what, part.substr(sign + 1), most_ranks);
    if (!own) return tl::unexpected(own.error());
    step = *own;
  }
  if (multiplies && step < 2)
    return fail(what + ": invalid factor of " + shown(part) + " (expected 2 or more)");
  if (*first > *last) return fail(what + ": \"" + part + "\" is empty: it ends before it begins");
  for (std::int64_t p = *first; p <= *last; p = multiplies ? p * step : p + step)
    to.insert(static_cast<int>(p));
  return {};
}

}  // namespace

Result<int> whole_number(const std::string& what, const std::string& text, int most) {
  if (const auto value = read_number(text, 1, most)) return *value;
  return fail(what + ": invalid number: " + shown(text) + " (expected 1 to " + std::to_string(most) + ")");
}

Result<std::vector<int>> parse_numbers(const std::string& what, const std::string& text, int step) {
  if (text.empty()) return fail(what + " is empty (expected such as 2..64)");
  std::set<int> ranks;
  std::istringstream parts(text + ",");
  for (std::string part; std::getline(parts, part, ',');)
    if (const auto added = add_part(what, part, step, ranks); !added) return tl::unexpected(added.error());
  return std::vector<int>(ranks.begin(), ranks.end());
}

Result<std::vector<int>> parse_ranks(const std::string& text, int step) {
  return parse_numbers("--ranks", text, step);
}

}  // namespace emu::app
