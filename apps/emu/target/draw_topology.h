// emu target --draw: a picture of the links between the nodes.
#pragma once

#include <string>

#include "model/interconnect.h"

namespace emu::app {

// As SVG. Nodes are dots, switches and routers squares, cables lines; the wrap-around cables of
// a torus are dashed. Readable for up to some hundreds of nodes. `title`: name of the target.
std::string draw_topology(const model::Interconnect& net, const std::string& title);

}  // namespace emu::app
