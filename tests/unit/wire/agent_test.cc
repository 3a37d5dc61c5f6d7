// Two agents, each with its own region and rank; and an agent whose peer is the test.
#include "wire/agent/agent.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <fstream>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "wire/agent/frame_body.h"
#include "wire/shared_wire.h"

namespace emu::wire {
namespace {

using match::Message;
using Kind = FrameHead::Kind;

struct Failed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::pair<Descriptor, Descriptor> connected() {
  int ends[2];
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

model::Network network(int ranks) {
  model::Parameters parameters;
  parameters.latency = Interval::picoseconds(1000);
  return {parameters, ranks};
}

// The node of rank `node`, out of two nodes.
struct Node {
  explicit Node(int node)
      : map({0, 1}, node), region(std::move(*Region::create(Table::bytes(map) + (std::size_t{1} << 30)))) {
    Table::create(region.base(), map);
    EXPECT_EQ(pipe2(wakes, O_CLOEXEC | O_NONBLOCK), 0);
  }
  ~Node() {
    for (const int fd : wakes) close(fd);
  }
  void connect(Descriptor socket) {
    std::vector<Peer> peers;
    peers.push_back({1 - map.node(), "node " + std::to_string(1 - map.node()), std::move(socket)});
    agent.emplace(region, map, target, std::move(peers), wakes[0],
                  [](const std::string& why) { throw Failed(why); });
  }

  const NodeMap map;
  const Region region;
  int wakes[2] = {-1, -1};
  const model::Network target = network(2);
  std::optional<Agent> agent;
};

// --- messages

std::byte filling(std::size_t i) { return static_cast<std::byte>(i * 31 + i / 1000); }

Message* message(SharedWire& wire, int from, std::size_t bytes, std::int64_t at) {
  Message* m = wire.allocate(static_cast<model::Bytes>(bytes));
  m->envelope = {0, from, 0, static_cast<model::Bytes>(bytes)};
  m->arrival = {Instant::from_picoseconds(at), from, static_cast<std::uint64_t>(at)};
  for (std::size_t i = 0; i < bytes; ++i) m->payload()[i] = filling(i);
  return m;
}

// Each rank sends messages of these lengths to the other. It finishes after it has received as many and called `then`.
void exchange(Node& node, const std::vector<std::size_t>& lengths, const std::function<void()>& then) {
  const int rank = node.map.node();
  SharedWire wire(node.region.borrowed(), node.map, rank, network(2),
                  [](const std::string& why) { throw Failed(why); });
  wire.wakes_agent_by(node.wakes[1]);
  for (std::size_t i = 0; i < lengths.size(); ++i)
    wire.deliver(1 - rank, message(wire, rank, lengths[i], static_cast<std::int64_t>(i + 1) * 1000));
  std::size_t got = 0;
  while (got < lengths.size()) {
    const std::uint64_t announced = wire.announced();
    for (Message *m = wire.drain(), *next = nullptr; m; m = next, ++got) {
      next = m->next;
      ASSERT_EQ(m->carried(), static_cast<model::Bytes>(lengths[got]));
      EXPECT_EQ(m->arrival.source, 1 - rank);
      std::size_t right = 0;
      while (right < lengths[got] && m->payload()[right] == filling(right)) ++right;
      EXPECT_EQ(right, lengths[got]);
      wire.release(m);
    }
    if (got < lengths.size() &&
        wire.blocked({Instant(), Instant::never(), Interval(), {"MPI_Recv", 1 - rank, 0, 1}}, announced))
      wire.sleep(announced, match::Bounds::WakeUp::announcement);
  }
  then();
  wire.finish({});
}

void exchange(
    const std::vector<std::size_t>& lengths, const std::function<void()>& then = [] {}) {
  Node zero(0), one(1);
  auto [here, there] = connected();
  zero.connect(std::move(here));
  one.connect(std::move(there));
  std::vector<std::thread> threads;
  for (Node* node : {&zero, &one}) {
    threads.emplace_back([node] { node->agent->run(); });
    threads.emplace_back([node, &lengths, &then] { exchange(*node, lengths, then); });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(AgentTest, MessagesOfAllLengthsArriveInTheirOrder) {
  std::vector<std::size_t> lengths;
  for (std::size_t length = 0; length < 200'000; length = length * 3 / 2 + 1)
    lengths.insert(lengths.end(), {length, 1});
  exchange(lengths);
}

// Bytes of this process that are not in a region.
long own_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == "RssAnon:") {
      long kilobytes = 0;
      status >> kilobytes;
      return kilobytes * 1024;
    }
  return -1;
}

TEST(AgentTest, LongMessagesAreNotHeldInMemoryOfTheAgents) {
  constexpr std::size_t longest = 40'000'000;
  const long before = own_memory();
  std::atomic<long> most = 0;
  exchange({longest, longest, 1000}, [&] { most = std::max<long>(most, own_memory()); });
  ASSERT_GT(before, 0);
  EXPECT_LT(most - before, static_cast<long>(longest / 2));
}

// --- a peer that violates the protocol

std::vector<std::byte> frame(Kind kind, std::span<const std::byte> body, std::uint64_t bytes) {
  const FrameHead head{.kind = kind, .bytes = bytes, .received = 0};
  std::vector<std::byte> all;
  for (const auto part : {bytes_of(head), body}) all.insert(all.end(), part.begin(), part.end());
  return all;
}
std::vector<std::byte> frame(Kind kind, std::span<const std::byte> body) {
  return frame(kind, body, body.size());
}

// The message with which the agent of node 0 ends the job, after node 1 has sent `bytes` and closed the connection.
std::string said(const std::vector<std::byte>& bytes) {
  Node zero(0);
  auto [here, there] = connected();
  EXPECT_EQ(send(there.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL), std::ssize(bytes));
  shutdown(there.get(), SHUT_WR);
  try {
    zero.connect(std::move(here));
    zero.agent->run();
  } catch (const Failed& failed) {
    return failed.what();
  }
  return "";
}

Message sound_message() {
  Message m;
  m.envelope = {0, 1, 0, 0};
  m.arrival = {Instant::from_picoseconds(1), 1, 0};
  m.to = 0;
  return m;
}

TEST(AgentTest, LengthsThatNoFrameHas) {
  for (const std::uint64_t bytes : {UINT64_MAX, UINT64_MAX - sizeof(FrameHead) + 1, std::uint64_t{1} << 40}) {
    EXPECT_EQ(
        said(frame(Kind::message, {}, bytes)),
        "lost node 1 before its ranks had finished: it sent what no agent sends: a frame of kind 0 with " +
            std::to_string(bytes) + " bytes");
    EXPECT_NE(said(frame(Kind::last_words, {}, bytes)), "");
  }
  const std::int64_t ask = 5;
  EXPECT_NE(said(frame(Kind::ask, bytes_of(ask).first(7))).find("kind 2 with 7 bytes"), std::string::npos);
  EXPECT_NE(said(frame(static_cast<Kind>(77), {})).find("kind 77 with 0 bytes"), std::string::npos);
}

TEST(AgentTest, MessagesThatNoRankSends) {
  const auto said_of = [](auto change) {
    Message m = sound_message();
    change(m);
    return said(frame(Kind::message, bytes_of(m)));
  };
  constexpr const char* wrong = "lost node 1: it sent what no agent sends: ";
  EXPECT_EQ(said_of([](Message& m) { m.to = 2; }),
            std::string(wrong) + "a message to a rank of another node");
  EXPECT_EQ(said_of([](Message& m) { m.to = 1; }),
            std::string(wrong) + "a message to a rank of another node");
  EXPECT_EQ(said_of([](Message& m) { m.to = -1; }),
            std::string(wrong) + "a message to a rank of another node");
  EXPECT_EQ(said_of([](Message& m) { m.arrival.source = 0; }),
            std::string(wrong) + "a message from a rank of another node");
  EXPECT_EQ(said_of([](Message& m) { m.envelope.source = 2; }),
            std::string(wrong) + "a message from no rank");
  EXPECT_EQ(said_of([](Message& m) { m.envelope.bytes = 1; }),
            std::string(wrong) + "a message of another length than its frame");
  EXPECT_EQ(said_of([](Message& m) { m.envelope.bytes = -1; }),
            std::string(wrong) + "a message of another length than its frame");
  EXPECT_EQ(said_of([](Message& m) { m.kind = static_cast<Message::Kind>(99); }),
            std::string(wrong) + "a message of no kind");
}

TEST(AgentTest, ReportsOfWhatIsNotThere) {
  const auto said_of = [](const ReportHead& head, std::span<const std::byte> rest) {
    std::vector<std::byte> body;
    for (const auto part : {bytes_of(head), rest}) body.insert(body.end(), part.begin(), part.end());
    return said(frame(Kind::report, body));
  };
  const ReportReceived received{0, 1}, of_nobody{2, 1};
  const ReportSent sent{0, 1, 0};
  EXPECT_NE(said_of({0, 1, 0}, {}).find("a report that ends early"), std::string::npos);
  EXPECT_NE(said_of({0, UINT32_MAX, UINT32_MAX}, bytes_of(received)).find("a report that ends early"),
            std::string::npos);
  EXPECT_NE(said_of({0, 0, 0}, bytes_of(received)).find("bytes after its end"), std::string::npos);
  EXPECT_NE(said_of({0, 1, 0}, bytes_of(of_nobody)).find("from no other node"), std::string::npos);
  EXPECT_NE(said_of({0, 0, 1}, bytes_of(sent)).find("a report that ends early"), std::string::npos);
}

TEST(AgentTest, TheEndOfRanksThatAreNotThatNodes) {
  Finished of_ours{};
  EXPECT_NE(said(frame(Kind::finished, bytes_of(of_ours))).find("the end of a rank of another node"),
            std::string::npos);
  Finished of_its{.rank = 1, .summary = {}};
  std::vector<std::byte> twice = frame(Kind::finished, bytes_of(of_its));
  const std::vector<std::byte> once = twice;
  twice.insert(twice.end(), once.begin(), once.end());
  EXPECT_NE(said(twice).find("a second end of its ranks"), std::string::npos);
}

TEST(AgentTest, WaitsOfRanksThatCannotBe) {
  const auto said_of = [](auto change) {
    Waiter w{.rank = 1, .wait = {"MPI_Recv", 0, 1, 1}};
    change(w);
    return said(frame(Kind::waits, bytes_of(w)));
  };
  EXPECT_NE(said_of([](Waiter& w) { w.rank = 0; }).find("a rank of another node waits"), std::string::npos);
  EXPECT_NE(said_of([](Waiter& w) { w.other_threads = -1; }).find("threads below 0"), std::string::npos);
  EXPECT_NE(said_of([](Waiter& w) { w.finish = INT64_MIN; }).find("an instant below 0"), std::string::npos);
  EXPECT_NE(said_of([](Waiter& w) { w.unsent.at = -1; }).find("an instant below 0"), std::string::npos);
  EXPECT_NE(
      said_of([](Waiter& w) { std::memset(w.wait.call, 'x', sizeof w.wait.call); }).find("that does not end"),
      std::string::npos);
}

TEST(AgentTest, APeerThatHangsUpIsNamed) {
  EXPECT_EQ(said({}), "lost node 1 before its ranks had finished: it closed the connection");
}

}  // namespace
}  // namespace emu::wire
