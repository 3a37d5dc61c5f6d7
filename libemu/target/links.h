// What links the nodes: [network] overheads and [[link]] of a target file.
#pragma once

#include "target/table.h"
#include "target/target.h"

namespace emu::target {

// The table `key`, "send" or "receive". With `otherwise`, it and each of its keys may be missing.
model::Overhead overhead(const Table& t, std::string_view key,
                         const std::optional<model::Overhead>& otherwise = {});

// Fills in `between` and `inside`; nodes and network are complete.
void read_links(const Table& root, Target& target);

// A group of nodes, in a message: its name in quotes, or its place in the file.
std::string group_name(const Target& target, int group);

}  // namespace emu::target
