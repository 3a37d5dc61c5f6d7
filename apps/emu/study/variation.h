// --vary: one study on targets that differ in one or more keys.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/failure.h"

namespace emu::app::studies {

// One target of a study: the target file with some keys replaced.
struct Variation {
  std::vector<std::pair<std::string, std::string>> values;  // key, value
  std::string label() const;  // "network.latency=10us"; empty: the unchanged file
};

// "KEY=V1,V2,...": a key of the target file and its values. Several options give every combination; none gives a single
// variation without replacements.
Result<std::vector<Variation>> parse_variations(const std::vector<std::string>& options);

// The text of a target file with the values of `variation`. A key is written as in config/README.md,
// "network.latency"; a key of [[node]] applies to every group, "node[1].speed" to the second one. target::parse()
// checks the result.
Result<std::string> apply(const Variation& variation, const std::string& text, const std::string& origin);

// The mistakes in such a text named `origin`, without line numbers, since users do not see the text.
tl::unexpected<Failure> without_lines(const Failure& failure, const std::string& origin);

}  // namespace emu::app::studies
