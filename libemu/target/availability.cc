#include "target/availability.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <sstream>
#include <string_view>
#include <vector>

#include "base/printable.h"
#include "base/units.h"

namespace emu::target {
namespace {

// A decimal number without its exponent: "1.5e-3" as "0.0015". Unchanged if there is no exponent, or no number.
std::string without_exponent(const std::string& text) {
  const std::size_t e = text.find_first_of("eE");
  if (e == std::string::npos) return text;
  const char *begin = text.data() + e + 1, *const end = text.data() + text.size();
  if (begin != end && *begin == '+' && begin + 1 != end && begin[1] != '-') ++begin;
  int exponent = 0;
  const auto read = std::from_chars(begin, end, exponent);
  if (read.ec != std::errc() || read.ptr != end || std::abs(exponent) > 30) return text;
  std::string digits = text.substr(0, e);
  const std::size_t point = std::min(digits.find('.'), digits.size());
  if (point < digits.size()) digits.erase(point, 1);
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string::npos) return text;
  int whole = static_cast<int>(point) + exponent;  // digits before the point
  if (whole <= 0) {
    digits.insert(0, static_cast<std::size_t>(1 - whole), '0');
    whole = 1;
  }
  const auto place = static_cast<std::size_t>(whole);
  if (place > digits.size()) digits.append(place - digits.size(), '0');
  if (place < digits.size()) digits.insert(place, 1, '.');
  return digits;
}

// Seconds as a number, exactly.
std::optional<Interval> seconds(const std::string& text) {
  const auto value = parse_interval(without_exponent(text) + "s");
  if (!value) return {};
  return *value;
}

Result<std::int64_t> factor(const std::string& text) {
  char* end = nullptr;
  errno = 0;
  const double value = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || *end != '\0' || !(value >= 0 && value <= 1e6))
    return fail("invalid factor: \"" + text + "\" (expected 0 to 1000000, such as 0.5)");
  const bool nothing = value == 0 && errno != ERANGE;
  if (!nothing && value < 1e-9)
    return fail("invalid factor: \"" + text + "\" (expected 0, or 0.000000001 or more)");
  return std::llround(value * static_cast<double>(model::one));
}

struct Reading {
  std::vector<model::Steps::Step> steps;
  std::optional<Interval> loop_after;

  // Takes a line. Returns its mistake; empty if there is none.
  std::string take(const std::vector<std::string>& words) {
    if (words.size() != 2)
      return "invalid line (expected a time in seconds and a factor, such as \"11.0 0.5\")";
    const auto time = seconds(words[0] == "LOOPAFTER" || words[0] == "PERIODICITY" ? words[1] : words[0]);
    if (words[0] == "LOOPAFTER" || words[0] == "PERIODICITY") {
      if (!time || *time <= Interval())
        return "invalid time: \"" + words[1] + "\" (expected seconds above 0, such as 12.0)";
      loop_after = *time;
      return "";
    }
    if (!time) return "invalid time: \"" + words[0] + "\" (expected seconds, such as 11.0)";
    const auto part = factor(words[1]);
    if (!part) return part.error().message;
    const Instant at = Instant::start() + *time;
    if (!steps.empty() && at <= steps.back().at)
      return "invalid time: \"" + words[0] + "\" (expected later than the line before)";
    steps.push_back({at, *part});
    return "";
  }
};

}  // namespace

Result<std::shared_ptr<const model::Steps>> parse_availability(const std::string& text,
                                                               const std::string& name,
                                                               std::optional<Interval> loop_after) {
  Reading reading;
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  std::istringstream lines(text.starts_with(byte_order_mark) ? text.substr(byte_order_mark.size()) : text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::istringstream rest(line.substr(0, line.find('#')));
    std::vector<std::string> words;
    for (std::string word; rest >> word;) words.push_back(word);
    if (words.empty()) continue;
    if (const std::string wrong = reading.take(words); !wrong.empty())
      return fail(name + ":" + std::to_string(number) + ": " + printable(wrong));
  }
  if (reading.steps.empty()) return fail(name + ": no line with a time and a factor");
  if (loop_after) reading.loop_after = loop_after;
  if (reading.loop_after && *reading.loop_after <= Interval())
    return fail(name + ": invalid loop_after: 0 (expected more than 0)");
  // Speed 0 for ever needs no repetition.
  const auto nothing = [](const model::Steps::Step& step) { return step.factor == 0; };
  if (std::all_of(reading.steps.begin(), reading.steps.end(), nothing)) reading.loop_after.reset();
  return std::make_shared<const model::Steps>(std::move(reading.steps), reading.loop_after);
}

}  // namespace emu::target
