// Messages for wrong target files; [topology] and [collectives] have their own tests.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "good_target.h"

namespace emu::target {
namespace {

TEST(WrongTarget, WhatIsWrongWithAnIntervalIsSaid) {
  expect_error(replaced("\"50us\"", "\"50us +- fast\""),
               "x.toml:5: network.latency: interval after +-: invalid number: \"fast\" (expected ...");
  expect_error(replaced("\"50us\"", "\"50us +- \""),
               "x.toml:5: network.latency: interval after +-: empty value...");
  expect_error(replaced("\"50us\"", "\"50us +- 1Mbit/s\""),
               "x.toml:5: network.latency: interval after +-: wrong unit \"Mbit/s\": ...");
  expect_error(replaced("\"50us\"", "\"50 +- 1us\""), "x.toml:5: network.latency: no unit: \"50\"...");
  expect_error(replaced("speed = 0.5", "speed = \"0.5 +- 1us\""),
               "x.toml:23: node.speed: interval after +-: invalid decimal number: \"1us\"...");
  expect_error(replaced("\"64KiB\"", "\"64KiB +- 1KiB\""), "x.toml:8: network.eager_limit: ...");
  expect_error(
      good + "[[link]]\ninside = \"all\"\nlatency = \"1us +- 1ns\"\n",
      "x.toml:28: link.latency: invalid interval: +- 1ns (expected only for host_speed, node.speed and "
      "the times in [network] and [storage])");
}

TEST(WrongTarget, WhatItQuotesCommandsNoTerminal) {
  expect_error(replaced("latency =", "\"lat\\u001b[2J\\nency\" ="),
               "x.toml:5: network.lat?[2J?ency: unknown key...");
}

TEST(WrongTarget, UnknownKeys) {
  expect_error(replaced("latency =", "latencyy ="),
               "x.toml:5: network.latencyy: unknown key (did you mean \"latency\"?)");
  expect_error(replaced("compute =", "color ="),
               "x.toml:2: color: unknown key (expected one of \"name\", \"compute\", \"host_speed\", "
               "...");
  expect_error(replaced("slots =", "slot ="), "x.toml:22: node.slot: unknown key (did you mean \"slots\"?)");
  expect_error(replaced("[network.poll]", "[network.pol]"),
               "x.toml:18: network.pol: unknown key (did you mean \"poll\"?)");
  expect_error(replaced("[network.poll]\nfixed", "[network.poll]\nper_byte"),
               "x.toml:19: network.poll.per_byte: unknown key (expected one of \"fixed\", \"growth\")");
}

TEST(WrongTarget, WrongTypes) {
  expect_error(replaced("\"50us\"", "50"),
               "x.toml:5: network.latency: invalid value: a number without a unit (expected text in quotes, "
               "such as \"12.1us\")");
  expect_error(replaced("\"0.0268us\"", "0.0268"),
               "x.toml:7: network.gap_per_byte: invalid value: a number without a unit (expected ...");
  expect_error(replaced("\"64KiB\"", "65536"),
               "x.toml:8: network.eager_limit: invalid value: a number without a unit (expected text in "
               "quotes, such as \"64KiB\")");
  expect_error(replaced("\"50us\"", "[1]"), "x.toml:5: network.latency: invalid value: a list (expected ...");
  expect_error(replaced("\"50us\"", "true"),
               "x.toml:5: network.latency: invalid value: a truth value (expected ...");
  expect_error(replaced("\"50us\"", "2004-01-01"),
               "x.toml:5: network.latency: invalid value: a date or a time of day (expected ...");
  expect_error(replaced("\"50us\"", "nan"),
               "x.toml:5: network.latency: invalid value: a number without a unit (expected ...");
  expect_error(replaced("\"test\"", "7"),
               "x.toml:1: name: invalid value: a number without a unit (expected ...");
  expect_error(replaced("count = 3", "count = \"3\""),
               "x.toml:21: node.count: invalid value: text (expected a whole number from 1 to 1000000)");
  expect_error(replaced("count = 3", "count = 3.0"),
               "x.toml:21: node.count: invalid value: a number with a point (expected ...");
  expect_error(replaced("speed = 0.5", "speed = \"fast\""),
               "x.toml:23: node.speed: invalid value: text (expected a number above 0, ...");
  expect_error(replaced("[network.poll]\n", "[network.poll]\ngrowth = \"100%\"\n"),
               "x.toml:19: network.poll.growth: invalid percentage: \"100%\" (expected less than 100, such "
               "as \"2%\")");
  expect_error(replaced("[network.poll]\nfixed = \"2us\"\n", "[network]\n"), "x.toml:18: invalid TOML: ...");
  expect_error("network = 3\nname = \"a\"\n[[node]]\ncount = 1\n",
               "x.toml:1: network: invalid value: a number without a unit (expected a table [network])");
  expect_error(replaced("[[node]]\ncount = 64", "").replace(good.find("[[node]]"), 8, "[node]"),
               "x.toml:20: node: invalid value: a table (expected [[node]], once for each)");
  expect_error("node = []\n" + good.substr(0, good.find("[[node]]")),
               "x.toml:1: node: invalid value: a list (expected [[node]], once for each)");
}

TEST(WrongTarget, WrongValues) {
  expect_error(
      replaced("\"50us\"", "\"50\""),
      "x.toml:5: network.latency: no unit: \"50\" (expected a number and a unit, such as \"12.1us\")");
  expect_error(
      replaced("\"50us\"", "\"50KiB\""),
      "x.toml:5: network.latency: wrong unit \"KiB\": \"50KiB\" (expected a unit of time: ps, ns, us, "
      "ms, s, min or h)");
  expect_error(replaced("\"50us\"", "\"-50us\""),
               "x.toml:5: network.latency: negative value: \"-50us\" (expected ...");
  expect_error(replaced("\"50us\"", "\"2h\""),
               "x.toml:5: network.latency: too large: \"2h\" (expected at most 1h)");
  expect_error(replaced("\"0.0268us\"", "\"2ms\""),
               "x.toml:7: network.gap_per_byte: too slow: \"2ms\" (expected at most...");
  expect_error(replaced("\"64KiB\"", "\"64us\""),
               "x.toml:8: network.eager_limit: wrong unit \"us\": \"64us\" (expected...");
  expect_error(replaced("\"64KiB\"", "\"infinite\""),
               "x.toml:8: network.eager_limit: invalid number: \"infinite\" (expected ...");
  expect_error(replaced("\"serial\"", "\"fast\""),
               "x.toml:9: network.card: unknown value: \"fast\" (expected \"free\", \"serial\" or \"node\")");
  expect_error(replaced("\"declared\"", "\"Declared\""),
               "x.toml:2: compute: unknown value: \"Declared\" (expected \"measured\" or \"declared\")");
  expect_error(replaced("\"test\"", "\"\""), "x.toml:1: name: empty text (expected ...");
  expect_error(replaced("\"test\"", "\"a\\nb\""), "x.toml:1: name: line break ...");
  for (const char* bad : {"0", "-1", "1000001", "9223372036854775807"})
    expect_error(replaced("count = 3", std::string("count = ") + bad),
                 std::string("x.toml:21: node.count: invalid number: ") + bad +
                     " (expected a whole number from 1 to 1000000)");
  for (const char* bad : {"0", "-1.5", "nan", "inf", "1e300"})
    expect_error(replaced("speed = 0.5", std::string("speed = ") + bad),
                 "x.toml:23: node.speed: invalid number: ...");
  expect_error(replaced("host_speed = 2.5", "host_speed = 0"),
               "x.toml:3: host_speed: invalid number: 0 (expected a number above 0, ...");
  expect_error(
      replaced("count = 3\nslots = 2", "count = 1000000\nslots = 1000000"),
      "x.toml:21: node.count: all groups together have 1000000000064 slots (expected at most 1000000)");
}

TEST(WrongTarget, AllMistakesAtOnceInTheOrderOfTheFile) {
  std::string text = replaced("\"50us\"", "50");
  text.replace(text.find("count = 64"), 10, "count = 0");
  text.replace(text.find("compute"), 7, "komputer");
  const std::string message = error_of(text);
  const auto first = message.find("x.toml:2: komputer"), second = message.find("\nx.toml:5: network.latency"),
             third = message.find("\nx.toml:25: node.count");
  EXPECT_EQ(first, 0u) << message;
  EXPECT_NE(second, std::string::npos) << message;
  EXPECT_NE(third, std::string::npos) << message;
  EXPECT_LT(second, third);
}

TEST(WrongTarget, NoTargetFileAtAll) {
  expect_error("", "x.toml:1: the file is empty (expected TOML text ...");
  expect_error(" \n\n", "x.toml:1: the file is empty (expected ...");
  expect_error(std::string("\x7f"
                           "ELF\0\1\2",
                           7),
               "x.toml: not a text file (expected ...");
  expect_error("name = \"caf\xe9\"\n", "x.toml:1: invalid TOML: ...");
  expect_error("name = \"a\"\nname = \"b\"\n", "x.toml:2: invalid TOML: ...");
  expect_error("name = \"a\n", "x.toml:1: invalid TOML: ...");
  // A quotation of the file contains no control sequences for the terminal.
  EXPECT_EQ(parse("name = fa\x1b[2J\n", "x.toml").error().message.find('\x1b'), std::string::npos);
}

// A folder of valid and invalid files.
class TargetFile : public testing::Test {
 protected:
  TargetFile() { EXPECT_NE(mkdtemp(folder_.data()), nullptr); }
  ~TargetFile() override { EXPECT_EQ(std::system(("rm -r " + folder_).c_str()), 0); }

  std::string error(const std::string& name) {
    const auto target = load(folder_ + "/" + name);
    EXPECT_FALSE(target);
    return target ? "" : target.error().message;
  }

  std::string folder_ = testing::TempDir() + "target-test-XXXXXX";
};

TEST_F(TargetFile, Loads) {
  std::ofstream(folder_ + "/good.toml") << good;
  const auto target = load(folder_ + "/good.toml");
  ASSERT_TRUE(target) << target.error().message;
  EXPECT_EQ(target->slots(), 70);
  std::ofstream(folder_ + "/bad.toml") << without("latency");
  EXPECT_EQ(error("bad.toml").find(folder_ + "/bad.toml:4: network.latency: missing"), 0u);
}

TEST_F(TargetFile, WhatIsNoFileIsAnError) {
  EXPECT_NE(error("none.toml").find("/none.toml: the target file cannot be opened: No such file"),
            std::string::npos);
  EXPECT_NE(error("").find("a directory (expected a file)"), std::string::npos);
  ASSERT_EQ(mkfifo((folder_ + "/pipe").c_str(), 0600), 0);
  EXPECT_NE(error("pipe").find("not a regular file"), std::string::npos);
  std::ofstream(folder_ + "/large") << std::string(2'000'000, '#');
  EXPECT_NE(error("large").find("larger than 1 MiB"), std::string::npos);
}

}  // namespace
}  // namespace emu::target
