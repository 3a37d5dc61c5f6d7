// Notices between processes of a node in their region, besides messages: texts from one process to the others, such as
// the target before emulation begins, or the reason why the job ends; and bits from all processes to the first one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "wire/table.h"

namespace emu::wire {

// Called once, by one process, after Table::create().
void give_notice(std::byte* base, Notice TableHeader::*notice, std::string_view text);
// Called by the others: waits for the text.
std::string read_notice(std::byte* base, Notice TableHeader::*notice);

// Called once by each of the node's `processes`, after Table::create().
void give_bits(std::byte* base, std::uint32_t bits, int processes);
// Called by one of them, after its give_bits(): waits for the bits of all, and returns their union.
std::uint32_t read_bits(std::byte* base, int processes);

}  // namespace emu::wire
