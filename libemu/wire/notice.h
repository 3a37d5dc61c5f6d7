// What the first rank of a node lets the others know before anything is emulated: a text in their region.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace emu::wire {

// By one process, once, behind Table::create().
void give_notice(std::byte* base, std::string_view text);
// By the others: waits until it is there.
std::string read_notice(std::byte* base);

}  // namespace emu::wire
