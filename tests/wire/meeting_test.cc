// Agents that look for each other over this machine's loopback, among others who listen or call there.
#include "wire/meeting.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <optional>
#include <thread>

#include "wire/frame.h"

namespace emu::wire {
namespace {

constexpr std::uint64_t job = 4711, machine = 1;

// A socket of the test's own.
class Socket {
 public:
  explicit Socket(int fd) : fd_(fd) {}
  Socket(const Socket&) = delete;
  ~Socket() { close(fd_); }
  int fd() const { return fd_; }

 private:
  int fd_;
};

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = port;
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return to;
}

int call(std::uint16_t port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in to = loopback(port);
  EXPECT_EQ(connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to), 0) << std::strerror(errno);
  return fd;
}

class MeetingTest : public testing::Test {
 protected:
  // Ranks 0 to 3 are on node 0, 4 and 5 on node 1.
  MeetingTest() : listeners_{open(), open()}, contacts_{listeners_[0].contact(), listeners_[1].contact()} {
    for (Contact& c : contacts_) c.host = {"host"};
  }
  static Listener open() { return std::move(*Listener::open(machine)); }
  Result<std::vector<Peer>> meet(int node, std::uint64_t number = job) {
    const auto i = static_cast<std::size_t>(node);
    return wire::meet(listeners_[i], NodeMap({0, 0, 0, 0, 1, 1}, node), contacts_, number);
  }
  // Both meet while the test does `meanwhile`.
  template <class F>
  void both_meet(F meanwhile) {
    std::optional<Result<std::vector<Peer>>> zero;
    std::thread thread([&] { zero = meet(0); });
    meanwhile();
    const auto one = meet(1);
    thread.join();
    ASSERT_TRUE(*zero) << zero->error().message;
    ASSERT_TRUE(one) << one.error().message;
    ASSERT_EQ((*zero)->size(), 1u);
    ASSERT_EQ(one->size(), 1u);
    EXPECT_EQ((**zero)[0].name, "node 1 (host, ranks 4, 5)");
    EXPECT_EQ((*one)[0].name, "node 0 (host, ranks 0-3)");
    EXPECT_LT(std::chrono::steady_clock::now() - began_, std::chrono::seconds(9))
        << "nobody waited for a stranger";
  }

  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::array<Listener, 2> listeners_;
  std::vector<Contact> contacts_;
};

TEST_F(MeetingTest, NodesFindEachOther) {
  both_meet([] {});
}

TEST_F(MeetingTest, AStrangerWhoTalksIsTurnedAway) {
  const Socket stranger(call(contacts_[0].port)), scanner(call(contacts_[0].port));
  const char text[] = "GET / HTTP/1.1\r\nHost: somewhere.else\r\nAccept: */*\r\n\r\n";
  ASSERT_GT(send(stranger.fd(), text, sizeof text, MSG_NOSIGNAL), 0);
  shutdown(scanner.fd(), SHUT_RDWR);  // it only looked whether somebody listens
  both_meet([] {});
  char answer = 0;
  EXPECT_LE(recv(stranger.fd(), &answer, 1, 0), 0) << "it is told nothing";
}

TEST_F(MeetingTest, AStrangerWhoSaysNothingIsNotWaitedForForEver) {
  const Socket silent(call(contacts_[0].port));
  both_meet([] {});
}

TEST_F(MeetingTest, ACallerOfAnotherJobIsTurnedAway) {
  const Socket other(call(contacts_[0].port));
  const Greeting greeting{job + 1, 0, 1, 0};
  ASSERT_EQ(send(other.fd(), &greeting, sizeof greeting, MSG_NOSIGNAL),
            static_cast<ssize_t>(sizeof greeting));
  both_meet([] {});
  Greeting answer{};
  EXPECT_LE(recv(other.fd(), &answer, sizeof answer, 0), 0);
}

TEST_F(MeetingTest, ARefusedPortNamesNodeHostAndPort) {
  {
    const Listener gone = open();
    contacts_[0].port = gone.contact().port;
  }
  const auto met = meet(1);
  ASSERT_FALSE(met);
  const std::string& text = met.error().message;
  EXPECT_NE(text.find("cannot reach node 0 (host, ranks 0-3) from node 1 (host, ranks 4, 5)"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("port " + std::to_string(ntohs(contacts_[0].port)) + ": Connection refused"),
            std::string::npos)
      << text;
}

// Who calls an agent of another version is told which one that is, and which its own.
TEST_F(MeetingTest, AnotherVersionIsRefusedAndBothAreNamed) {
  const Socket old(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in at = loopback(0);
  socklen_t size = sizeof at;
  ASSERT_EQ(bind(old.fd(), reinterpret_cast<const sockaddr*>(&at), size), 0);
  ASSERT_EQ(listen(old.fd(), 4), 0);
  getsockname(old.fd(), reinterpret_cast<sockaddr*>(&at), &size);
  contacts_[0].port = at.sin_port;
  std::atomic<bool> over = false;
  Greeting heard{};
  std::thread agent([&] {
    const Socket caller(accept4(old.fd(), nullptr, nullptr, SOCK_CLOEXEC));
    EXPECT_EQ(recv(caller.fd(), &heard, sizeof heard, MSG_WAITALL), static_cast<ssize_t>(sizeof heard));
    const Greeting own{job, 12345, 0, 1};
    EXPECT_GT(send(caller.fd(), &own, sizeof own, MSG_NOSIGNAL), 0);
    while (!over) usleep(1000);
  });
  const auto met = meet(1);
  over = true;
  shutdown(old.fd(), SHUT_RDWR);
  agent.join();
  ASSERT_FALSE(met);
  const std::string& text = met.error().message;
  EXPECT_NE(text.find("another version of libemu"), std::string::npos) << text;
  EXPECT_NE(text.find("12345"), std::string::npos) << text;
  EXPECT_NE(text.find(std::to_string(heard.build)), std::string::npos) << text;
}

TEST_F(MeetingTest, AnAgentThatSaysSomethingElseIsNotTaken) {
  const Listener silent = open();
  contacts_[0].port = silent.contact().port;
  std::atomic<bool> over = false;
  std::thread agent([&] {
    while (!over) {
      const int fd = accept4(silent.fd(), nullptr, nullptr, SOCK_CLOEXEC);
      if (fd < 0) {
        usleep(1000);
        continue;
      }
      [[maybe_unused]] const ssize_t sent = send(fd, "no", 2, MSG_NOSIGNAL);
      close(fd);
    }
  });
  const auto met = meet(1);
  over = true;
  agent.join();
  ASSERT_FALSE(met);
  EXPECT_NE(met.error().message.find("no agent answers"), std::string::npos) << met.error().message;
}

// However long it is.
TEST_F(MeetingTest, WhatOneNodeTellsAnother) {
  std::optional<Result<std::vector<Peer>>> zero;
  std::thread thread([&] { zero = meet(0); });
  const auto one = meet(1);
  thread.join();
  ASSERT_TRUE(*zero && one);
  const Peer& there = (**zero)[0];
  const Peer& here = (*one)[0];
  for (const std::string& text : {std::string("a text"), std::string(), std::string(5'000'000, 'x')}) {
    std::thread teller([&] { EXPECT_TRUE(tell(there, text)); });
    const auto heard = hear(here);
    teller.join();
    ASSERT_TRUE(heard) << heard.error().message;
    EXPECT_EQ(*heard, text);
  }
  shutdown(there.connection.fd(), SHUT_RDWR);
  const auto heard = hear(here);
  ASSERT_FALSE(heard);
  EXPECT_NE(heard.error().message.find("lost node 0 (host, ranks 0-3)"), std::string::npos)
      << heard.error().message;
  EXPECT_FALSE(tell(there, "text"));
}

}  // namespace
}  // namespace emu::wire
