// Agents that connect over the loopback of this machine, while other processes listen or connect there.
#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <list>
#include <optional>
#include <string>
#include <thread>

#include "wire/agent/bootstrap.h"

namespace emu::wire {
namespace {

constexpr std::uint64_t here = 1, elsewhere = 2;

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return to;
}

Descriptor call(std::uint16_t port) {
  Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_in to = loopback(port);
  EXPECT_EQ(connect(socket.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to), 0)
      << std::strerror(errno);
  return socket;
}

void say(const Descriptor& socket, std::span<const std::byte> bytes) {
  ASSERT_EQ(send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL), std::ssize(bytes));
}
template <class T>
void say(const Descriptor& socket, const T& value) {
  say(socket, std::as_bytes(std::span(&value, 1)));
}

template <class T>
bool hear(const Descriptor& socket, T& value) {
  return recv(socket.get(), &value, sizeof value, MSG_WAITALL) == static_cast<ssize_t>(sizeof value);
}

// A process that listens, but is no agent.
class Impostor {
 public:
  Impostor() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in at = loopback(0);
    socklen_t size = sizeof at;
    EXPECT_EQ(bind(socket_.get(), reinterpret_cast<const sockaddr*>(&at), size), 0);
    EXPECT_EQ(listen(socket_.get(), 4), 0);
    getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&at), &size);
    port_ = ntohs(at.sin_port);
  }
  Endpoint endpoint() const { return {boost::asio::ip::address_v4::loopback(), port_}; }
  Descriptor accept() { return Descriptor(accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC)); }
  void stop() { shutdown(socket_.get(), SHUT_RDWR); }

 private:
  Descriptor socket_;
  std::uint16_t port_ = 0;
};

class AgentBootstrapTest : public testing::Test {
 protected:
  // Ranks 0 to 3 are on node 0, 4 and 5 on node 1.
  AgentBootstrapTest() {
    for (int node = 0; node < 2; ++node) {
      agents_.push_back(listen(node));
      contacts_.push_back({machines_[static_cast<std::size_t>(node)], agents_.back().endpoints()});
    }
  }
  static NodeMap map(int node) { return NodeMap({0, 0, 0, 0, 1, 1}, node); }
  AgentBootstrap listen(int node) {
    auto listens = AgentBootstrap::listen(map(node), machines_);
    EXPECT_TRUE(listens) << listens.error().message;
    return std::move(*listens);
  }
  Result<std::vector<Peer>> connect(int node) { return connect(node, secret_); }
  Result<std::vector<Peer>> connect(int node, const Secret& secret) {
    return agents_[static_cast<std::size_t>(node)].connect(map(node), contacts_, secret);
  }
  std::uint16_t port() const { return contacts_[0].endpoints[0].port(); }

  // Connects both agents.
  void both() {
    std::thread thread([&] { zero_ = connect(0); });
    one_ = connect(1);
    thread.join();
    agents_.clear();  // with connections that were not admitted
    ASSERT_TRUE(*zero_) << (*zero_).error().message;
    ASSERT_TRUE(*one_) << (*one_).error().message;
    ASSERT_EQ((*zero_)->size(), 1u);
    ASSERT_EQ((*one_)->size(), 1u);
    EXPECT_EQ((**zero_)[0].name, "node 1 (host, ranks 4, 5)");
    EXPECT_EQ((**zero_)[0].node, 1);
    EXPECT_EQ((**one_)[0].name, "node 0 (host, ranks 0-3)");
    EXPECT_EQ((**one_)[0].node, 0);
  }
  // Also sends a message from one agent to the other.
  void both_and_talk() {
    ASSERT_NO_FATAL_FAILURE(both());
    ASSERT_TRUE(send_text((**zero_)[0], "a text"));
    const auto heard = receive_text((**one_)[0]);
    ASSERT_TRUE(heard) << heard.error().message;
    EXPECT_EQ(*heard, "a text");
  }
  // Runs node 1 alone.
  std::string failure_of_one() {
    const auto connected = connect(1);
    return connected ? "" : connected.error().message;
  }

  std::vector<Machine> machines_ = {{here, "host", {}}, {here, "host", {}}};
  const Secret secret_ = *Secret::draw();
  std::vector<AgentBootstrap> agents_;
  std::vector<Contact> contacts_;
  std::optional<Result<std::vector<Peer>>> zero_, one_;
};

TEST_F(AgentBootstrapTest, AgentsConnect) { both_and_talk(); }

TEST_F(AgentBootstrapTest, NodesOfOneMachineListenOnItsLoopbackAndTheLastOneNot) {
  ASSERT_EQ(contacts_[0].endpoints.size(), 1u);
  EXPECT_TRUE(contacts_[0].endpoints[0].address().is_loopback());
  EXPECT_TRUE(contacts_[1].endpoints.empty());
}

TEST_F(AgentBootstrapTest, ChildrenOfTheProgramDoNotInheritConnections) {
  ASSERT_NO_FATAL_FAILURE(both());
  for (const auto* peers : {&**zero_, &**one_})
    EXPECT_NE(fcntl((*peers)[0].socket.get(), F_GETFD) & FD_CLOEXEC, 0);
}

// Strangers connect before the agents.

TEST_F(AgentBootstrapTest, ManyStrangersWhoSayNothingAreNotWaitedFor) {
  std::vector<Descriptor> silent;
  for (int i = 0; i < 100; ++i) silent.push_back(call(port()));
  both_and_talk();
}

// More strangers than allowed at once: the first ones are disconnected.
TEST_F(AgentBootstrapTest, MoreStrangersThanThereMayBe) {
  std::vector<Descriptor> silent;
  for (int i = 0; i < 300; ++i) silent.push_back(call(port()));
  std::thread thread([&] { zero_ = connect(0); });
  char answer = 0;
  for (int i = 0; i < 150; ++i) EXPECT_LE(recv(silent[static_cast<std::size_t>(i)].get(), &answer, 1, 0), 0);
  errno = 0;
  EXPECT_LT(recv(silent.back().get(), &answer, 1, MSG_DONTWAIT), 0);
  EXPECT_EQ(errno, EAGAIN) << "the last ones are not";
  one_ = connect(1);
  thread.join();
  EXPECT_TRUE(*zero_);
  EXPECT_TRUE(*one_);
}

TEST_F(AgentBootstrapTest, StrangersWhoTalkAreToldNothing) {
  std::list<Descriptor> strangers;
  const auto stranger = [&](std::span<const std::byte> text) {
    strangers.push_back(call(port()));
    say(strangers.back(), text);
  };
  const std::string request = "GET / HTTP/1.1\r\nHost: somewhere.else\r\nAccept: */*\r\n\r\n";
  const std::vector<std::byte> ones(100'000, std::byte{0xff});
  for (int i = 0; i < 10; ++i) {
    stranger(std::as_bytes(std::span(request)));
    stranger(ones);  // a length of 2^64-1 wherever one is read
    stranger(std::span(ones).first(50));
  }
  const Descriptor scanner = call(port());
  shutdown(scanner.get(), SHUT_RDWR);  // it only tests whether the port is open
  both_and_talk();
  for (const Descriptor& s : strangers) {
    char answer = 0;
    EXPECT_LE(recv(s.get(), &answer, 1, 0), 0);
  }
}

TEST_F(AgentBootstrapTest, CallersWithoutTheSecretAreTurnedAway) {
  const Secret other = *Secret::draw();
  const Descriptor caller = call(port());
  say(caller, make_greeting(other, 0, 1, 0));
  both_and_talk();
  Greeting answer;
  EXPECT_FALSE(hear(caller, answer));
}

// A sender that repeats a recorded greeting gets as far as the challenge.
TEST_F(AgentBootstrapTest, ARecordedGreetingDoesNotAdmit) {
  const Descriptor caller = call(port());
  say(caller, make_greeting(secret_, 0, 1, 0));
  say(caller, Mac{});
  both_and_talk();
  Greeting challenge;
  EXPECT_TRUE(hear(caller, challenge));
  EXPECT_NE(challenge.build, 0u);
  char more = 0;
  EXPECT_LE(recv(caller.get(), &more, 1, 0), 0);
}

TEST_F(AgentBootstrapTest, OneWhoKnowsTheSecretAndNamesNoOtherNodeIsTurnedAway) {
  std::list<Descriptor> callers;
  for (const int node : {-1, 0, 2, 1000000}) {
    callers.push_back(call(port()));
    say(callers.back(), make_greeting(secret_, 0, node, 0));
  }
  callers.push_back(call(port()));
  say(callers.back(), make_greeting(secret_, 0, 1, 7));  // the greeting names another node
  both_and_talk();
}

TEST_F(AgentBootstrapTest, ARefusedPortNamesNodeHostAndPort) {
  Endpoint gone;
  {
    Impostor closed;
    gone = closed.endpoint();
  }
  contacts_[0].endpoints = {gone};
  const std::string text = failure_of_one();
  EXPECT_NE(text.find("cannot reach node 0 (host, ranks 0-3) from node 1 (host, ranks 4, 5)"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("127.0.0.1 port " + std::to_string(gone.port()) + ": Connection refused"),
            std::string::npos)
      << text;
}

TEST_F(AgentBootstrapTest, TheNextAddressIsTriedWhereOneIsRefused) {
  Endpoint gone;
  {
    Impostor closed;
    gone = closed.endpoint();
  }
  contacts_[0].endpoints.insert(contacts_[0].endpoints.begin(), gone);
  both_and_talk();
}

// An agent of another version names its version; the caller names both in its error.
TEST_F(AgentBootstrapTest, AnotherVersionIsRefusedAndBothAreNamed) {
  Impostor old;
  contacts_[0].endpoints = {old.endpoint()};
  Greeting heard;
  std::thread agent([&] {
    const Descriptor caller = old.accept();
    EXPECT_TRUE(hear(caller, heard));
    say(caller, make_challenge(secret_, 12345, heard));
    char more = 0;
    EXPECT_LE(recv(caller.get(), &more, 1, 0), 0) << "it gets no proof";
  });
  const std::string text = failure_of_one();
  agent.join();
  EXPECT_NE(text.find("another version of libemu"), std::string::npos) << text;
  EXPECT_NE(text.find("12345"), std::string::npos) << text;
  EXPECT_NE(text.find(std::to_string(heard.build)), std::string::npos) << text;
}

// A caller of another version learns the version from the challenge.
TEST_F(AgentBootstrapTest, ACallerOfAnotherVersionLearnsWhichOneAnswers) {
  const Descriptor caller = call(port());
  const Greeting greeting = make_greeting(secret_, 12345, 1, 0);
  say(caller, greeting);
  both_and_talk();
  Greeting challenge;
  ASSERT_TRUE(hear(caller, challenge));
  EXPECT_TRUE(authentic_challenge(secret_, greeting, challenge));
  EXPECT_NE(challenge.build, 12345u);
}

TEST_F(AgentBootstrapTest, AnAgentWithoutTheSecretIsNotTaken) {
  Impostor impostor;
  contacts_[0].endpoints = {impostor.endpoint()};
  const Secret other = *Secret::draw();
  std::thread agent([&] {
    const Descriptor caller = impostor.accept();
    Greeting heard;
    EXPECT_TRUE(hear(caller, heard));
    say(caller, make_challenge(other, heard.build, heard));
    char more = 0;
    EXPECT_LE(recv(caller.get(), &more, 1, 0), 0) << "it gets no proof";
  });
  const std::string text = failure_of_one();
  agent.join();
  EXPECT_NE(text.find("no agent of this job answers"), std::string::npos) << text;
}

TEST_F(AgentBootstrapTest, OneThatHangsUpIsNotTaken) {
  Impostor impostor;
  contacts_[0].endpoints = {impostor.endpoint()};
  std::thread agent([&] {
    const Descriptor caller = impostor.accept();
    say(caller, std::as_bytes(std::span("no", 2)));
  });
  const std::string text = failure_of_one();
  agent.join();
  EXPECT_NE(text.find("no agent answers"), std::string::npos) << text;
}

TEST_F(AgentBootstrapTest, ANodeThatDoesNotCallIsNamed) {
  const Descriptor stranger = call(port());
  const auto connected = agents_[0].connect(map(0), contacts_, secret_, std::chrono::seconds(1));
  ASSERT_FALSE(connected);
  EXPECT_NE(connected.error().message.find(
                "node 1 (host, ranks 4, 5) did not call node 0 (host, ranks 0-3) within 1 s"),
            std::string::npos)
      << connected.error().message;
}

// The text may have any length.
TEST_F(AgentBootstrapTest, TextsBeforeTheAgentsRun) {
  ASSERT_NO_FATAL_FAILURE(both());
  const Peer& there = (**zero_)[0];
  const Peer& listening = (**one_)[0];
  for (const std::string& text : {std::string("a text"), std::string(), std::string(5'000'000, 'x')}) {
    std::thread sender([&] { EXPECT_TRUE(send_text(there, text)); });
    const auto heard = receive_text(listening);
    sender.join();
    ASSERT_TRUE(heard) << heard.error().message;
    EXPECT_EQ(*heard, text);
  }
  say(there.socket, UINT64_MAX);
  auto heard = receive_text(listening);
  ASSERT_FALSE(heard);
  EXPECT_NE(heard.error().message.find("18446744073709551615 bytes"), std::string::npos)
      << heard.error().message;
  shutdown(there.socket.get(), SHUT_RDWR);
  heard = receive_text(listening);
  ASSERT_FALSE(heard);
  EXPECT_EQ(heard.error().message,
            "lost node 0 (host, ranks 0-3) before the job had started: it closed the connection");
  EXPECT_FALSE(send_text(there, "text"));
}

// Machines without a usable address.
TEST(AgentListensTest, AMachineWithoutAnAddressIsNamed) {
  const NodeMap map({0, 1}, 0);
  const auto listens = AgentBootstrap::listen(map, {{here, "a", {}}, {elsewhere, "b", {}}});
  ASSERT_FALSE(listens);
  EXPECT_EQ(
      listens.error().message,
      "cannot listen for other nodes: no address of a (none) leads to another machine of the job (none)");
}

}  // namespace
}  // namespace emu::wire
