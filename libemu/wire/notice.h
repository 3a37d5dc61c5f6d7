// A text that one process of a node leaves for others in their region: what the first rank lets the others know before anything is
// emulated, or why the job is to end.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "wire/table.h"

namespace emu::wire {

// By one process, once, behind Table::create().
void give_notice(std::byte* base, Notice TableHeader::*notice, std::string_view text);
// By the others: waits until it is there.
std::string read_notice(std::byte* base, Notice TableHeader::*notice);

}  // namespace emu::wire
