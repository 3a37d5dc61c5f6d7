#include "target/table.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "base/printable.h"
#include "base/units.h"
#include "base/with_interval.h"
#include "target/keys.h"
#include "target/words.h"

namespace emu::target {
namespace {

constexpr MostTime longest = {Interval::picoseconds(3600LL * 1'000'000'000'000), "1h"};
constexpr MostTime latest = {Interval::picoseconds(3600LL * 1000 * 1'000'000'000'000), "1000h"};
constexpr Rate slowest = Rate::femtoseconds_per_byte(1'000'000'000'000);  // 1 ms per byte
// All limits leave room in 63 bits of picoseconds for thousands of processes and messages of 2 GiB.

std::string kind(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table:
      return "invalid value: a table";
    case toml::node_type::array:
      return node.is_array_of_tables() ? "invalid value: a list of tables" : "invalid value: a list";
    case toml::node_type::string:
      return "invalid value: text";
    case toml::node_type::boolean:
      return "invalid value: a truth value";
    case toml::node_type::integer:
    case toml::node_type::floating_point:
      return "invalid value: a number without a unit";
    default:
      return "invalid value: a date or a time of day";
  }
}

}  // namespace

void Problems::add(const toml::node& where, const std::string& key, const std::string& what) {
  const std::uint32_t line = std::max<std::uint32_t>(where.source().begin.line, 1);
  problems_.push_back({line, origin_ + ":" + std::to_string(line) + ": " + key + ": " + what});
}

Failure Problems::failure() const {
  std::vector<Problem> sorted = problems_;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Problem& a, const Problem& b) { return a.line < b.line; });
  std::string message;
  for (const Problem& problem : sorted) message += (message.empty() ? "" : "\n") + printable(problem.text);
  return Failure{message};
}

Table::Table(const toml::table& table, std::string path, const Keys& known, Problems& problems)
    : table_(&table), path_(std::move(path)), problems_(&problems) {
  const auto in = [](const Keys& keys, std::string_view key) {
    return std::find(keys.begin(), keys.end(), key) != keys.end();
  };
  for (const auto& [key, node] : table) {
    if (in(known, key.str())) continue;
    // In TOML, everything after the header of a table belongs to the table.
    if (!path_.empty() && node.is_value() && in(problems.top(), key.str())) {
      wrong(node, key.str(), "not a key of " + path_ + " (expected above the first table of the file)");
      continue;
    }
    const std::string_view meant = nearest(key.str(), known);
    if (meant.empty()) {
      wrong(node, key.str(), "unknown key (expected one of " + listed(known, ", ") + ")");
    } else {
      wrong(node, key.str(), "unknown key (did you mean " + in_quotes(meant) + "?)");
      mistyped_.emplace_back(meant);
    }
  }
}

std::string Table::full(std::string_view key) const {
  if (key.empty()) return path_;
  return path_.empty() ? std::string(key) : path_ + "." + std::string(key);
}

void Table::wrong(const toml::node& node, std::string_view key, const std::string& what) const {
  problems_->add(node, full(key), what);
}

void Table::missing(std::string_view key, const std::string& example) const {
  if (std::find(mistyped_.begin(), mistyped_.end(), key) != mistyped_.end()) return;  // reported already
  wrong(*table_, key, "missing (expected such as " + example + ")");
}

std::optional<std::string> Table::string_at(std::string_view key, const std::string& example,
                                            bool required) const {
  const toml::node* node = find(key);
  if (!node) {
    if (required) missing(key, std::string(key) + " = " + in_quotes(example));
    return {};
  }
  if (const auto value = node->value_exact<std::string>()) return value;
  wrong(*node, key, kind(*node) + " (expected text in quotes, such as " + in_quotes(example) + ")");
  return {};
}

void Table::wrong(std::string_view key, const std::string& what) const {
  const toml::node* node = find(key);
  wrong(node ? *node : *table_, key, what);
}

std::string Table::optional_text(std::string_view key, std::string_view example) const {
  return has(key) ? text(key, example) : "";
}

std::string Table::text(std::string_view key, std::string_view example) const {
  const auto value = string_at(key, std::string(example), true);
  if (!value) return {};
  const bool control =
      std::any_of(value->begin(), value->end(), [](unsigned char c) { return c < ' ' || c == 0x7f; });
  if (value->empty()) wrong(*find(key), key, "empty text (expected such as " + in_quotes(example) + ")");
  if (control) wrong(*find(key), key, "line break or other control character (expected one line of text)");
  return *value;
}

std::optional<Interval> Table::time(std::string_view key, const std::string& text,
                                    const MostTime& most) const {
  const auto split = split_interval(text);
  const auto value = parse_interval(split.value, most);
  if (!value) {
    wrong(*find(key), key, value.error().message);
    return {};
  }
  if (split.half) note_interval(key, *split.half, parse_half_of_interval(split.value, *split.half));
  return *value;
}

void Table::note_interval(std::string_view key, std::string_view half, const Result<double>& width) const {
  const Key* const known_key = find_key(full(key));
  if (!known_key) {
    wrong(*find(key), key,
          "invalid interval: +- " + std::string(half) +
              " (expected only for host_speed, node.speed and the times in [network] and [storage])");
  } else if (!width) {
    wrong(*find(key), key, "interval after +-: " + width.error().message);
  } else {
    double& known = problems_->uncertainties[std::string(known_key->name)];
    known = std::max(known, *width);
  }
}

Interval Table::interval(std::string_view key, std::optional<Interval> otherwise) const {
  const auto text = string_at(key, "12.1us", !otherwise);
  if (!text) return otherwise.value_or(Interval());
  return time(key, *text, longest).value_or(Interval());
}

std::optional<Interval> Table::required_interval(std::string_view key) const {
  const auto text = string_at(key, "12.1us", true);
  if (!text) return {};
  return time(key, *text, longest);
}

Interval Table::interval_at(const toml::node& node, std::string_view key) const {
  const auto text = node.value_exact<std::string>();
  if (!text) {
    wrong(node, key, kind(node) + " (expected text in quotes, such as \"12.1us\")");
    return {};
  }
  const auto value = parse_interval(*text, longest);
  if (!value) wrong(node, key, value.error().message);
  return value.value_or(Interval());
}

Rate Table::time_per_byte(std::string_view key, std::optional<Rate> otherwise) const {
  const auto text = string_at(key, "0.0268us", !otherwise);
  if (!text) return otherwise.value_or(Rate());
  const auto split = split_interval(*text);
  const auto value = parse_time_per_byte(split.value);
  if (!value) {
    wrong(*find(key), key, value.error().message);
  } else if (*value > slowest) {
    wrong(*find(key), key,
          "too slow: " + in_quotes(*text) + " (expected at most \"1ms\" per byte, \"1kB/s\")");
  } else {
    if (split.half) note_interval(key, *split.half, parse_half_of_time_per_byte(split.value, *split.half));
    return *value;
  }
  return {};
}

std::optional<std::int64_t> Table::size(std::string_view key) const {
  const auto text = string_at(key, "8KiB", true);
  if (!text) return {};
  const auto value = parse_bytes(*text);
  if (value) return *value;
  wrong(*find(key), key, value.error().message);
  return {};
}

std::optional<std::int64_t> Table::size_or_unlimited(std::string_view key) const {
  const auto text = string_at(key, "64KiB", true);
  if (!text) return 0;
  if (*text == "unlimited") return {};
  const auto value = parse_bytes(*text);
  if (value) return *value;
  wrong(*find(key), key, value.error().message + " (or \"unlimited\")");
  return 0;
}

double Table::positive(std::string_view key, double otherwise, double* spread) const {
  const toml::node* node = find(key);
  if (!node) return otherwise;
  const auto value = number(key, spread);
  // In this range, products with times do not overflow; also false for NaN.
  if (value && *value >= 1e-6 && *value <= 1e6) return *value;
  std::ostringstream shown;
  if (value) shown << *value;
  wrong(*node, key,
        (value ? "invalid number: " + shown.str() : kind(*node)) +
            " (expected a number above 0, 0.000001 to 1000000, such as 1.0)");
  return otherwise;
}

namespace {

// "3%" as a fraction below 1.
std::optional<double> share(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  if (!text.ends_with('%')) return {};
  const auto percent = parse_number(text.substr(0, text.size() - 1));
  return percent && *percent < 100 ? std::optional(*percent / 100) : std::nullopt;
}

}  // namespace

double Table::percentage(std::string_view key) const {
  const auto text = string_at(key, "2%", false);
  if (!text) return 0;
  const auto value = share(*text);
  if (!value)
    wrong(*find(key), key,
          "invalid percentage: " + in_quotes(*text) + " (expected less than 100, such as \"2%\")");
  return value.value_or(0);
}

std::optional<double> Table::number(std::string_view key, double* spread) const {
  const toml::node* node = find(key);
  if (node->is_number()) return node->value<double>();
  auto text = node->value_exact<std::string>();
  if (!text) return {};
  constexpr std::string_view word = " spread ";
  if (const auto at = text->find(word); spread && at != std::string::npos) {
    const auto value = share(std::string_view(*text).substr(at + word.size()));
    if (!value)
      wrong(*node, key,
            "invalid spread: " + in_quotes(*text) +
                " (expected a percentage below 100, such as \"1.0 spread 3%\")");
    *spread = value.value_or(0);
    text->resize(at);
  }
  const auto split = split_interval(*text);
  const auto value = parse_number(split.value);
  if (value && *value > 0 && split.half)
    note_interval(key, *split.half, parse_half_of_number(*value, *split.half));
  return value;
}

int Table::count(std::string_view key, std::optional<int> otherwise) const {
  const toml::node* node = find(key);
  if (!node) {
    if (!otherwise) missing(key, std::string(key) + " = 64");
    return otherwise.value_or(1);
  }
  const auto value = node->value_exact<std::int64_t>();
  if (value && *value >= 1 && *value <= max_count) return static_cast<int>(*value);
  const std::string found = value                       ? "invalid number: " + std::to_string(*value)
                            : node->is_floating_point() ? "invalid value: a number with a point"
                                                        : kind(*node);
  wrong(*node, key, found + " (expected a whole number from 1 to " + std::to_string(max_count) + ")");
  return 1;
}

Instant Table::instant(std::string_view key, std::optional<Instant> otherwise) const {
  const auto text = string_at(key, "12.5s", !otherwise);
  if (!text) return otherwise.value_or(Instant());
  return Instant::start() + time(key, *text, latest).value_or(Interval());
}

std::int64_t Table::factor(std::string_view key, const std::string& example) const {
  const toml::node* node = find(key);
  if (!node) {
    missing(key, std::string(key) + " = " + example);
    return 0;
  }
  const auto value = node->is_number() ? node->value<double>() : std::nullopt;
  if (value && (*value == 0 || (*value >= 1e-9 && *value <= 1e6))) return std::llround(*value * 1e9);
  std::ostringstream shown;
  if (value) shown << *value;
  wrong(*node, key,
        (value ? "invalid factor: " + shown.str() : kind(*node)) +
            (value && *value > 0 && *value < 1 ? " (expected 0, or 0.000000001 or more, such as "
                                               : " (expected a number from 0 to 1000000, such as ") +
            example + ")");
  return 0;
}

std::int64_t Table::whole(std::string_view key, std::int64_t otherwise) const {
  const toml::node* node = find(key);
  if (!node) return otherwise;
  const auto value = node->value_exact<std::int64_t>();
  if (value && *value >= 0) return *value;
  wrong(*node, key, "invalid whole number (expected 0 or more, such as " + std::string(key) + " = 1)");
  return otherwise;
}

bool Table::truth(std::string_view key, bool otherwise) const {
  const toml::node* node = find(key);
  if (!node) return otherwise;
  if (const auto value = node->value_exact<bool>()) return *value;
  wrong(*node, key, "invalid truth value (expected true or false, without quotes)");
  return otherwise;
}

int Table::choice(std::string_view key, const Keys& words) const { return one_of(key, words).value_or(0); }

std::optional<int> Table::one_of(std::string_view key, const Keys& words) const {
  const auto text = string_at(key, std::string(words.front()), false);
  if (!text) return has(key) ? std::nullopt : std::optional(0);
  const auto found = std::find(words.begin(), words.end(), *text);
  if (found != words.end()) return static_cast<int>(found - words.begin());
  wrong(*find(key), key, "unknown value: " + in_quotes(*text) + " (expected " + listed(words, " or ") + ")");
  return {};
}

std::optional<Table> Table::table(std::string_view key, const Keys& known, bool required) const {
  const toml::node* node = find(key);
  const std::string header = "[" + full(key) + "]";
  if (!node) {
    if (required) missing(key, "a table " + header + " with the keys " + listed(known, " and "));
    return {};
  }
  if (node->is_table()) return Table(*node->as_table(), full(key), known, *problems_);
  wrong(*node, key, kind(*node) + " (expected a table " + header + ")");
  return {};
}

std::vector<Table> Table::tables(std::string_view key, const Keys& known, bool required) const {
  const toml::node* node = find(key);
  const std::string header = "[[" + full(key) + "]]";
  std::vector<Table> result;
  if (!node) {
    if (required) missing(key, header + " with the keys " + listed(known, " and "));
  } else if (!node->is_array_of_tables()) {
    wrong(*node, key, kind(*node) + " (expected " + header + ", once for each)");
  } else {
    for (const toml::node& element : *node->as_array())
      result.emplace_back(*element.as_table(), full(key), known, *problems_);
  }
  return result;
}

}  // namespace emu::target
