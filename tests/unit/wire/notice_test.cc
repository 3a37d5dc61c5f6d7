#include "wire/notice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

#include "wire/table.h"

namespace emu::wire {
namespace {

TEST(Notice, AllReadItHoweverEarlyTheyCome) {
  constexpr std::size_t bytes = 1 << 20;
  struct Free {
    void operator()(std::byte* p) const { std::free(p); }
  };
  const std::unique_ptr<std::byte, Free> memory(static_cast<std::byte*>(std::aligned_alloc(64, bytes)));
  std::fill_n(memory.get(), bytes, std::byte{0});
  const NodeMap node_map(3);
  Table::create(memory.get(), node_map);
  const std::string text(100'000, 'x');
  std::vector<std::string> read(2);
  std::thread early([&] { read[0] = read_notice(memory.get(), &TableHeader::notice); });
  give_notice(memory.get(), &TableHeader::notice, text);
  std::thread late([&] { read[1] = read_notice(memory.get(), &TableHeader::notice); });
  early.join();
  late.join();
  EXPECT_EQ(read[0], text);
  EXPECT_EQ(read[1], text);
  EXPECT_GE(reinterpret_cast<TableHeader*>(memory.get())->heap_top, Table::bytes(node_map) + text.size())
      << "no message takes its place";
}

}  // namespace
}  // namespace emu::wire
