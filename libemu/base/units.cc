#include "base/units.h"

#include <cmath>
#include <cstdio>
#include <limits>
#include <span>

namespace emu {
namespace {

__extension__ typedef __int128 Wide;

constexpr std::int64_t kilo = 1000, mega = 1000 * kilo, giga = 1000 * mega, tera = 1000 * giga;
constexpr std::int64_t fs_per_second = 1000 * tera;

struct Unit {
  std::string_view name;
  std::int64_t scale;  // in the smallest unit of its kind
};

constexpr Unit time_units[] = {  // in femtoseconds
    {"ps", kilo},
    {"ns", mega},
    {"us", giga},
    {"ms", tera},
    {"s", fs_per_second},
    {"min", 60 * fs_per_second},
    {"h", 3600 * fs_per_second}};
constexpr Unit size_units[] = {  // in bytes
    {"B", 1},     {"kB", kilo},       {"KB", kilo},       {"MB", mega},
    {"GB", giga}, {"KiB", 1LL << 10}, {"MiB", 1LL << 20}, {"GiB", 1LL << 30}};
constexpr Unit rate_units[] = {  // in bits per second
    {"bit/s", 1},
    {"kbit/s", kilo},
    {"Mbit/s", mega},
    {"Gbit/s", giga},
    {"Tbit/s", tera},
    {"B/s", 8},
    {"kB/s", 8 * kilo},
    {"KB/s", 8 * kilo},
    {"MB/s", 8 * mega},
    {"GB/s", 8 * giga},
    {"KiB/s", 8 * (1LL << 10)},
    {"MiB/s", 8 * (1LL << 20)},
    {"GiB/s", 8 * (1LL << 30)}};

// number = digits / 10^decimals
struct Quantity {
  std::int64_t digits = 0;
  int decimals = 0;
  std::string_view unit;
};

constexpr int max_digits = 18;  // fits into 63 bits, and products with a unit's scale into 127

std::string quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

Wide power_of_ten(int n) {
  Wide result = 1;
  while (n-- > 0) result *= 10;
  return result;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// `example`: a valid value of the wanted kind, for messages.
Result<Quantity> split(std::string_view text, const std::string& example) {
  const std::string hint = " (expected a number and a unit, such as " + example + ")";
  if (text.empty()) return fail("empty value" + hint);
  if (text.front() == '-') return fail("negative value: " + quoted(text) + hint);
  Quantity q;
  std::size_t i = 0;
  int digits = 0;
  bool point = false;
  for (; i < text.size() && (is_digit(text[i]) || (text[i] == '.' && !point)); ++i) {
    if (text[i] == '.') {
      point = true;
      continue;
    }
    if (q.digits != 0 || point || text[i] != '0') ++digits;
    if (digits > max_digits) return fail("too many digits: " + quoted(text) + " (expected at most 18)");
    q.digits = q.digits * 10 + (text[i] - '0');
    if (point) ++q.decimals;
  }
  if (i == 0 || !is_digit(text[0]) || !is_digit(text[i - 1]))
    return fail("invalid number: " + quoted(text) + hint);
  if (i < text.size() && text[i] == ' ') ++i;
  q.unit = text.substr(i);
  if (q.unit.empty()) return fail("no unit: " + quoted(text) + hint);
  return q;
}

const Unit* find(std::span<const Unit> units, std::string_view name) {
  for (const Unit& unit : units)
    if (unit.name == name) return &unit;
  return nullptr;
}

tl::unexpected<Failure> unknown_unit(std::string_view text, std::string_view unit, const std::string& right) {
  return fail("wrong unit " + quoted(unit) + ": " + quoted(text) + " (expected " + right + ")");
}

std::string names(std::span<const Unit> units) {
  std::string list;
  for (const Unit& unit : units) {
    if (!list.empty()) list += &unit == &units.back() ? " or " : ", ";
    list += unit.name;
  }
  return list;
}

// numerator / denominator to the nearest integer, halves up. Fails above int64 (divided by two: see
// Instant::never) and if a positive value would round to zero; `least` and `most` are for the message.
Result<std::int64_t> whole(std::string_view text, Wide numerator, Wide denominator, const char* least,
                           const char* most) {
  const Wide value = (2 * numerator + denominator) / (2 * denominator);
  if (value == 0 && numerator != 0)
    return fail("too small: " + quoted(text) + " (expected at least " + least + ")");
  if (value > std::numeric_limits<std::int64_t>::max() / 2)
    return fail("too large: " + quoted(text) + " (expected at most " + most + ")");
  return static_cast<std::int64_t>(value);
}

Result<std::int64_t> rate_to_time_per_byte(std::string_view text, const Quantity& q, const Unit& unit) {
  if (q.digits == 0) return fail("invalid rate: " + quoted(text) + " (expected above 0)");
  // A byte takes 8 / (digits / 10^decimals * scale) seconds.
  const Wide numerator = Wide{8} * fs_per_second * power_of_ten(q.decimals);
  return whole(text, numerator, Wide{q.digits} * unit.scale, "1fs per byte, 8000Tbit/s",
               "4611.686s per byte, 0.0017347235bit/s");
}

}  // namespace

Result<Interval> parse_interval(std::string_view text, const MostTime& most) {
  const auto q = split(text, "\"12.1us\"");
  if (!q) return tl::unexpected(q.error());
  const Unit* unit = find(time_units, q->unit);
  if (!unit) return unknown_unit(text, q->unit, "a unit of time: " + names(time_units));
  const auto ps =
      whole(text, Wide{q->digits} * unit->scale, power_of_ten(q->decimals) * 1000, "1ps", most.words);
  if (!ps) return tl::unexpected(ps.error());
  if (Interval::picoseconds(*ps) > most.value)
    return fail("too large: " + quoted(text) + " (expected at most " + most.words + ")");
  return Interval::picoseconds(*ps);
}

Result<Rate> parse_time_per_byte(std::string_view text) {
  const auto q = split(text, "\"0.0268us\" (time per byte) or \"100Mbit/s\"");
  if (!q) return tl::unexpected(q.error());
  const Unit* time = find(time_units, q->unit);
  const Unit* rate = find(rate_units, q->unit);
  if (!time && !rate) {
    return unknown_unit(
        text, q->unit, "the time per byte (" + names(time_units) + ") or a rate (" + names(rate_units) + ")");
  }
  const auto fs =
      time ? whole(text, Wide{q->digits} * time->scale, power_of_ten(q->decimals), "0.001ps", "4611s")
           : rate_to_time_per_byte(text, *q, *rate);
  if (!fs) return tl::unexpected(fs.error());
  return Rate::femtoseconds_per_byte(*fs);
}

Result<std::int64_t> parse_bytes(std::string_view text) {
  const auto q = split(text, "\"64KiB\"");
  if (!q) return tl::unexpected(q.error());
  const Unit* unit = find(size_units, q->unit);
  if (!unit) return unknown_unit(text, q->unit, "a unit of size: " + names(size_units));
  const Wide numerator = Wide{q->digits} * unit->scale;
  const Wide denominator = power_of_ten(q->decimals);
  if (numerator % denominator != 0)
    return fail("invalid size: " + quoted(text) + " (expected a whole number of bytes)");
  return whole(text, numerator, denominator, "1B", "4294967295GiB");
}

namespace {

// `value` with `digits` significant digits, without exponent or trailing zeros.
std::string significant(double value, int digits) {
  const int before = value < 1 ? 1 : static_cast<int>(std::floor(std::log10(value))) + 1;
  const int decimals = std::max(0, digits - before);
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  std::string result = text;
  if (decimals > 0) {
    result.erase(result.find_last_not_of('0') + 1);
    if (result.back() == '.') result.pop_back();
  }
  return result;
}

}  // namespace

std::string format(Interval interval, int digits) {
  const std::int64_t ps = interval.picoseconds();
  if (ps == 0) return "0 s";
  if (ps < 0) return "-" + format(Interval::picoseconds(-ps), digits);
  static constexpr Unit shown[] = {{"h", 3600 * tera}, {"s", tera},  {"ms", giga},
                                   {"us", mega},       {"ns", kilo}, {"ps", 1}};  // in picoseconds
  const Unit* unit = shown;
  while (unit->scale > ps) ++unit;
  return significant(static_cast<double>(ps) / static_cast<double>(unit->scale), digits) + " " +
         std::string(unit->name);
}

std::string format_bytes(std::int64_t bytes) {
  if (bytes < 0) return "-" + format_bytes(-bytes);
  static constexpr Unit shown[] = {{"GiB", 1LL << 30}, {"MiB", 1LL << 20}, {"KiB", 1LL << 10}, {"B", 0}};
  const Unit* unit = shown;
  while (unit->scale > bytes) ++unit;
  if (unit->scale == 0) return std::to_string(bytes) + " B";
  return significant(static_cast<double>(bytes) / static_cast<double>(unit->scale), 3) + " " +
         std::string(unit->name);
}

std::string counted(std::int64_t n, const std::string& what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

}  // namespace emu
