// The processes of a node detect the end of a rank, unless the rank has announced it.
#include "wire/life.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <thread>

namespace emu::wire {
namespace {

class LifeTest : public testing::Test {
 protected:
  LifeTest()
      : life_(*static_cast<Life*>(
            mmap(nullptr, sizeof(Life), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {
    life_.prepare();
  }
  ~LifeTest() override { munmap(&life_, sizeof(Life)); }

  // Runs `work` in a child process, which has ended on return.
  void in_child(const std::function<void()>& work) {
    const pid_t child = fork();
    if (child == 0) {
      work();
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
  }

  Life& life_;
};

TEST_F(LifeTest, OneThatHasNotBegunIsNotLost) { EXPECT_FALSE(life_.lost()); }

TEST_F(LifeTest, OneThatRunsIsNotLost) {
  std::thread([&] {
    life_.begin();
    std::thread([&] { EXPECT_FALSE(life_.lost()); }).join();
    life_.end();
  }).join();
}

TEST_F(LifeTest, OneThatEndedIsNotLost) {
  in_child([&] {
    life_.begin();
    life_.end();
  });
  EXPECT_FALSE(life_.lost());
}

TEST_F(LifeTest, AProcessThatLeavesIsLost) {
  in_child([&] { life_.begin(); });
  EXPECT_TRUE(life_.lost());
}

TEST_F(LifeTest, AProcessThatIsKilledIsLost) {
  in_child([&] {
    life_.begin();
    kill(getpid(), SIGKILL);
  });
  EXPECT_TRUE(life_.lost());
}

TEST_F(LifeTest, AProcessThatBecomesAnotherProgramIsLost) {
  in_child([&] {
    life_.begin();
    execl("/bin/true", "true", nullptr);
  });
  EXPECT_TRUE(life_.lost());
}

// A child process that a rank forks is not a rank: the rank continues after the child's end, and may be lost before it.
TEST_F(LifeTest, AChildOfARankIsNotTheRank) {
  life_.begin();
  in_child([] {});
  std::thread([&] { EXPECT_FALSE(life_.lost()); }).join();
  life_.end();
}

}  // namespace
}  // namespace emu::wire
