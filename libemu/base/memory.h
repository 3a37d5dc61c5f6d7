// Memory of this process: how much it has, and what limits it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

namespace emu {

// Writes "the command has 7700 MiB of addresses, of 7812 MiB that ulimit -v permits, ..." into `text`. Allocates nothing.
void describe_memory(char* text, std::size_t size);
std::string memory_in_words();

// Bytes that processes may still take on this machine, without what the system can drop; the greatest number if it does not say.
std::int64_t memory_left();

}  // namespace emu
