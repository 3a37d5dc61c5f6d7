// --vary: the same study on targets that differ in a key or two.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/failure.h"

namespace emu::app::studies {

// One target of a study: the target file with some keys replaced.
struct Variation {
  std::vector<std::pair<std::string, std::string>> values;  // key, value
  std::string label() const;                                // "network.latency=10us"; empty: as the file is
};

// "KEY=V1,V2,...": a key of the target file and the values it is to have. Several together give every
// combination; none gives the one variation that replaces nothing.
Result<std::vector<Variation>> parse_variations(const std::vector<std::string>& options);

// The text of a target file with the values of `variation` in it. A key is written as in config/README.md,
// "network.latency"; a key of [[node]] goes to every group, "node[1].speed" to the second alone. Whether
// the result is a good target, target::parse says.
Result<std::string> apply(const Variation& variation, const std::string& text, const std::string& origin);

// What is wrong with such a text that went by the name `origin`, without its lines: nobody else has seen them.
tl::unexpected<Failure> without_lines(const Failure& failure, const std::string& origin);

}  // namespace emu::app::studies
