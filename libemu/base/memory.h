// Memory of this process, and its limits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

namespace emu {

// Writes "the command has 7700 MiB of addresses, of 7812 MiB that ulimit -v permits, ..." into `text`. Does not
// allocate.
void describe_memory(char* text, std::size_t size);
std::string memory_in_words();

// Bytes of memory that the system can still give to processes; the greatest number if the system does not say.
std::int64_t memory_left();

}  // namespace emu
