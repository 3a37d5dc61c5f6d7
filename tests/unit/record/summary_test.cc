#include "record/summary.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <limits>
#include <sstream>

namespace emu::record {
namespace {

class Summary : public testing::Test {
 protected:
  ~Summary() override { std::remove(path_.c_str()); }

  std::string written(const RunSummary& run) {
    const auto result = write(run, path_);
    EXPECT_TRUE(result) << result.error().message;
    std::ifstream in(path_);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
  }

  std::string error_of(const std::string& text) {
    std::ofstream(path_) << text;
    const auto run = read(path_);
    EXPECT_FALSE(run) << "expected a failure for:\n" << text;
    return run ? "" : run.error().message;
  }

  std::string path_ = testing::TempDir() + "summary-test-" + std::to_string(::getpid());
};

RunSummary example() {
  const auto interval = [](std::int64_t ps) { return Interval::picoseconds(ps); };
  RunSummary run;
  run.target = "64 x \"Pentium\" \\ III, \xc3\xa9";
  for (int i = 0; i < 3; ++i) {
    RankSummary rank;
    rank.time = {interval(1 + i), interval(20),     interval(300),    interval(4000),
                 interval(50000), interval(600000), interval(7000000)};
    rank.finish = Instant::start() + rank.time.total();
    rank.messages_sent = 7 + i;
    rank.bytes_sent = std::numeric_limits<std::int64_t>::max();
    std::int64_t n = 10 * i;
    for (const Cause& cause : causes) rank.path.*cause.part = interval(++n);
    for (const auto weight : weights) rank.path.*weight = static_cast<double>(++n) / 3;
    for (const auto doubt : doubts) rank.doubts.*doubt = ++n;
    rank.failed = i == 2;
    run.ranks.push_back(rank);
  }
  return run;
}

TEST_F(Summary, ComesBackAsItWas) {
  written(example());
  const auto run = read(path_);
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(run->target, example().target);
  ASSERT_EQ(run->ranks.size(), 3u);
  for (int i = 0; i < 3; ++i) {
    const RankSummary& got = run->ranks[i];
    EXPECT_EQ(got.finish.picoseconds(), 7654321 + i);
    EXPECT_EQ(got.time.compute.picoseconds(), 1 + i);
    EXPECT_EQ(got.time.send_overhead.picoseconds(), 20);
    EXPECT_EQ(got.time.receive_overhead.picoseconds(), 300);
    EXPECT_EQ(got.time.poll.picoseconds(), 4000);
    EXPECT_EQ(got.time.handshake.picoseconds(), 50000);
    EXPECT_EQ(got.time.wait.picoseconds(), 600000);
    EXPECT_EQ(got.time.down.picoseconds(), 7000000);
    EXPECT_EQ(got.messages_sent, 7 + i);
    EXPECT_EQ(got.bytes_sent, std::numeric_limits<std::int64_t>::max());
    EXPECT_EQ(got.path, example().ranks[i].path);
    EXPECT_EQ(got.doubts, example().ranks[i].doubts);
    EXPECT_EQ(got.failed, i == 2);
  }
  EXPECT_EQ(run->predicted().picoseconds(), 7654322);  // the last rank failed
  EXPECT_EQ(run->last(), 1);
}

TEST_F(Summary, NobodyPredictsNothing) { EXPECT_EQ(RunSummary().predicted(), Instant::start()); }

TEST_F(Summary, ACutOffRecordIsAFailure) {
  const std::string text = written(example());
  for (std::size_t length = 0; length + 1 < text.size(); ++length)
    EXPECT_NE(error_of(text.substr(0, length)).find("damaged or cut off"), std::string::npos) << length;
}

TEST_F(Summary, ADamagedRecordNamesTheLine) {
  const std::string text = written(example()), first = text.substr(0, text.find('\n') + 1);
  EXPECT_EQ(error_of("emu-summary 1\ntarget x\nranks 0\nend\n").find(path_ + ":1: "), 0u);
  EXPECT_EQ(error_of(first + "x\nranks 0\nend\n").find(path_ + ":2: "), 0u);
  for (const char* ranks : {"", "-1", "x", "1x", "99999999"})
    EXPECT_EQ(error_of(first + "target x\nranks " + ranks + "\nend\n").find(path_ + ":3: "), 0u);
  std::string numbers = "1";  // all numbers but the last
  for (std::size_t i = 2; i < 11 + causes.size() + weights.size() + doubts.size(); ++i) numbers += " 1";
  for (const char* last : {"", " 1 1", " x", " -9", " 99999999999999999999"})
    EXPECT_EQ(error_of(first + "target x\nranks 1\n" + numbers + last + "\nend\n").find(path_ + ":4: "), 0u);
}

TEST_F(Summary, FailuresNameTheFile) {
  EXPECT_EQ(read("/nowhere/record").error().message.find("/nowhere/record: "), 0u);
  EXPECT_EQ(write(example(), "/nowhere/record").error().message.find("/nowhere/record: "), 0u);
  EXPECT_FALSE(write(example(), "/dev/full"));
  RunSummary run = example();
  run.target = "two\nlines";
  EXPECT_FALSE(write(run, path_));
}

}  // namespace
}  // namespace emu::record
