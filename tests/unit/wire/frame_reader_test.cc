// A stream of frames, which may be cut at any byte.
#include "wire/agent/frame_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

namespace emu::wire {
namespace {

using Bytes = std::vector<std::byte>;
using Kind = FrameHead::Kind;

Bytes pattern(std::size_t size) {
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i * 7 + size);
  return bytes;
}

Bytes head_of(Kind kind, std::uint64_t bytes, std::uint64_t received) {
  const FrameHead head{.kind = kind, .bytes = bytes, .received = received};
  const auto all = bytes_of(head);
  return {all.begin(), all.end()};
}

Bytes stream(const std::vector<std::size_t>& sizes, Kind kind = Kind::report) {
  Bytes all;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    for (const Bytes& part : {head_of(kind, sizes[i], i), pattern(sizes[i])})
      all.insert(all.end(), part.begin(), part.end());
  return all;
}

FrameLimits any_report() {
  FrameLimits limits;
  limits[static_cast<std::size_t>(Kind::report)] = {0, 1 << 30};
  limits[static_cast<std::size_t>(Kind::message)] = {100, 1 << 30};
  limits[static_cast<std::size_t>(Kind::ask)] = {8, 8};
  limits[static_cast<std::size_t>(Kind::finished)] = {16, 1 << 20, 24};
  return limits;
}

class FrameReaderTest : public testing::Test, public FrameSink {
 protected:
  std::byte* place(const FrameHead& head) override {
    if (head.kind != Kind::message) return nullptr;
    placed_.assign(head.bytes, std::byte{});
    return placed_.data();
  }
  void take(const FrameHead& head, std::byte* body) override {
    heads_.push_back(head);
    bodies_.emplace_back(body, body + head.bytes);
    in_place_ += body == placed_.data();
  }
  // Passes as many bytes at a time as the reader has room for.
  bool give(const std::byte* from, std::size_t size) {
    while (size > 0) {
      const auto room = reader_.room();
      const std::size_t part = std::min(size, room.size());
      EXPECT_GT(part, 0u);
      std::memcpy(room.data(), from, part);
      if (!reader_.received(part)) return false;
      from += part;
      size -= part;
    }
    return true;
  }
  void expect(const std::vector<std::size_t>& sizes) {
    ASSERT_EQ(heads_.size(), sizes.size());
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      EXPECT_EQ(heads_[i].received, i);
      EXPECT_EQ(bodies_[i], pattern(sizes[i]));
    }
    heads_.clear();
    bodies_.clear();
  }

  FrameReader reader_{*this, any_report()};
  std::vector<FrameHead> heads_;
  std::vector<Bytes> bodies_;
  Bytes placed_;
  int in_place_ = 0;
};

TEST_F(FrameReaderTest, FramesCutAnywhereAreWholeAgain) {
  const std::vector<std::size_t> sizes = {0, 5, 40, 1};
  const Bytes all = stream(sizes);
  for (std::size_t cut = 1; cut < all.size(); ++cut) {
    ASSERT_TRUE(give(all.data(), cut));
    ASSERT_LT(heads_.size(), sizes.size());
    ASSERT_TRUE(give(all.data() + cut, all.size() - cut));
    expect(sizes);
  }
  for (const std::byte& byte : all) ASSERT_TRUE(give(&byte, 1));
  expect(sizes);
}

// Frames larger than the buffer, cut in the head and after it.
TEST_F(FrameReaderTest, FramesLargerThanTheBuffer) {
  const std::vector<std::size_t> sizes = {(64 << 10) - 20, 300'000,       3,     100'000,
                                          8 << 10,         (8 << 10) + 1, 9'000, 0};
  const Bytes all = stream(sizes);
  for (const std::size_t part : {all.size(), std::size_t{4096}, std::size_t{60'001}, std::size_t{1}}) {
    for (std::size_t at = 0; at < all.size(); at += part)
      ASSERT_TRUE(give(all.data() + at, std::min(part, all.size() - at)));
    expect(sizes);
  }
}

TEST_F(FrameReaderTest, LongMessagesAreReceivedWhereTheyAreToBe) {
  const std::vector<std::size_t> sizes = {300'000, 200, 100'000};
  const Bytes all = stream(sizes, Kind::message);
  for (std::size_t at = 0; at < all.size(); at += 5'000)
    ASSERT_TRUE(give(all.data() + at, std::min<std::size_t>(5'000, all.size() - at)));
  EXPECT_EQ(in_place_, 2) << "the two that are long and did not come as a whole";
  expect(sizes);
}

TEST_F(FrameReaderTest, MemoryOfALongFrameIsGivenBack) {
  const std::size_t before = reader_.memory();
  const std::vector<std::size_t> sizes = {50'000'000, 8};
  const Bytes all = stream(sizes);
  ASSERT_TRUE(give(all.data(), all.size()));
  expect(sizes);
  EXPECT_EQ(reader_.memory(), before);
}

TEST_F(FrameReaderTest, MemoryGrowsAsBytesArriveAndNotAsTheyAreAnnounced) {
  const Bytes head = head_of(Kind::report, 1 << 30, 0), part = pattern(100'000);
  ASSERT_TRUE(give(head.data(), head.size()));
  ASSERT_TRUE(give(part.data(), part.size()));
  EXPECT_LT(reader_.memory(), 1'000'000u);
}

TEST_F(FrameReaderTest, LengthsThatAFrameCannotHaveAreRefused) {
  const auto refused = [this](const Bytes& head) {
    FrameReader reader(*this, any_report());
    const auto room = reader.room();
    std::memcpy(room.data(), head.data(), head.size());
    const bool result = !reader.received(head.size());
    EXPECT_EQ(reader.reason().find("it sent what no agent sends") == 0, result) << reader.reason();
    return result;
  };
  EXPECT_TRUE(refused(head_of(Kind::report, UINT64_MAX, 0)));
  EXPECT_TRUE(refused(head_of(Kind::report, UINT64_MAX - sizeof(FrameHead) + 1, 0)));
  EXPECT_TRUE(refused(head_of(Kind::report, (1 << 30) + 1, 0)));
  EXPECT_FALSE(refused(head_of(Kind::report, 1 << 30, 0)));
  EXPECT_TRUE(refused(head_of(Kind::message, 99, 0)));
  EXPECT_FALSE(refused(head_of(Kind::message, 100, 0)));
  EXPECT_TRUE(refused(head_of(Kind::ask, 7, 0)));
  EXPECT_TRUE(refused(head_of(Kind::ask, 16, 0)));
  EXPECT_FALSE(refused(head_of(Kind::finished, 16 + 24, 0)));
  EXPECT_TRUE(refused(head_of(Kind::finished, 16 + 23, 0)));
  EXPECT_TRUE(refused(head_of(Kind::suspect, 0, 0))) << "a kind that may not come here";
  EXPECT_TRUE(refused(head_of(static_cast<Kind>(8), 0, 0)));
  EXPECT_TRUE(refused(head_of(static_cast<Kind>(UINT32_MAX), 0, 0)));
}

TEST_F(FrameReaderTest, NothingIsTakenOfWhatComesBehindARefusedFrame) {
  Bytes all = stream({4});
  const Bytes wrong = head_of(Kind::ask, UINT64_MAX, 1), next = stream({5});
  all.insert(all.end(), wrong.begin(), wrong.end());
  all.insert(all.end(), next.begin(), next.end());
  EXPECT_FALSE(give(all.data(), all.size()));
  expect({4});
}

}  // namespace
}  // namespace emu::wire
