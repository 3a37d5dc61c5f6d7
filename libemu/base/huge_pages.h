// Huge pages of the system, of 2 MiB.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>

namespace emu {

constexpr std::uintptr_t huge_page = std::uintptr_t{2} << 20;  // bytes

inline std::uintptr_t round_up_to_huge_page(std::uintptr_t address) {
  return (address + huge_page - 1) / huge_page * huge_page;
}

// Moves the pages of a range, which begins and ends with huge pages, to huge pages now. False if the kernel does not do
// it (Linux before 6.1, or no such pages are left): the range may then have both kinds of pages.
inline bool move_to_huge_pages(void* begin, std::size_t bytes) {
  constexpr int collapse = 25;  // MADV_COLLAPSE, which older headers do not have
  return madvise(begin, bytes, collapse) == 0;
}

}  // namespace emu
