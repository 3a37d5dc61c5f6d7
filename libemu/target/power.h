// Electric power of nodes: node.watts of a target file. Only studies of energy use it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "target/table.h"

namespace emu::target {

struct Power {
  double idle = 0;  // watts of an idle node
  double busy = 0;  // watts of a node with all slots computing; at least `idle`
};

// Checks node.watts of one [[node]] while a target is read.
void check_power(const Table& group);

// For each [[node]] in the text of a valid target; nothing for nodes without it.
std::vector<std::optional<Power>> powers(const std::string& text);

}  // namespace emu::target
