// Links and routes as lists: [[topology.link]] and [[topology.route]] of a target file.
#pragma once

#include <memory>

#include "model/interconnect.h"
#include "target/table.h"
#include "target/target.h"

namespace emu::target {

// `t` is [topology]. Null after a reported mistake.
std::shared_ptr<const model::Interconnect> listed_topology(const Table& t, const Target& target);
// The bandwidth at `key` as time per byte; nothing, with a reported mistake, if it is invalid or 0.
std::optional<Rate> bandwidth_of(const Table& t, std::string_view key, const toml::node& node);

}  // namespace emu::target
