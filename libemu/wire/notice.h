// Notices between processes of a node in their region, beside messages: texts of one process for the others, such as
// the target before anything is emulated, or why the job is to end; and bits of all for the first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "wire/table.h"

namespace emu::wire {

// By one process, once, behind Table::create().
void give_notice(std::byte* base, Notice TableHeader::*notice, std::string_view text);
// By the others: waits until it is there.
std::string read_notice(std::byte* base, Notice TableHeader::*notice);

// By each of the node's `processes`, once, behind Table::create().
void give_bits(std::byte* base, std::uint32_t bits, int processes);
// By one of them, behind that: the union of what all have given, which it waits for.
std::uint32_t read_bits(std::byte* base, int processes);

}  // namespace emu::wire
