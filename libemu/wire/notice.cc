#include "wire/notice.h"

#include <climits>
#include <cstring>

#include "wire/futex.h"

namespace emu::wire {

void give_notice(std::byte* base, Notice TableHeader::*which, std::string_view text) {
  auto& header = *reinterpret_cast<TableHeader*>(base);
  constexpr std::size_t alignment = 64;
  const std::uint64_t at = header.heap_top.fetch_add((text.size() + alignment - 1) / alignment * alignment);
  std::memcpy(base + at, text.data(), text.size());
  Notice& notice = header.*which;
  notice.at = at;
  notice.bytes = text.size();
  notice.there = 1;
  futex_wake(notice.there, INT_MAX);
}

std::string read_notice(std::byte* base, Notice TableHeader::*which) {
  Notice& notice = reinterpret_cast<TableHeader*>(base)->*which;
  while (notice.there == 0) futex_wait(notice.there, 0);
  return {reinterpret_cast<const char*>(base) + notice.at, notice.bytes};
}

void give_bits(std::byte* base, std::uint32_t bits, int processes) {
  auto& header = *reinterpret_cast<TableHeader*>(base);
  header.bits.fetch_or(bits);
  if (header.given.fetch_add(1) + 1 == static_cast<std::uint32_t>(processes)) futex_wake(header.given);
}

std::uint32_t read_bits(std::byte* base, int processes) {
  auto& header = *reinterpret_cast<TableHeader*>(base);
  const auto all = static_cast<std::uint32_t>(processes);
  for (std::uint32_t n = header.given; n < all; n = header.given) futex_wait(header.given, n);
  return header.bits;
}

}  // namespace emu::wire
