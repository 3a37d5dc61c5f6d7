// A process and its process manager, which is a thread of the test at the other end of a
// socket pair. The manager follows a script, even if its answers violate the protocol.
#include "wire/agent/pmi.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace emu::wire {
namespace {

// An expected question, and the answer, whose parts are sent one by one.
struct Step {
  std::string question;
  std::vector<std::string> answer;
};

const Step hello{"cmd=init pmi_version=1 pmi_subversion=1",
                 {"cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n"}};
const Step space{"cmd=get_my_kvsname", {"cmd=my_kvsname kvsname=kvs_7_0\n"}};

class Manager {
 public:
  // It closes the connection after the last step.
  explicit Manager(std::vector<Step> script) : script_(std::move(script)) {
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends_), 0);
    thread_ = std::thread([this] { run(); });
  }
  ~Manager() {
    shutdown(ends_[1], SHUT_WR);
    thread_.join();
    close(ends_[1]);
  }
  Manager(const Manager&) = delete;
  int fd() const { return ends_[1]; }

 private:
  void run() {
    for (const Step& step : script_) {
      std::string line;
      char c = 0;
      while (read(ends_[0], &c, 1) == 1 && c != '\n') line += c;
      EXPECT_EQ(line, step.question);
      for (const std::string& piece : step.answer)
        EXPECT_EQ(send(ends_[0], piece.data(), piece.size(), MSG_NOSIGNAL),
                  static_cast<ssize_t>(piece.size()));
    }
    close(ends_[0]);
  }

  const std::vector<Step> script_;
  int ends_[2];
  std::thread thread_;
};

std::vector<std::string> one_by_one(const std::string& text) {
  std::vector<std::string> pieces;
  for (const char c : text) pieces.emplace_back(1, c);
  return pieces;
}

TEST(Pmi, AWholeConversation) {
  Manager manager({hello,
                   space,
                   {"cmd=put kvsname=kvs_7_0 key=card value=12,3", {"cmd=put_result rc=0 msg=success\n"}},
                   {"cmd=barrier_in", one_by_one("cmd=barrier_out\n")},
                   {"cmd=get kvsname=kvs_7_0 key=card", {"cmd=get_result rc=0 msg=success value=12", ",3\n"}},
                   {"cmd=get kvsname=kvs_7_0 key=other",
                    {"cmd=get_result rc=-1 msg=key_other_not_found value=unknown\n"}},
                   {"cmd=get_appnum", {"cmd=appnum appnum=2\n"}},
                   {"cmd=get_universe_size", {"cmd=universe_size size=-1\n"}},
                   {"cmd=get kvsname=kvs_7_0 key=PMI_process_mapping",
                    {"cmd=get_result rc=0 msg=success value=(vector,(0,2,1))\n"}},
                   {"cmd=finalize", {"cmd=finalize_ack\n"}}});
  auto pmi = Pmi::open(manager.fd());
  ASSERT_TRUE(pmi) << pmi.error().message;
  EXPECT_TRUE(pmi->put("card", "12,3"));
  EXPECT_TRUE(pmi->barrier());
  EXPECT_EQ(pmi->get("card").value(), "12,3");
  EXPECT_EQ(pmi->get("other").value(), std::nullopt);
  EXPECT_EQ(pmi->program().value(), 2);
  EXPECT_EQ(pmi->universe().value(), std::nullopt);
  EXPECT_EQ(pmi->machines(3).value(), (std::vector<int>{0, 1, 0}));
  EXPECT_TRUE(pmi->finalize());
}

TEST(Pmi, AnAbortWaitsForNoAnswer) {
  Manager manager({hello, {"cmd=abort exitcode=7", {}}});
  auto pmi = Pmi::open(manager.fd());
  ASSERT_TRUE(pmi);
  pmi->abort(7);
}

TEST(Pmi, WhatPmiCannotCarryIsNotSent) {
  Manager manager({hello});
  auto pmi = Pmi::open(manager.fd());
  ASSERT_TRUE(pmi);
  for (const std::string& value : {std::string("a b"), std::string("a=b"), std::string("a\nb"), std::string(),
                                   std::string(Pmi::longest + 1, 'a')})
    EXPECT_FALSE(pmi->put("key", value));
  EXPECT_FALSE(pmi->put("a key", "value"));
  EXPECT_FALSE(pmi->put(std::string(65, 'k'), "value"));
}

TEST(Pmi, SomethingElseAtTheOtherEnd) {
  const std::string question = hello.question;
  for (const std::vector<std::string>& answer :
       std::vector<std::vector<std::string>>{{},
                                             {"220 mail ready\n"},
                                             {"\n"},
                                             {"cmd=response_to_init"},  // and nothing more
                                             {"cmd=response_to_init pmi_version=2 pmi_subversion=0 rc=-1\n"},
                                             {"cmd=response_to_init rc=0\n"},
                                             {"cmd=finalize_ack\n"},
                                             {std::string(200'000, 'x')}}) {
    Manager manager({{question, answer}});
    const auto pmi = Pmi::open(manager.fd());
    ASSERT_FALSE(pmi) << (answer.empty() ? "" : answer[0]);
    EXPECT_LT(pmi.error().message.size(), 300u);
  }
  EXPECT_FALSE(Pmi::open(1'000'000)) << "no such file";
}

TEST(Pmi, AManagerThatGoesOrTalksNonsense) {
  const auto talk = [](const std::vector<std::string>& answer, const char* question, auto ask) {
    Manager manager({hello, space, {question, answer}});
    auto pmi = Pmi::open(manager.fd());
    ASSERT_TRUE(pmi);
    EXPECT_FALSE(ask(*pmi)) << (answer.empty() ? "" : answer[0]);
  };
  const auto put = [](Pmi& pmi) { return pmi.put("a", "b"); };
  const auto get = [](Pmi& pmi) { return pmi.get("a"); };
  for (const std::vector<std::string>& answer : std::vector<std::vector<std::string>>{
           {}, {"cmd=barrier_out\n"}, {"rc=0\n"}, {std::string("\0\n", 2)}}) {
    talk(answer, "cmd=put kvsname=kvs_7_0 key=a value=b", put);
    talk(answer, "cmd=get kvsname=kvs_7_0 key=a", get);
  }
  talk({"cmd=put_result rc=-1 msg=duplicate_key\n"}, "cmd=put kvsname=kvs_7_0 key=a value=b", put);
}

TEST(Pmi, NoSpaceOfKeys) {
  Manager manager({hello, {space.question, {"cmd=my_kvsname\n"}}});
  auto pmi = Pmi::open(manager.fd());
  ASSERT_TRUE(pmi);
  EXPECT_FALSE(pmi->get("a"));
}

TEST(PmiValue, IsThatOfTheWholeKey) {
  EXPECT_EQ(pmi_value("cmd=x value=1", "value"), "1");
  EXPECT_EQ(pmi_value("cmd=x my_value=1", "value"), std::nullopt);
  EXPECT_EQ(pmi_value("cmd=x values=1", "value"), std::nullopt);
  EXPECT_EQ(pmi_value("  value= rc=0 ", "value"), "");
  EXPECT_EQ(pmi_value("value=a=b", "value"), "a=b");
  EXPECT_EQ(pmi_value("", "value"), std::nullopt);
}

TEST(ProcessMapping, BlocksOfNodes) {
  const auto parsed = [](const char* text, int ranks) { return parse_process_mapping(text, ranks); };
  EXPECT_EQ(parsed("(vector,(0,1,4))", 4), (std::vector<int>{0, 0, 0, 0}));
  EXPECT_EQ(parsed("(vector,(0,2,2))", 7), (std::vector<int>{0, 0, 1, 1, 0, 0, 1}));
  EXPECT_EQ(parsed("(vector,(0,1,1),(1,1,2))", 3), (std::vector<int>{0, 1, 1}));
  EXPECT_EQ(parsed("(vector,(3,1,1),(0,2,1))", 3), (std::vector<int>{0, 1, 2})) << "numbered as they come";
  for (const char* wrong : {"", "(vector)", "(vector,)", "(vector,(0,1,4)", "(vector,(0,1))",
                            "(vector,(0,0,4))", "(vector,(0,1,0))", "(vector,(-1,1,4))", "(vector,(0,1,4)x)",
                            "(0,1,4)", "(vector,(0,1,a))", "(vector,(0,1,99999999999))"})
    EXPECT_EQ(parsed(wrong, 4), std::nullopt) << wrong;
}

}  // namespace
}  // namespace emu::wire
