// Bytes waiting to be sent: copied pieces, and pieces that stay in their memory, sent in parts of any length.
#include "wire/agent/send_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace emu::wire {
namespace {

std::span<const std::byte> bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

std::string listed(const SendQueue& out) {
  std::vector<std::pair<const void*, std::size_t>> pieces;
  out.list(pieces);
  std::string text;
  for (const auto& [at, size] : pieces) text.append(static_cast<const char*>(at), size);
  return text;
}

TEST(SendQueueTest, PiecesComeInTheirOrderHoweverTheyAreCut) {
  const std::string longer(50, 'L');
  for (std::size_t part = 1; part < 80; ++part) {
    SendQueue out;
    std::string expected, got;
    std::vector<int> given_back;
    for (int i = 0; i < 3; ++i) {
      out.copy(bytes("ab"));
      out.copy(bytes("c"));
      out.borrow(bytes(longer), [&given_back, i] { given_back.push_back(i); });
      expected += "abc" + longer;
    }
    while (!out.empty()) {
      const std::string next = listed(out).substr(0, part);
      ASSERT_FALSE(next.empty());
      got += next;
      out.sent(next.size());
      EXPECT_EQ(given_back.size(), got.size() / 53);
    }
    EXPECT_EQ(got, expected);
    EXPECT_EQ(given_back, (std::vector<int>{0, 1, 2}));
  }
}

TEST(SendQueueTest, WhatIsPutInWhileSomeIsSentComesBehindIt) {
  SendQueue out;
  out.copy(bytes("first"));
  out.sent(3);
  out.copy(bytes("second"));
  EXPECT_EQ(listed(out), "stsecond");
  out.sent(8);
  EXPECT_TRUE(out.empty());
  out.copy(bytes("third"));
  EXPECT_EQ(listed(out), "third");
}

TEST(SendQueueTest, MemoryOfManyBytesIsGivenBack) {
  SendQueue out;
  const std::string text(1000, 't');
  const auto fill_and_send = [&](int times) {
    for (int i = 0; i < times; ++i) out.copy(bytes(text));
    while (!out.empty()) out.sent(listed(out).size());
  };
  fill_and_send(20);
  const std::size_t before = out.memory();
  EXPECT_GE(before, 20'000u) << "a little is kept for the next";
  fill_and_send(50'000);
  EXPECT_LE(out.memory(), before);
}

}  // namespace
}  // namespace emu::wire
