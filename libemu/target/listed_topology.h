// Links and routes one by one: [[topology.link]] and [[topology.route]] of a target file.
#pragma once

#include <memory>

#include "model/interconnect.h"
#include "target/table.h"
#include "target/target.h"

namespace emu::target {

// `t` is [topology]. Null if something is wrong, which has been noted.
std::shared_ptr<const model::Interconnect> listed_topology(const Table& t, const Target& target);
// The bandwidth at `key` as time per byte; nothing, and it is noted, if it is none or 0.
std::optional<Rate> bandwidth_of(const Table& t, std::string_view key, const toml::node& node);

}  // namespace emu::target
