#include "study/variation.h"

#include <toml++/toml.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <sstream>

#include "base/printable.h"

namespace emu::app::studies {
namespace {

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, at);) parts.push_back(part);
  if (text.empty() || text.back() == at) parts.emplace_back();
  return parts;
}

// Sets `key` to `value`: a number if the file has one there or the value looks like one, else text.
void put(toml::table& table, const std::string& key, const std::string& value) {
  std::int64_t whole = 0;
  double number = 0;
  const char* end = value.data() + value.size();
  const bool is_whole = std::from_chars(value.data(), end, whole).ptr == end;
  const bool is_number = std::from_chars(value.data(), end, number).ptr == end;
  const toml::node* before = table.get(key);
  if (before && before->is_string()) {
    table.insert_or_assign(key, value);
  } else if (is_whole) {
    table.insert_or_assign(key, whole);
  } else if (is_number) {
    table.insert_or_assign(key, number);
  } else {
    table.insert_or_assign(key, value);
  }
}

// Descends one step of a key from every table in `at`. A missing table is created: the reader of the target decides
// if it is permitted.
Result<std::vector<toml::table*>> down(const std::vector<toml::table*>& at, const std::string& step,
                                       const std::string& key) {
  std::vector<toml::table*> result;
  const auto bracket = step.find('[');
  const std::string name = step.substr(0, bracket);
  std::size_t index = 0;
  if (bracket != std::string::npos) {
    const char *begin = step.data() + bracket + 1, *end = step.data() + step.size() - 1;
    if (step.back() != ']' || begin == end || std::from_chars(begin, end, index).ptr != end)
      return fail("--vary " + key + ": invalid key: \"" + step + "\" (a group is written like node[0])");
  }
  for (toml::table* table : at) {
    toml::node* node = table->get(name);
    if (!node) node = &table->insert(name, toml::table{}).first->second;
    if (toml::table* inner = node->as_table(); inner && bracket == std::string::npos) {
      result.push_back(inner);
    } else if (toml::array* array = node->as_array(); array && array->is_array_of_tables()) {
      if (bracket != std::string::npos && index >= array->size())
        return fail("--vary " + key + ": there are " + std::to_string(array->size()) + " " + name +
                    " groups; the last is " + name + "[" + std::to_string(array->size() - 1) + "]");
      for (std::size_t i = 0; i < array->size(); ++i)
        if (bracket == std::string::npos || i == index) result.push_back(array->get(i)->as_table());
    } else {
      return fail("--vary " + key + ": the target has no table " + name);
    }
  }
  return result;
}

}  // namespace

std::string Variation::label() const {
  std::string text;
  for (const auto& [key, value] : values) text += (text.empty() ? "" : " ") + key + "=" + value;
  return text;
}

Result<std::vector<Variation>> parse_variations(const std::vector<std::string>& options) {
  std::vector<Variation> result(1);
  std::vector<std::string> seen;
  for (const std::string& option : options) {
    const auto equals = option.find('=');
    const std::string key = option.substr(0, equals);
    if (equals == std::string::npos || key.empty())
      return fail("--vary \"" + option + "\": expected KEY=VALUE,VALUE,... like network.latency=10us,50us");
    if (std::find(seen.begin(), seen.end(), key) != seen.end()) return fail("duplicate --vary " + key);
    seen.push_back(key);
    std::vector<Variation> longer;
    for (const Variation& variation : result) {
      for (const std::string& value : split(option.substr(equals + 1), ',')) {
        if (value.empty()) return fail("--vary " + key + ": a value is empty");
        longer.push_back(variation);
        longer.back().values.emplace_back(key, value);
      }
    }
    result = std::move(longer);
  }
  std::vector<std::string> labels;
  for (const Variation& variation : result) {
    if (std::find(labels.begin(), labels.end(), variation.label()) != labels.end())
      return fail("--vary: " + variation.label() + " is there twice");
    labels.push_back(variation.label());
  }
  return result;
}

Result<std::string> apply(const Variation& variation, const std::string& text, const std::string& origin) {
  if (variation.values.empty()) return text;
  toml::table root;
  try {
    root = toml::parse(text, origin);
  } catch (const toml::parse_error& error) {
    return fail(origin + ": invalid TOML: " + printable(std::string(error.description())));
  }
  for (const auto& [key, value] : variation.values) {
    const std::vector<std::string> steps = split(key, '.');
    std::vector<toml::table*> at{&root};
    for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
      auto next = down(at, steps[i], key);
      if (!next) return tl::unexpected(next.error());
      at = std::move(*next);
    }
    for (toml::table* table : at) put(*table, steps.back(), value);
  }
  std::ostringstream out;
  out << root << '\n';
  return out.str();
}

tl::unexpected<Failure> without_lines(const Failure& failure, const std::string& origin) {
  std::string message = failure.message;
  for (auto at = message.find(origin + ":"); at != std::string::npos; at = message.find(origin + ":", at)) {
    at += origin.size();
    const auto end = message.find_first_not_of("0123456789", at + 1);
    if (end != std::string::npos && end > at + 1 && message[end] == ':') message.erase(at, end - at);
  }
  // A mistake in several groups is reported once.
  std::set<std::string> said;
  std::string text;
  for (const std::string& line : split(message, '\n'))
    if (said.insert(line).second) text += (text.empty() ? "" : "\n") + line;
  return fail(text);
}

}  // namespace emu::app::studies
