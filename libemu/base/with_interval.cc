#include "base/with_interval.h"

#include <charconv>
#include <cmath>
#include <string>

#include "base/units.h"

namespace emu {

WithInterval split_interval(std::string_view text) {
  for (const std::string_view sign : {"+-", "\u00b1"}) {
    const auto at = text.find(sign);
    if (at == std::string_view::npos) continue;
    std::string_view value = text.substr(0, at), half = text.substr(at + sign.size());
    while (value.ends_with(' ')) value.remove_suffix(1);
    while (half.starts_with(' ')) half.remove_prefix(1);
    return {value, half};
  }
  return {text, {}};
}

std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (!whole || !std::isfinite(value) || text.front() == '-') return {};
  return value;
}

namespace {

// "1%" or "1 %" as 0.01; nothing if `text` is not a percentage.
std::optional<double> percentage(std::string_view text) {
  if (!text.ends_with('%')) return {};
  text.remove_suffix(1);
  if (text.ends_with(' ')) text.remove_suffix(1);
  const auto value = parse_number(text);
  if (!value) return {};
  return *value / 100;
}

double per_byte(Rate rate) { return static_cast<double>(rate.femtoseconds_per_byte()) * 1e-15; }

}  // namespace

Result<double> parse_half_of_interval(std::string_view value, std::string_view half) {
  const double of = parse_interval(value)->seconds();
  if (const auto share = percentage(half)) return of * *share;
  const auto own = parse_interval(half);
  if (!own) return tl::unexpected(own.error());
  return own->seconds();
}

Result<double> parse_half_of_time_per_byte(std::string_view value, std::string_view half) {
  const double of = per_byte(*parse_time_per_byte(value));
  if (const auto share = percentage(half)) return of * *share;
  const auto own = parse_time_per_byte(half);
  if (!own) return tl::unexpected(own.error());
  // For a rate R +- r, the relative error of the time per byte, 1 / R, is r / R: exact for small r only.
  const auto is_rate = [](std::string_view text) { return text.find("/s") != std::string_view::npos; };
  return is_rate(value) && is_rate(half) ? of * of / per_byte(*own) : per_byte(*own);
}

Result<double> parse_half_of_number(double value, std::string_view half) {
  if (const auto share = percentage(half)) return *share;
  const auto own = parse_number(half);
  if (!own)
    return fail("invalid decimal number: \"" + std::string(half) +
                "\" (expected for example \"0.02\" or \"2%\")");
  return *own / value;
}

}  // namespace emu
