#include "wire/notice.h"

#include <climits>
#include <cstring>

#include "wire/futex.h"
#include "wire/table.h"

namespace emu::wire {

void give_notice(std::byte* base, std::string_view text) {
  auto& header = *reinterpret_cast<TableHeader*>(base);
  constexpr std::size_t alignment = 64;
  const std::uint64_t at = header.heap_top.fetch_add((text.size() + alignment - 1) / alignment * alignment);
  std::memcpy(base + at, text.data(), text.size());
  header.notice = {at, text.size()};
  header.noticed = 1;
  futex_wake(header.noticed, INT_MAX);
}

std::string read_notice(std::byte* base) {
  auto& header = *reinterpret_cast<TableHeader*>(base);
  while (header.noticed == 0) futex_wait(header.noticed, 0);
  return {reinterpret_cast<const char*>(base) + header.notice.at, header.notice.bytes};
}

}  // namespace emu::wire
