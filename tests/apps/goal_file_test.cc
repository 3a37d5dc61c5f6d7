#include "goal_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace emu::goal {
namespace {

Result<Schedule> read(const std::string& text) { return parse(text, "x.goal"); }

std::string failure_of(const Result<Schedule>& schedule) {
  return schedule ? "no failure" : schedule.error().message;
}

bool same(const Schedule& a, const Schedule& b) {
  const auto same_operation = [](const Operation& x, const Operation& y) {
    return x.amount == y.amount && x.peer == y.peer && x.tag == y.tag && x.line == y.line &&
           x.kind == y.kind && x.requires_ == y.requires_ && x.irequires == y.irequires;
  };
  return std::equal(a.ranks.begin(), a.ranks.end(), b.ranks.begin(), b.ranks.end(),
                    [&](const auto& x, const auto& y) {
                      return std::equal(x.begin(), x.end(), y.begin(), y.end(), same_operation);
                    });
}

// Reads statements near the end of a text word by word, and others by the scanner. Both ways give equal results.
Result<Schedule> read_both_ways(const std::string& text) {
  const Result<Schedule> by_words = read(text + ' ');
  const Result<Schedule> scanned = read(text + std::string(2 * Scanner::longest, ' '));
  EXPECT_EQ(failure_of(by_words), failure_of(scanned)) << text;
  EXPECT_TRUE(!by_words || !scanned || same(*by_words, *scanned)) << text;
  return read(text);
}

Schedule good(const std::string& text) {
  Result<Schedule> schedule = read_both_ways(text);
  EXPECT_TRUE(schedule) << (schedule ? "" : schedule.error().message);
  return schedule ? *schedule : Schedule{};
}

// The failure of parsing `text`.
std::string failure(const std::string& text) { return failure_of(read_both_ways(text)); }

std::string in_rank(const std::string& statements) {
  return "num_ranks 2\nrank 0 {\n" + statements + "\n}\n";
}

TEST(GoalFile, ReadsOperations) {
  const Schedule schedule = good(
      "// a comment\n"
      "num_ranks 2\n"
      "rank 1 { /* over\n"
      " lines */\n"
      "l1: recv 1024b from 0 tag 7\n"
      "l2 :send 0b to 1\r\n"
      "calc 12  // without a label\n"
      "}\n");
  ASSERT_EQ(schedule.ranks.size(), 2u);
  EXPECT_TRUE(schedule.ranks[0].empty());
  ASSERT_EQ(schedule.ranks[1].size(), 3u);
  const Operation& receive = schedule.ranks[1][0];
  EXPECT_EQ(receive.kind, Kind::receive);
  EXPECT_EQ(receive.amount, 1024);
  EXPECT_EQ(receive.peer, 0);
  EXPECT_EQ(receive.tag, 7);
  EXPECT_EQ(receive.line, 5);
  const Operation& send = schedule.ranks[1][1];
  EXPECT_EQ(send.kind, Kind::send);
  EXPECT_EQ(send.amount, 0);
  EXPECT_EQ(send.peer, 1);
  EXPECT_EQ(send.tag, 0);
  const Operation& calc = schedule.ranks[1][2];
  EXPECT_EQ(calc.kind, Kind::compute);
  EXPECT_EQ(calc.amount, 12);
  EXPECT_EQ(calc.line, 7);
}

TEST(GoalFile, ReadsDependenciesInAnyOrder) {
  const Schedule schedule =
      good(in_rank("b requires a\na: calc 1\nb: calc 2\nc: calc 3\nc irequires a\nc requires b"));
  const auto& operations = schedule.ranks[0];
  ASSERT_EQ(operations.size(), 3u);
  EXPECT_EQ(operations[0].requires_, std::vector<int>{});
  EXPECT_EQ(operations[1].requires_, std::vector<int>{0});
  EXPECT_EQ(operations[2].requires_, std::vector<int>{1});
  EXPECT_EQ(operations[2].irequires, std::vector<int>{0});
}

// Numbered labels have no table. Labels that break the sequence need one.
TEST(GoalFile, ReadsNumberedLabelsLikeAnyOthers) {
  const std::string numbered =
      "l7: send 8b to 1\nl8: recv 9b from 1 tag 3\nl8 requires l7\nl9: calc 5\nl9 irequires l8\nl9 requires "
      "l7\n";
  const Schedule plain = good(in_rank(numbered));
  ASSERT_EQ(plain.ranks[0].size(), 3u);
  EXPECT_EQ(plain.ranks[0][1].peer, 1);
  EXPECT_EQ(plain.ranks[0][1].tag, 3);
  EXPECT_EQ(plain.ranks[0][2].requires_, std::vector<int>{0});
  EXPECT_EQ(plain.ranks[0][2].irequires, std::vector<int>{1});
  EXPECT_EQ(plain.ranks[0][2].line, 6);
  for (const char* more : {"l11: calc 1\nl11 requires l8", "l010: calc 1\nl010 requires l8",
                           "calc 1\nl10: calc 1\nl10 requires l8", "m10: calc 1\nm10 requires l8",
                           "l10 requires l8\nl10: calc 1", "l: calc 1\nl requires l8",
                           "l10 : calc 1 // slow\nl10  requires l8", "l10: calc 1 /*\n*/ l10 requires l8",
                           "l0000000000000000000010: calc 1\nl0000000000000000000010 requires l8"}) {
    const Schedule schedule = good(in_rank(numbered + more));
    ASSERT_GE(schedule.ranks[0].size(), 4u) << more;
    EXPECT_EQ(schedule.ranks[0].back().requires_, std::vector<int>{1}) << more;
    EXPECT_EQ(schedule.ranks[0][2].irequires, std::vector<int>{1}) << more;
    EXPECT_EQ(schedule.ranks[0][2].line, 6) << more;
  }
  EXPECT_EQ(failure(in_rank(numbered + "l8: calc 1")), "x.goal:9: label 'l8' is used twice in rank 0");
  for (const char* other : {"l6", "l10", "l08", "l", "m7", "l7x", "7"})
    EXPECT_EQ(failure(in_rank(numbered + "l9 requires " + other)),
              "x.goal:9: no operation of rank 0 has the label '" + std::string(other) + "'");
  // Labels of another rank.
  EXPECT_EQ(failure("num_ranks 2\nrank 0 {\nl0: calc 1\n}\nrank 1 {\nl1: calc 1\nl1 requires l0\n}\n"),
            "x.goal:7: no operation of rank 1 has the label 'l0'");
}

TEST(GoalFile, CommentsAreBlanks) {
  const Schedule schedule = good(
      "/* first */num_ranks/**/2 // ranks\n"
      "rank 0 { // a block\n"
      "/* of two\n"
      "lines, // with another\n"
      "*/b: calc/*/ 1 */2\n"
      "c/d: calc 3//\n"
      "b requires c/d/*\n"
      "*/}/* open");
  ASSERT_EQ(schedule.ranks[0].size(), 2u);
  EXPECT_EQ(schedule.ranks[0][0].amount, 2);
  EXPECT_EQ(schedule.ranks[0][0].line, 5);
  EXPECT_EQ(schedule.ranks[0][0].requires_, std::vector<int>{1});
  // A comment of several lines ends a statement.
  EXPECT_EQ(
      failure("num_ranks 1\nrank 0 {\na:/* of two\nlines */calc 1\n}").find("x.goal:3: expected 'send'"), 0u);
}

TEST(GoalFile, LabelsBelongToTheirRank) {
  const Schedule schedule = good("num_ranks 2\nrank 0 {\na: calc 1\n}\nrank 1 {\na: calc 2\n}\n");
  EXPECT_EQ(schedule.ranks[1][0].amount, 2);
}

TEST(GoalFile, LargestNumbers) {
  EXPECT_EQ(good(in_rank("calc 9223372036854775807")).ranks[0][0].amount, INT64_MAX);
  EXPECT_EQ(good(in_rank("send 2147483647b to 1")).ranks[0][0].amount, 2147483647);
}

TEST(GoalFile, FailuresNameFileLineAndWhatWouldBeRight) {
  EXPECT_EQ(failure(in_rank("a: calc")),
            "x.goal:3: expected 'calc D' with D a whole number of units, not the end of the line");
  EXPECT_EQ(failure(in_rank("a: calc 1\na: calc 1")), "x.goal:4: label 'a' is used twice in rank 0");
  EXPECT_EQ(failure(in_rank("send 8b to 2")), "x.goal:3: peer '2' is not one of 0 to 1");
}

TEST(GoalFile, RefusesWhatIsNoSchedule) {
  const std::string no_ranks = "no 'num_ranks N'";
  EXPECT_NE(failure("").find(no_ranks), std::string::npos);
  EXPECT_NE(failure(" \n// nothing\n").find(no_ranks), std::string::npos);
  for (const char* text : {"num_ranks 0", "num_ranks -1", "num_ranks x", "num_ranks 99999999999999999999",
                           "rank 0 {\n}", "num_ranks 2 3",
                           "\x7f"
                           "ELF\x01\x02"}) {
    EXPECT_EQ(failure(text).find("x.goal:1: expected 'num_ranks N'"), 0u) << text;
  }
}

TEST(GoalFile, RefusesBadBlocks) {
  EXPECT_EQ(failure("num_ranks 1\nrank 1 {\n}"), "x.goal:2: rank '1' is not one of 0 to 0");
  EXPECT_EQ(failure("num_ranks 1\nrank 0 {\n}\nrank 0 {\n}"), "x.goal:4: rank 0 has a block already");
  EXPECT_EQ(failure("num_ranks 1\nrank 0 {\ncalc 1\n"), "x.goal:3: rank 0 has no closing '}'");
  EXPECT_EQ(failure("num_ranks 1\ncalc 1\n"), "x.goal:2: expected 'rank R {', not 'calc'");
  EXPECT_EQ(failure("num_ranks 1\nrank 0 {\n} x\n"), "x.goal:3: unexpected 'x' after '}'");
  EXPECT_EQ(failure("num_ranks 1\nrank 0 {\n/* open\n}\n"), "x.goal:4: rank 0 has no closing '}'");
}

TEST(GoalFile, RefusesBadOperations) {
  for (const char* statement :
       {"jump 3", "calc -1", "calc 1.5", "calc 9223372036854775808", "calc 1 2", "send 8 to 1", "send b to 1",
        "send 2147483648b to 1", "send 8b from 1", "recv 8b to 1", "send 8b to", "send 8b to -1",
        "send 8b to 1 tag", "send 8b to 1 tag x", "send 8b to 1 tag 1 cpu 0", "a:", ": calc 1", "a requires",
        "a requires b c"}) {
    EXPECT_EQ(failure(in_rank(statement)).find("x.goal:3: "), 0u)
        << statement << ": " << failure(in_rank(statement));
  }
}

TEST(GoalFile, RefusesBadDependencies) {
  EXPECT_EQ(failure(in_rank("a: calc 1\na requires b")),
            "x.goal:4: no operation of rank 0 has the label 'b'");
  EXPECT_EQ(failure(in_rank("a: calc 1\nb irequires a")),
            "x.goal:4: no operation of rank 0 has the label 'b'");
  EXPECT_EQ(failure(in_rank("a: calc 1\na requires a")),
            "x.goal:3: this operation of rank 0 depends on itself");
  EXPECT_EQ(failure(in_rank("z: calc 1\na: calc 1\nb: calc 1\na requires b\nb irequires a")),
            "x.goal:4: this operation of rank 0 depends on itself");
}

TEST(GoalFile, MissingFile) {
  const Result<File> file = File::open("/does/not/exist.goal");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().message, "/does/not/exist.goal: cannot be read");
  EXPECT_FALSE(File::open("/"));
}

TEST(GoalFile, WhatItQuotesCommandsNoTerminal) {
  const std::string message = failure("num_ranks 1\nrank 0 {\nl1: \x1b[2Jcalc\a 1\n}\n");
  EXPECT_NE(message.find("?[2Jcalc?"), std::string::npos) << message;
}

}  // namespace
}  // namespace emu::goal
