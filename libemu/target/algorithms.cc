#include "target/algorithms.h"

#include <algorithm>
#include <optional>
#include <string>

namespace emu::target {
namespace {

using model::Algorithms;
using model::NamedAlgorithm;
using model::NamedCollective;

std::string names(const NamedCollective& operation) {
  std::string list;
  for (const NamedAlgorithm& a : operation.algorithms)
    list += (list.empty() ? "" : ", ") + ('"' + std::string(a.name) + '"');
  return list;
}

// "ring", or "ring up to 64KiB". Nothing, and it is noted, if it is neither.
std::optional<Algorithms::Choice> choice(const Table& t, const NamedCollective& operation,
                                         const toml::node& node) {
  const auto text = node.value_exact<std::string>();
  const std::string right = "; write one of " + names(operation) + ", also with a size, such as \"" +
                            std::string(operation.algorithms[1].name) + " up to 64KiB\"";
  if (!text) {
    t.wrong(node, operation.name, "invalid value" + right);
    return {};
  }
  constexpr std::string_view until = " up to ";
  const std::size_t end = text->find(until);
  const std::string name = text->substr(0, end);
  const auto found = std::find_if(operation.algorithms.begin(), operation.algorithms.end(),
                                  [&](const auto& a) { return a.name == name; });
  if (found == operation.algorithms.end()) {
    t.wrong(node, operation.name, "unknown algorithm \"" + name + "\"" + right);
    return {};
  }
  Algorithms::Choice made;
  made.algorithm = found->algorithm;
  if (end == std::string::npos) return made;
  const auto bytes = parse_bytes(std::string_view(*text).substr(end + until.size()));
  if (!bytes) {
    t.wrong(node, operation.name, bytes.error().message);
    return {};
  }
  made.up_to = *bytes;
  return made;
}

std::vector<Algorithms::Choice> choices(const Table& t, const NamedCollective& operation) {
  std::vector<Algorithms::Choice> list;
  const toml::node& value = *t.find(operation.name);
  if (!value.is_array()) {
    if (const auto one = choice(t, operation, value)) list.push_back(*one);
    return list;
  }
  if (value.as_array()->empty())
    t.wrong(operation.name, "is an empty list; write a choice, or leave the key out");
  for (const toml::node& node : *value.as_array()) {
    const auto one = choice(t, operation, node);
    if (!one) continue;
    if (!list.empty() && one->up_to <= list.back().up_to)
      t.wrong(node, operation.name,
              "is never taken: the one before is for as long messages; write them in growing order, one "
              "without a size last");
    list.push_back(*one);
  }
  return list;
}

}  // namespace

Keys algorithm_keys() {
  Keys keys = {"library"};
  for (const NamedCollective& operation : model::named_collectives()) keys.push_back(operation.name);
  return keys;
}

model::Algorithms algorithms(const Table& t) {
  model::Algorithms result;
  if (t.has("library")) {
    const toml::node& node = *t.find("library");
    const auto name = node.value_exact<std::string>();
    if (name != "mpich" && name != "openmpi")
      t.wrong(node, "library", "unknown library (expected \"mpich\" or \"openmpi\")");
    else if (name == "openmpi")
      result.library = model::Library::openmpi;
  }
  for (const NamedCollective& operation : model::named_collectives())
    if (t.has(operation.name)) result.choose(operation.operation, choices(t, operation));
  return result;
}

}  // namespace emu::target
