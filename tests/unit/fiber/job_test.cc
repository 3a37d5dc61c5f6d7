#include "fiber/job.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <random>

#include "rank/rank.h"

// Number of blocks with an alignment of their own, such as those of flows.
static std::int64_t aligned_blocks = 0;

void* operator new(std::size_t bytes, std::align_val_t alignment) {
  const auto multiple = static_cast<std::size_t>(alignment);
  void* const block = std::aligned_alloc(multiple, (bytes + multiple - 1) / multiple * multiple);
  if (!block) throw std::bad_alloc();
  ++aligned_blocks;
  return block;
}

void operator delete(void* block, std::align_val_t) noexcept {
  if (block) --aligned_blocks;
  std::free(block);
}

namespace emu::fiber {
namespace {

model::Parameters parameters() {
  model::Parameters p;
  p.latency = Interval::picoseconds(1000);
  p.eager_limit = 100;
  p.send.fixed = p.receive.fixed = Interval::picoseconds(10);
  return p;
}

constexpr int ranks = 3;

// Ranks with a communicator of all, and messages without contents.
class JobTest : public testing::Test {
 protected:
  using Body = std::function<void(rank::Rank&, rank::Communicator&)>;
  Result<void> run(const Body& body) { return run(job_, ranks, body); }
  Result<void> run(Job& job, int ranks, const Body& body) { return run(job, network_, ranks, body); }
  Result<void> run(Job& job, const model::Network& network, int ranks, const Body& body) {
    return job.run([&, ranks](int number) {
      rank::Rank rank(number, ranks, network, job.wire(number));
      rank::Communicator world;
      world.context = 2;
      world.rank = number;
      world.world = rank::Members::evenly(0, ranks);
      rank.start();
      rank.leave();
      body(rank, world);
      rank.enter("end");
      rank.finish();
      job.finish(number, {.finish = rank.now()});
    });
  }
  static void send(rank::Rank& rank, const rank::Communicator& world, int to, model::Bytes bytes = 0,
                   int tag = 0) {
    rank.enter("send");
    rank.send(world, to, tag, buffer(bytes));
    rank.leave();
  }
  static rank::Status receive(rank::Rank& rank, const rank::Communicator& world, int from, int tag = 0) {
    rank.enter("receive");
    const rank::Status status = rank.receive(world, from, tag, buffer(1000));
    rank.leave();
    return status;
  }
  static rank::Buffer buffer(model::Bytes bytes) {
    static constexpr rank::Layout nothing{
        [](const rank::Buffer&, std::byte*) {},
        [](const rank::Buffer&, const std::byte*, model::Bytes) { return true; }, nullptr};
    return {nullptr, bytes, &nothing, 0, 0};
  }

  const model::Network network_{parameters(), ranks};
  Job job_{network_, ranks, {.contents = false, .most_messages = 100}};
};

TEST_F(JobTest, ChoicesFollowVirtualTime) {
  std::vector<int> chosen;
  const auto ended = run([&](rank::Rank& rank, rank::Communicator& world) {
    // With fibers rank 2 runs after rank 1, and sends before it in virtual time.
    EXPECT_TRUE(rank.declared(Interval::picoseconds(rank.number() == 1 ? 500 : 0)));
    if (rank.number() > 0) return send(rank, world, 0);
    for (int i = 0; i < 2; ++i) chosen.push_back(receive(rank, world, match::any_source).source);
  });
  ASSERT_TRUE(ended) << ended.error().message;
  EXPECT_EQ(chosen, (std::vector{2, 1}));
  EXPECT_EQ(job_.summary(1).finish.picoseconds(), 510);
  EXPECT_EQ(job_.summary(0).finish.picoseconds(), 500 + 10 + 1000 + 10);
}

TEST_F(JobTest, ManyMessagesOfOneSender) {
  const auto ended = run([&](rank::Rank& rank, rank::Communicator& world) {
    for (int i = 0; i < 10'000; ++i) {
      if (rank.number() == 0) send(rank, world, 1);
      if (rank.number() == 1) receive(rank, world, 0);
    }
  });
  ASSERT_TRUE(ended) << ended.error().message;
  EXPECT_EQ(job_.summary(0).finish.picoseconds(), 100'000);
}

TEST_F(JobTest, DeadlockNamesRanks) {
  const auto ended = run([&](rank::Rank& rank, rank::Communicator& world) {
    if (rank.number() == 0) receive(rank, world, 1);
    if (rank.number() == 1) send(rank, world, 2, 200);
  });
  ASSERT_FALSE(ended);
  const std::string& report = ended.error().message;
  EXPECT_NE(report.find("rank 0 waits in receive for rank 1, tag 0"), std::string::npos) << report;
  EXPECT_NE(report.find("rank 1 waits in send for rank 2, tag 0"), std::string::npos) << report;
  EXPECT_NE(report.find("finished already: 1 rank"), std::string::npos) << report;
  EXPECT_EQ(job_.stuck(), (std::vector{0, 1}));
}

TEST_F(JobTest, OneRankEndsAll) {
  const auto ended = run([&](rank::Rank& rank, rank::Communicator& world) {
    if (rank.number() == 2) job_.stop("enough");
    receive(rank, world, 2);
  });
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().message, "enough");
}

TEST_F(JobTest, MessagesUnderWayAtTheEndLeaveNoMemory) {
  model::Parameters bus = parameters();
  bus.medium = model::Medium::bus;
  const model::Network network(bus, ranks);
  const std::int64_t before = aligned_blocks;
  std::int64_t under_way = 0;
  {
    Job job(network, ranks, {.contents = false});
    const auto ended = run(job, network, ranks, [&](rank::Rank& rank, rank::Communicator& world) {
      for (int i = 0; rank.number() == 0 && i < 10; ++i) send(rank, world, 2);
      if (rank.number() < 2) return;
      under_way = aligned_blocks - before;
      job.stop("enough");
    });
    EXPECT_FALSE(ended);
  }
  EXPECT_GE(under_way, 10);
  EXPECT_EQ(aligned_blocks, before);
}

// Ranks with a serial card ask all others before a message passes.
TEST_F(JobTest, WaitingForAllRanksAtOnceChangesNothing) {
  constexpr int many = 40, rounds = 30;
  model::Parameters serial = parameters();
  serial.card = model::Card::serial;
  serial.gap_per_byte = Rate::femtoseconds_per_byte(3'000'000);
  const model::Network network(serial, many);
  using Seen = std::vector<std::pair<int, Instant>>;
  const auto play = [&](int most_blockers) {
    std::vector<Seen> seen(many);
    Job job(network, many, {.contents = false, .most_blockers = most_blockers});
    const auto ended = run(job, network, many, [&](rank::Rank& rank, rank::Communicator& world) {
      std::minstd_rand dice(1 + static_cast<unsigned>(rank.number()));
      for (int round = 0; round < rounds; ++round) {
        EXPECT_TRUE(rank.declared(Interval::picoseconds(static_cast<std::int64_t>(dice() % 3000))));
        const int named = round % 3 == 0 ? 1 : 0, distance = 7 * round + 1;
        send(rank, world, (rank.number() + distance) % many, dice() % 3 == 0 ? 90 : 8, named);
        const int source =
            named ? (rank.number() + 10 * many - distance) % many : static_cast<int>(match::any_source);
        seen[static_cast<std::size_t>(rank.number())].emplace_back(receive(rank, world, source, named).source,
                                                                   rank.now());
      }
    });
    EXPECT_TRUE(ended) << ended.error().message;
    return seen;
  };
  const auto one_by_one = play(1000);
  for (const int most : {1, 2, 16}) EXPECT_TRUE(play(most) == one_by_one) << most;
}

TEST(Bounds, AsAList) {
  constexpr int count = 1000;
  Bounds bounds(count);
  std::vector<std::int64_t> plain(count);
  std::uint64_t state = 1;
  const auto dice = [&state](std::uint64_t sides) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::int64_t>((state >> 33) % sides);
  };
  for (int i = 0; i < 20'000; ++i) {
    const auto rank = static_cast<int>(dice(count));
    bounds.set(rank, plain[static_cast<std::size_t>(rank)] = dice(1 + static_cast<std::uint64_t>(i)));
    if (dice(4) != 0) continue;
    EXPECT_EQ(bounds.least(), *std::min_element(plain.begin(), plain.end()));
    const std::int64_t limit = dice(200);
    std::vector<int> found, expected;
    bounds.below(limit, [&](int below) {
      found.push_back(below);
      return true;
    });
    for (int other = 0; other < count; ++other)
      if (plain[static_cast<std::size_t>(other)] < limit) expected.push_back(other);
    ASSERT_EQ(found, expected);
  }
}

[[gnu::noinline]] int deep(int n, const char* above) {
  char here[512];
  std::memset(here, n, sizeof here);
  const int below = n == 0 ? above[0] : deep(n - 1, here);
  return below + here[static_cast<std::size_t>(n) % sizeof here];
}

TEST_F(JobTest, AnOverflowOfAStackNamesTheRank) {
  const auto overflow = [&] {
    (void)run([](rank::Rank& rank, rank::Communicator&) {
      if (rank.number() == 1) std::exit(deep(1'000'000, "x"));
    });
  };
  EXPECT_EXIT(overflow(), testing::ExitedWithCode(1),
              "emu: error: rank 1 needs more than its 64 KiB of stack");
}

// The system cannot guard all stacks: a recursion that ends below the guarded stack of rank 0, or a less deep one.
TEST_F(JobTest, AnOverflowIsFoundHoweverStacksAreGuarded) {
  for (const auto guard : {Stacks::Guard::entries, Stacks::Guard::ranges, Stacks::Guard::zones})
    for (const int levels : {200, 1'000'000}) {
      const auto overflow = [&] {
        Job job(network_, ranks, {.contents = false, .guard = guard});
        (void)run(job, ranks, [&](rank::Rank& rank, rank::Communicator& world) {
          if (rank.number() == 1 && deep(levels, "x") == 12345) std::exit(0);
          receive(rank, world, 2);
        });
      };
      EXPECT_EXIT(overflow(), testing::ExitedWithCode(1),
                  "emu: error: rank 1 needs more than its 64 KiB of stack");
    }
}

TEST_F(JobTest, StacksThatAreUsedAreNoOverflow) {
  Job job(network_, ranks, {.contents = false, .guard = Stacks::Guard::zones});
  const auto ended = run(job, ranks, [&](rank::Rank& rank, rank::Communicator& world) {
    if (deep(60, "x") == 12345) std::exit(0);
    if (rank.number() == 2) return send(rank, world, 1);
    if (rank.number() == 1) receive(rank, world, 2);
  });
  EXPECT_TRUE(ended) << ended.error().message;
}

TEST_F(JobTest, NoMemoryLeftEndsTheJob) {
  const auto ended = run([](rank::Rank& rank, rank::Communicator& world) {
    if (rank.number() == 1) throw std::bad_alloc();
    receive(rank, world, 1);
  });
  ASSERT_FALSE(ended);
  const std::string& words = ended.error().message;
  EXPECT_EQ(words.find("no memory left for 3 ranks on stacks of 64 KiB"), 0u) << words;
  EXPECT_NE(words.find("the command has "), std::string::npos) << words;
}

// Other faults have their usual effect.
TEST_F(JobTest, OtherFaultsAreNoOverflow) {
  const auto fault = [&] {
    (void)run([](rank::Rank&, rank::Communicator&) {
      const volatile std::uintptr_t nowhere = 64;
      *reinterpret_cast<volatile int*>(nowhere) = 1;
    });
  };
  EXPECT_EXIT(fault(), testing::KilledBySignal(SIGSEGV), "^$");
}

}  // namespace
}  // namespace emu::fiber
