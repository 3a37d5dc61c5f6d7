#include "reference/compare/launch.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace emu::reference {
namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void become(const std::vector<std::string>& command,
                         const std::map<std::string, std::string>& environment) {
  for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  std::perror(arguments[0]);
  _exit(127);
}

// True if it ended by `until`.
bool wait_for(pid_t child, int& status, Clock::time_point until) {
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (Clock::now() > until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

}  // namespace

Ended launch(const std::vector<std::string>& command, const std::map<std::string, std::string>& environment,
             int seconds) {
  const auto start = Clock::now();
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) become(command, environment);
  if (child < 0) {
    std::perror("fork");
    return {.code = 126};
  }
  Ended ended;
  int status = 0;
  if (!wait_for(child, status, start + std::chrono::seconds(seconds))) {
    ended.timed_out = true;
    // On SIGTERM, the launcher ends its processes.
    kill(child, SIGTERM);
    if (!wait_for(child, status, Clock::now() + std::chrono::seconds(5))) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
    }
  }
  ended.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  ended.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return ended;
}

}  // namespace emu::reference
