#include "target/algorithms.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "target/target.h"

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

// Bytes of a segment: "32KiB", or "whole" for an uncut vector.
Result<model::Bytes> segment(std::string_view text) {
  if (text == "whole") return model::AlgorithmChoice::whole;
  const auto bytes = parse_bytes(text);
  if (bytes && *bytes == 0)
    return fail("invalid segment: " + std::string(text) + " (expected 1 byte or more, or \"whole\")");
  return bytes;
}

// Removes the part after `mark` from `text`, and returns it; nothing if the mark is missing.
std::optional<std::string> taken_off(std::string& text, std::string_view mark) {
  const std::size_t end = text.find(mark);
  if (end == std::string::npos) return {};
  const std::string rest = text.substr(end + mark.size());
  text.resize(end);
  return rest;
}

// "ring", "ring up to 64KiB"; for a bcast or reduce also "pipeline in 8KiB" or
// "pipeline in whole up to 64KiB". Nothing, with a reported mistake, for other texts.
std::optional<Algorithms::Choice> choice(const Table& t, const NamedCollective& operation,
                                         const toml::node& node) {
  const auto text = node.value_exact<std::string>();
  const std::string right = " (expected one of " + names(operation) + ", also with a size, such as \"" +
                            std::string(operation.algorithms[1].name) + " up to 64KiB\")";
  if (!text) {
    t.wrong(node, operation.name, "invalid value" + right);
    return {};
  }
  std::string name = *text;
  const auto until = taken_off(name, " up to "), in = taken_off(name, " in ");
  const auto found = std::find_if(operation.algorithms.begin(), operation.algorithms.end(),
                                  [&](const auto& a) { return a.name == name; });
  if (found == operation.algorithms.end()) {
    t.wrong(node, operation.name, "unknown algorithm: \"" + name + "\"" + right);
    return {};
  }
  Algorithms::Choice made;
  made.algorithm = found->algorithm;
  if (in) {
    const auto bytes = segment(*in);
    const bool cut =
        operation.operation == model::Collective::bcast || operation.operation == model::Collective::reduce;
    if (!bytes || !cut) {
      t.wrong(node, operation.name, cut ? bytes.error().message : "segments are for bcast and reduce only");
      return {};
    }
    made.algorithm.segment = *bytes;
  }
  if (!until) return made;
  const auto bytes = parse_bytes(*until);
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
  if (value.as_array()->empty()) t.wrong(operation.name, "invalid value: an empty list (expected a choice)");
  for (const toml::node& node : *value.as_array()) {
    const auto one = choice(t, operation, node);
    if (!one) continue;
    if (!list.empty() && one->up_to <= list.back().up_to)
      t.wrong(node, operation.name,
              "unreachable choice: the preceding one covers these sizes (expected growing sizes, one without "
              "a size last)");
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
    if (name == "openmpi")
      result.library = model::Library::openmpi;
    else if (name == "openmpi-4.1")
      result.library = model::Library::openmpi_4_1;
    else if (name != "mpich")
      t.wrong(node, "library", "unknown library (expected \"mpich\", \"openmpi\" or \"openmpi-4.1\")");
  }
  for (const NamedCollective& operation : model::named_collectives())
    if (t.has(operation.name)) result.choose(operation.operation, choices(t, operation));
  return result;
}

// Algorithms by node leaders depend on which ranks share a node.
std::string ways_of_collectives(const Target& target, int ranks) {
  std::string text = std::to_string(static_cast<int>(target.algorithms.library));
  bool by_nodes = target.algorithms.library == model::Library::mpich;
  for (const NamedCollective& operation : model::named_collectives())
    for (const Algorithms::Choice& choice : target.algorithms.choices(operation.operation)) {
      const auto named =
          std::find_if(operation.algorithms.begin(), operation.algorithms.end(),
                       [&](const auto& a) { return a.algorithm == choice.algorithm.algorithm; });
      text += " " + std::string(operation.name) + ":" + std::string(named->name) + "/" +
              std::to_string(choice.algorithm.segment) + "/" + std::to_string(choice.up_to);
      by_nodes = by_nodes || choice.algorithm.algorithm == model::Algorithm::mpich;
    }
  if (!by_nodes || !target.shares_nodes()) return text;
  std::uint64_t sum = 14695981039346656037u;  // FNV-1a over the nodes; each rank keeps the text in its trace
  for (const int node : target.place(ranks)) sum = (sum ^ static_cast<std::uint32_t>(node)) * 1099511628211u;
  return text + " nodes " + std::to_string(sum);
}

}  // namespace emu::target
