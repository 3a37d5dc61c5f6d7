#include "launch/child_process.h"

#include <fcntl.h>
#include <sched.h>
#include <spdlog/spdlog.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

namespace emu::app {
namespace {

// Time for a command to end after a request.
constexpr std::chrono::seconds patience{3};

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (std::string& string : strings) result.push_back(string.data());
  result.push_back(nullptr);
  return result;
}

std::vector<std::string> full_environment(const std::map<std::string, std::string>& added) {
  std::vector<std::string> result;
  for (char** entry = environ; *entry; ++entry) {
    const std::string line = *entry;
    if (!added.contains(line.substr(0, line.find('=')))) result.push_back(line);
  }
  for (const auto& [name, value] : added) result.push_back(name + "=" + value);
  return result;
}

// Redirects standard output and error to the file `output`, if given, or error output to the file `errors`; then
// standard input is empty.
bool redirect(const char* output, const char* errors) {
  if (!*output) return true;
  const auto to = [](const char* path) {
    return open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  };
  const int input = open("/dev/null", O_RDONLY | O_CLOEXEC), file = to(output);
  const int error_file = *errors ? to(errors) : file;
  return input >= 0 && dup2(input, STDIN_FILENO) >= 0 && file >= 0 && dup2(file, STDOUT_FILENO) >= 0 &&
         error_file >= 0 && dup2(error_file, STDERR_FILENO) >= 0;
}

// Inherited by all descendants of this process. A sandbox may forbid it.
void stop_randomizing_addresses() {
  constexpr unsigned long ask = 0xffffffff;
  const int now = personality(ask);
  if (now != -1) personality(static_cast<unsigned long>(now) | ADDR_NO_RANDOMIZE);
}

// Restricts the process and its descendants to these cores. Without permission it runs anywhere.
void use_cores(const std::vector<int>& cores) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int core : cores) CPU_SET(core, &set);
  if (!cores.empty()) sched_setaffinity(0, sizeof set, &set);
}

// Runs in the child. `report` is a pipe that closes when the command starts, or otherwise carries errno.
[[noreturn]] void become(char** words, char** environment, const Command& command, const sigset_t& mask,
                         pid_t parent, int report) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(127);  // the parent died before prctl()
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  if (command.same_addresses) stop_randomizing_addresses();
  use_cores(command.cores);
  if (redirect(command.output.c_str(), command.errors.c_str())) execve(words[0], words, environment);
  const int error = errno;
  [[maybe_unused]] const ssize_t written = write(report, &error, sizeof error);
  _exit(127);
}

Result<pid_t> start(const Command& command, const sigset_t& mask) {
  std::vector<std::string> words = command.words;
  std::vector<std::string> environment = full_environment(command.environment);
  const std::vector<char*> word_pointers = pointers(words), environment_pointers = pointers(environment);
  const auto failure = [&](int error) {
    return fail(words[0] + ": cannot be started: " + std::strerror(error));
  };
  int report[2];
  if (pipe2(report, O_CLOEXEC) != 0) return failure(errno);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0)
    become(const_cast<char**>(word_pointers.data()), const_cast<char**>(environment_pointers.data()), command,
           mask, parent, report[1]);
  const int fork_error = errno;
  close(report[1]);
  int error = child < 0 ? fork_error : 0;
  if (child > 0 && read(report[0], &error, sizeof error) == sizeof error) waitpid(child, nullptr, 0);
  close(report[0]);
  if (error != 0) return failure(error);
  return child;
}

// `process` and all its descendants; each after its parent.
std::vector<pid_t> family(pid_t process) {
  std::vector<pid_t> members{process};
  for (std::size_t i = 0; i < members.size(); ++i) {
    const std::filesystem::path tasks = "/proc/" + std::to_string(members[i]) + "/task";
    std::error_code gone;
    for (std::filesystem::directory_iterator task(tasks, gone), end; !gone && task != end;
         task.increment(gone)) {
      std::ifstream children(task->path() / "children");
      for (pid_t child; children >> child;) members.push_back(child);
    }
  }
  return members;
}

// MPICH's process manager, if told to end while the ranks start, sometimes waits for ranks that wait for it: so
// the ranks are killed first.
void kill_family(pid_t process) {
  const std::vector<pid_t> members = family(process);
  std::for_each(members.rbegin(), members.rend(), [](pid_t member) { kill(member, SIGKILL); });
}

// The output of the command, if it did not go to this process's output.
std::string said(const Command& command) {
  if (command.output.empty()) return "";
  std::ifstream file(command.output);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  while (text.ends_with('\n')) text.pop_back();
  return text.empty() ? "; it said nothing" : "; it said:\n" + text;
}

// A signal from the terminal reaches every process in the foreground, also the command: it must not come twice.
bool from_terminal(const siginfo_t& info) { return info.si_code == SI_KERNEL; }

}  // namespace

ChildProcess::ChildProcess(Command command, const BlockedSignals& signals)
    : command_(std::move(command)), mask_(signals.of_child()) {
  begin();
}

ChildProcess::~ChildProcess() {
  if (process_ <= 0) return;
  kill(process_, SIGTERM);
  const Clock::time_point told = Clock::now();
  while (waitpid(process_, nullptr, WNOHANG) == 0) {
    if (Clock::now() - told > patience) kill_family(process_);
    usleep(1000);
  }
}

void ChildProcess::begin() {
  const auto limit = start_limit();
  if (!limit) {
    failure_ = limit.error();
    return;
  }
  const auto child = start(command_, mask_);
  if (!child) {
    failure_ = child.error();
    return;
  }
  process_ = *child;
  watch_.emplace(process_, command_.has_to_start ? *limit : std::chrono::seconds(0));
}

bool ChildProcess::begins_otherwise() {
  if (command_.refusal.empty() || !std::filesystem::exists(command_.refusal)) return false;
  std::ifstream in(command_.refusal);
  std::string why;
  std::getline(in, why);
  in.close();
  spdlog::debug("{}: the ranks are started by {}: {}", command_.words[0], command_.otherwise->words[0], why);
  std::filesystem::remove(command_.refusal);
  Command otherwise = *command_.otherwise;
  otherwise.output = command_.output;
  otherwise.errors = command_.errors;
  command_ = std::move(otherwise);
  begin();
  return true;
}

std::optional<Result<Ending>> ChildProcess::look() {
  if (failure_) return tl::unexpected(*failure_);
  int status = 0;
  const pid_t ended = waitpid(process_, &status, WNOHANG);
  if (ended == process_ && (WIFEXITED(status) || WIFSIGNALED(status))) {
    process_ = 0;
    if (interrupted_ == 0 && begins_otherwise()) return {};
    return Ending{WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), interrupted_};
  }
  if (watch_->failed()) {
    kill_family(process_);
    waitpid(process_, nullptr, 0);
    process_ = 0;
    return fail(watch_->why() + said(command_));
  }
  if (interruptions_ > 0 && Clock::now() - first_ > patience) kill_family(process_);
  return {};
}

void ChildProcess::interrupt(const siginfo_t& info) {
  if (process_ <= 0) return;
  spdlog::debug("signal {}: waiting for {} to end", info.si_signo, command_.words[0]);
  if (++interruptions_ == 1) {
    interrupted_ = info.si_signo;
    first_ = Clock::now();
  }
  if (interruptions_ > 2) {
    kill_family(process_);
  } else if (!from_terminal(info)) {
    kill(process_,
         info.si_signo == SIGPIPE ? SIGTERM : info.si_signo);  // the missing reader was this process's
  }
}

}  // namespace emu::app
