// One end of a connection between agents. The test is the other end.
#include "wire/agent/connection.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <utility>
#include <vector>

namespace emu::wire {
namespace {

using Bytes = std::vector<std::byte>;

Bytes pattern(std::size_t size) {
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i * 7 + size);
  return bytes;
}

FrameHead head(std::uint64_t bytes, std::uint64_t received) {
  return {.kind = FrameHead::Kind::report, .bytes = bytes, .received = received};
}

void append(Bytes& all, std::span<const std::byte> more) { all.insert(all.end(), more.begin(), more.end()); }

FrameLimits limits() {
  FrameLimits limits;
  limits[static_cast<std::size_t>(FrameHead::Kind::report)] = {0, 1 << 30};
  return limits;
}

class ConnectionTest : public testing::Test, public FrameSink {
 protected:
  ConnectionTest() : ConnectionTest(pair()) {}
  static std::pair<int, int> pair() {
    int ends[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    return {ends[0], ends[1]};
  }
  std::byte* place(const FrameHead&) override { return nullptr; }
  void take(const FrameHead& h, std::byte* body) override {
    heads_.push_back(h);
    bodies_.emplace_back(body, body + h.bytes);
  }
  void hang_up() { other_ = Descriptor(); }
  void write(std::span<const std::byte> bytes) {
    ASSERT_EQ(send(other_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL), std::ssize(bytes));
  }

 private:
  explicit ConnectionTest(std::pair<int, int> ends)
      : other_(ends.second), connection_(loop_, Descriptor(ends.first), *this, limits()) {}

 protected:
  EventLoop loop_{1};
  Descriptor other_;
  Connection connection_;
  std::vector<FrameHead> heads_;
  std::vector<Bytes> bodies_;
};

TEST_F(ConnectionTest, FramesComeWhileTheLoopRuns) {
  bool gone = false;
  connection_.start([&] { gone = true; });
  for (std::uint64_t i = 0; i < 3; ++i) {
    Bytes frame;
    append(frame, bytes_of(head(100 * i, i)));
    append(frame, pattern(100 * i));
    write(std::span(frame).first(10));
    loop_.poll();
    EXPECT_EQ(heads_.size(), i);
    write(std::span(frame).subspan(10));
    loop_.poll();
    ASSERT_EQ(heads_.size(), i + 1);
    EXPECT_EQ(heads_.back().received, i);
    EXPECT_EQ(bodies_.back(), pattern(100 * i));
  }
  EXPECT_FALSE(gone);
}

// Short pieces are copied. Long ones are sent from their memory, and released after that.
TEST_F(ConnectionTest, WhatIsPutInComesOutWhenTheOtherEndIsSlow) {
  const Bytes longer = pattern(2'000'000);
  const std::vector<std::size_t> sizes = {10, 2'000'000, 0, 7, 2'000'000, 3'000'000};
  Bytes expected;
  int given_back = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    append(expected, bytes_of(head(sizes[i], i)));
    append(expected, pattern(sizes[i]));
    connection_.begin(head(sizes[i], i));
    if (sizes[i] == longer.size())
      connection_.put(longer, [&] { ++given_back; });
    else
      connection_.put(pattern(sizes[i]));
  }
  ASSERT_TRUE(connection_.flush());
  EXPECT_TRUE(connection_.pending()) << "the system does not take that much at once";
  EXPECT_EQ(given_back, 0);
  Bytes got;
  connection_.finish_writing();
  for (std::byte part[4096];;) {
    ASSERT_TRUE(connection_.flush());
    const ssize_t n = recv(other_.get(), part, sizeof part, 0);
    ASSERT_GE(n, 0);
    if (n == 0) break;  // the end of the stream comes after all that was pending
    append(got, std::span(part).first(static_cast<std::size_t>(n)));
  }
  EXPECT_FALSE(connection_.pending());
  EXPECT_EQ(given_back, 2);
  EXPECT_EQ(got, expected);
}

TEST_F(ConnectionTest, TheLoopWakesWhenTheSystemTakesMore) {
  connection_.begin(head(3'000'000, 0));
  connection_.put(pattern(3'000'000));
  ASSERT_TRUE(connection_.flush());
  loop_.poll();
  ASSERT_TRUE(connection_.pending());
  EXPECT_EQ(loop_.poll(), 0u) << "nobody has read";
  for (std::byte part[1 << 16]; recv(other_.get(), part, sizeof part, MSG_DONTWAIT) > 0;) {
  }
  EXPECT_EQ(loop_.run_one(), 1u);
}

TEST_F(ConnectionTest, AnEndInTheMiddleOfAFrameIsAnEnd) {
  int gone = 0;
  connection_.start([&] { ++gone; });
  Bytes all;
  for (int i = 0; i < 2; ++i) {
    append(all, bytes_of(head(20, 0)));
    append(all, pattern(20));
  }
  write(std::span(all).first(all.size() - 1));
  hang_up();
  loop_.poll();
  EXPECT_EQ(gone, 1);
  EXPECT_EQ(heads_.size(), 1u) << "the first is whole";
  EXPECT_EQ(connection_.reason(), "it closed the connection");
}

TEST_F(ConnectionTest, WhatIsNoFrameIsAnEnd) {
  int gone = 0;
  connection_.start([&] { ++gone; });
  write(bytes_of(head(UINT64_MAX, 0)));
  write(pattern(100));
  loop_.poll();
  EXPECT_EQ(gone, 1);
  EXPECT_TRUE(heads_.empty());
  EXPECT_EQ(connection_.reason(),
            "it sent what no agent sends: a frame of kind 3 with 18446744073709551615 bytes");
}

TEST_F(ConnectionTest, WritingToOneThatIsGoneSaysSo) {
  hang_up();
  connection_.begin(head(0, 0));
  EXPECT_FALSE(connection_.flush());
  EXPECT_EQ(connection_.reason(), std::strerror(EPIPE));
}

}  // namespace
}  // namespace emu::wire
