// Electric power of nodes: node.watts of a target file. Runs do not need it; studies ask for energy.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "target/table.h"

namespace emu::target {

struct Power {
  double idle = 0;  // watts of a node that does nothing
  double busy = 0;  // of one on which all slots compute; not less
};

// Checks node.watts of one [[node]] while a target is read.
void check_power(const Table& group);

// Of each [[node]] in the text of a good target; nothing for those that do not say it.
std::vector<std::optional<Power>> powers(const std::string& text);

}  // namespace emu::target
