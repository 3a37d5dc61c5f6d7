#include "program/braces.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <optional>

namespace emu::app {
namespace {

bool begins_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool in_name(char c) { return begins_name(c) || std::isdigit(static_cast<unsigned char>(c)); }

// The name of the "{NAME}" that begins at `at`.
std::optional<std::string> name_at(const std::string& text, std::size_t at) {
  if (at + 1 >= text.size() || text[at] != '{' || !begins_name(text[at + 1])) return {};
  std::size_t end = at + 1;
  while (end < text.size() && in_name(text[end])) ++end;
  if (end == text.size() || text[end] != '}') return {};
  return text.substr(at + 1, end - at - 1);
}

// The name of the "{{NAME}}" that begins at `at`.
std::optional<std::string> doubled_at(const std::string& text, std::size_t at) {
  if (text[at] != '{') return {};
  auto name = name_at(text, at + 1);
  const std::size_t behind = name ? at + name->size() + 3 : text.size();
  if (behind >= text.size() || text[behind] != '}') return {};
  return name;
}

}  // namespace

std::string with_values(const std::string& text, const Values& values) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    if (const auto doubled = doubled_at(text, at)) {
      result += "{" + *doubled + "}";
      at += doubled->size() + 4;
      continue;
    }
    const auto name = name_at(text, at);
    if (const auto value = name ? values.find(*name) : values.end(); value != values.end()) {
      result += value->second;
      at += name->size() + 2;
    } else {
      result += text[at++];
    }
  }
  return result;
}

std::vector<std::string> with_values(std::vector<std::string> words, const Values& values) {
  for (std::string& word : words) word = with_values(word, values);
  return words;
}

std::vector<Program> with_values(std::vector<Program> programs, const Values& values) {
  for (Program& program : programs) {
    program.name = with_values(program.name, values);
    program.arguments = with_values(std::move(program.arguments), values);
  }
  return programs;
}

std::vector<Program> with_ranks(std::vector<Program> programs, int ranks) {
  return with_values(std::move(programs), {{"P", std::to_string(ranks)}});
}

std::vector<std::string> names_in_braces(const std::string& text) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at < text.size();) {
    if (const auto doubled = doubled_at(text, at)) {
      at += doubled->size() + 4;
    } else if (auto name = name_at(text, at)) {
      at += name->size() + 2;
      names.push_back(std::move(*name));
    } else {
      ++at;
    }
  }
  return names;
}

bool is_name(const std::string& text) {
  return !text.empty() && begins_name(text[0]) && std::all_of(text.begin(), text.end(), in_name);
}

std::map<std::string, std::string> environment_with_values(const Values& values) {
  std::map<std::string, std::string> result;
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string line = *entry;
    const auto equals = line.find('=');
    if (equals == std::string::npos) continue;
    const std::string value = line.substr(equals + 1);
    const std::vector<std::string> names = names_in_braces(value);
    if (std::any_of(names.begin(), names.end(), [&](const std::string& n) { return values.contains(n); }))
      result[line.substr(0, equals)] = with_values(value, values);
  }
  return result;
}

}  // namespace emu::app
