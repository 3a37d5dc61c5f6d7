// A stream of frames, cut wherever the system may cut it.
#include "wire/connection.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

namespace emu::wire {
namespace {

using Bytes = std::vector<std::byte>;

struct Frame {
  FrameHead head;
  Bytes bytes;
};

FrameHead head(std::uint64_t bytes, std::uint64_t received) {
  return {.kind = FrameHead::Kind::report, .bytes = bytes, .received = received};
}

Bytes pattern(std::size_t size) {
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i * 7 + size);
  return bytes;
}

Bytes stream(const std::vector<std::size_t>& sizes) {
  Bytes all;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const FrameHead h = head(sizes[i], i);
    const auto* first = reinterpret_cast<const std::byte*>(&h);
    all.insert(all.end(), first, first + sizeof h);
    const Bytes text = pattern(sizes[i]);
    all.insert(all.end(), text.begin(), text.end());
  }
  return all;
}

class ConnectionTest : public testing::Test {
 protected:
  ConnectionTest() : ends_(pair()), connection_(ends_.first), other_(ends_.second) {}
  ~ConnectionTest() override {
    if (other_ >= 0) close(other_);
  }
  static std::pair<int, int> pair() {
    int ends[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    return {ends[0], ends[1]};
  }
  void write(const std::byte* from, std::size_t size) {
    while (size > 0) {
      const ssize_t n = send(other_, from, size, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (n > 0) {
        from += n;
        size -= static_cast<std::size_t>(n);
      } else {
        ASSERT_TRUE(read());
      }
    }
  }
  bool read() {
    return connection_.read([this](const FrameHead& h, const std::byte* bytes) {
      got_.push_back({h, Bytes(bytes, bytes + h.bytes)});
    });
  }
  void expect(const std::vector<std::size_t>& sizes) {
    ASSERT_EQ(got_.size(), sizes.size());
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      EXPECT_EQ(got_[i].head.kind, FrameHead::Kind::report);
      EXPECT_EQ(got_[i].head.received, i);
      EXPECT_EQ(got_[i].bytes, pattern(sizes[i]));
    }
    got_.clear();
  }
  void hang_up() {
    close(other_);
    other_ = -1;
  }

  std::pair<int, int> ends_;
  Connection connection_;
  int other_;
  std::vector<Frame> got_;
};

TEST_F(ConnectionTest, FramesCutAnywhereAreWholeAgain) {
  const std::vector<std::size_t> sizes = {0, 5, 40, 1};
  const Bytes all = stream(sizes);
  for (std::size_t cut = 1; cut < all.size(); ++cut) {
    write(all.data(), cut);
    ASSERT_TRUE(read());
    ASSERT_LT(got_.size(), sizes.size());
    write(all.data() + cut, all.size() - cut);
    ASSERT_TRUE(read());
    expect(sizes);
  }
  for (const std::byte& byte : all) {
    write(&byte, 1);
    ASSERT_TRUE(read());
  }
  expect(sizes);
}

// Larger than what is read at a time, with the cut in its head and behind it.
TEST_F(ConnectionTest, AFrameLargerThanTheBuffer) {
  const std::vector<std::size_t> sizes = {(64 << 10) - 20, 300'000, 3, 100'000};
  const Bytes all = stream(sizes);
  write(all.data(), all.size());
  ASSERT_TRUE(read());
  expect(sizes);
}

TEST_F(ConnectionTest, WhatIsPutInComesOutWhenTheOtherEndIsSlow) {
  const std::vector<std::size_t> sizes = {10, 2'000'000, 0, 7};
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    connection_.begin(head(sizes[i], i));
    connection_.put(pattern(sizes[i]));
  }
  ASSERT_TRUE(connection_.flush());
  EXPECT_TRUE(connection_.pending()) << "the system does not take that much at once";
  const Bytes expected = stream(sizes);
  Bytes got;
  connection_.finish_writing();
  for (std::byte part[4096];;) {
    ASSERT_TRUE(connection_.flush());
    const ssize_t n = recv(other_, part, sizeof part, 0);
    ASSERT_GE(n, 0);
    if (n == 0) break;  // the end of the stream comes after all that was pending
    got.insert(got.end(), part, part + n);
  }
  EXPECT_FALSE(connection_.pending());
  EXPECT_EQ(got, expected);
}

TEST_F(ConnectionTest, AnEndInTheMiddleOfAFrameIsAnEnd) {
  const Bytes all = stream({20, 20});
  write(all.data(), all.size() - 1);
  hang_up();
  EXPECT_FALSE(read());
  EXPECT_EQ(got_.size(), 1u) << "the first is whole";
  EXPECT_EQ(connection_.reason(), "it closed the connection");
}

TEST_F(ConnectionTest, WritingToOneThatIsGoneSaysSo) {
  hang_up();
  connection_.begin(head(0, 0));
  EXPECT_FALSE(connection_.flush());
  EXPECT_EQ(connection_.reason(), std::strerror(EPIPE));
}

}  // namespace
}  // namespace emu::wire
