// A quantity as text (units.h), followed by the half-width of its interval: "50us +- 0.6us", or with "±";
// also in percent, "50us +- 1%".
#pragma once

#include <optional>
#include <string_view>

#include "base/failure.h"

namespace emu {

// A plain decimal number without sign or exponent; nothing if `text` is not one.
std::optional<double> parse_number(std::string_view text);
// The parts before and after "+-" or "±", without surrounding blanks.
struct WithInterval {
  std::string_view value;
  std::optional<std::string_view> half;  // none: an exact value
};
WithInterval split_interval(std::string_view text);
// Half-width of an interval: in seconds, in seconds per byte, or relative for a number. `half` has a
// unit of the same kind as `value`, or is a percentage of it. `value` has been parsed without failure.
Result<double> parse_half_of_interval(std::string_view value, std::string_view half);
Result<double> parse_half_of_time_per_byte(std::string_view value, std::string_view half);
Result<double> parse_half_of_number(double value, std::string_view half);

}  // namespace emu
