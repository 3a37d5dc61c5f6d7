#include "launch/launch.h"

#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "launch/start_watch.h"

namespace emu::app {
namespace {

// How long a command may take to end when it is told to.
constexpr std::chrono::seconds patience{3};

// The signals that launch() looks for are blocked while it lives, so that none is lost between two looks.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigemptyset(&set_);
    for (int signal : {SIGINT, SIGTERM, SIGPIPE, SIGCHLD}) sigaddset(&set_, signal);
    struct sigaction hangup;
    sigaction(SIGHUP, nullptr, &hangup);
    if (hangup.sa_handler != SIG_IGN) sigaddset(&set_, SIGHUP);  // ignored: started by nohup
    sigprocmask(SIG_BLOCK, &set_, &before_);
  }
  ~BlockedSignals() {
    (void)taken_up();
    sigprocmask(SIG_SETMASK, &before_, nullptr);
  }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

  // Those that this process keeps waiting, it does so for itself alone.
  sigset_t of_child() const {
    sigset_t set = before_;
    for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) sigdelset(&set, signal);
    return set;
  }
  // What came by the command's end is done with too: the cleaning up behind it is not to be cut short. The first
  // such signal, or 0.
  int taken_up() const {
    const timespec now{};
    int first = 0;
    for (int signal = 0; (signal = sigtimedwait(&set_, nullptr, &now)) > 0;)
      if (first == 0 && signal != SIGCHLD) first = signal;
    return first;
  }
  // The next signal, 0 after a tenth of a second without one.
  int wait(siginfo_t& info) const {
    const timespec tenth{0, 100'000'000};
    const int signal = sigtimedwait(&set_, &info, &tenth);
    return signal > 0 ? signal : 0;
  }

 private:
  sigset_t set_;
  sigset_t before_;
};

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

// If there is a file `output`, standard output and error go there, or the latter to the file `errors`, and
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

// Inherited by all that this process starts. A sandbox may forbid it.
void stop_randomizing_addresses() {
  constexpr unsigned long ask = 0xffffffff;
  const int now = personality(ask);
  if (now != -1) personality(static_cast<unsigned long>(now) | ADDR_NO_RANDOMIZE);
}

// In the child. `report` is a pipe that closes when the command starts, or else carries errno.
[[noreturn]] void become(char** words, char** environment, const Command& command, const sigset_t& mask,
                         pid_t parent, int report) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(127);  // it died before the line above
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  if (command.same_addresses) stop_randomizing_addresses();
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

// `process`, and all that it and those have started; who was started comes behind who did.
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

// MPICH's process manager, told to end while the ranks start, now and then waits for ranks that wait for it: so
// the ranks first.
void kill_family(pid_t process) {
  const std::vector<pid_t> members = family(process);
  std::for_each(members.rbegin(), members.rend(), [](pid_t member) { kill(member, SIGKILL); });
}

// What the command has said, if that did not go where this process's own output goes.
std::string said(const Command& command) {
  if (command.output.empty()) return "";
  std::ifstream file(command.output);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  while (text.ends_with('\n')) text.pop_back();
  return text.empty() ? "; it said nothing" : "; it said:\n" + text;
}

// A key on the terminal reaches every process in the foreground, the command too: it must not come twice.
bool from_terminal(const siginfo_t& info) { return info.si_code == SI_KERNEL; }

}  // namespace

namespace {

Result<Ending> launch_once(const Command& command, const std::function<void()>& tick) {
  auto limit = start_limit();
  if (!limit) return tl::unexpected(limit.error());
  if (!command.has_to_start) limit = std::chrono::seconds(0);
  const BlockedSignals signals;
  const auto child = start(command, signals.of_child());
  if (!child) return tl::unexpected(child.error());
  Ending ending;
  int interruptions = 0;
  using Clock = std::chrono::steady_clock;
  Clock::time_point first;  // of these
  StartWatch watch(*child, *limit);
  for (;;) {
    int status = 0;
    const pid_t ended = waitpid(*child, &status, WNOHANG);
    if (ended == *child && (WIFEXITED(status) || WIFSIGNALED(status))) {
      ending.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      if (const int late = signals.taken_up(); ending.interrupted == 0) ending.interrupted = late;
      return ending;
    }
    tick();
    if (watch.failed()) {
      kill_family(*child);
      waitpid(*child, nullptr, 0);
      return fail(watch.why() + said(command));
    }
    if (interruptions > 0 && Clock::now() - first > patience) kill_family(*child);
    siginfo_t info{};
    const int signal = signals.wait(info);
    if (signal == 0 || signal == SIGCHLD) continue;
    spdlog::debug("signal {}: waiting for {} to end", signal, command.words[0]);
    if (++interruptions == 1) {
      ending.interrupted = signal;
      first = Clock::now();
    }
    if (interruptions > 2) {
      kill_family(*child);
    } else if (!from_terminal(info)) {
      kill(*child, signal == SIGPIPE ? SIGTERM : signal);  // the reader that is gone was this process's
    }
  }
}

}  // namespace

Result<Ending> launch(const Command& command, const std::function<void()>& tick) {
  auto ending = launch_once(command, tick);
  if (command.refusal.empty() || !std::filesystem::exists(command.refusal)) return ending;
  std::ifstream in(command.refusal);
  std::string why;
  std::getline(in, why);
  spdlog::debug("{}: the ranks are started by {}: {}", command.words[0], command.otherwise->words[0], why);
  std::filesystem::remove(command.refusal);
  return launch_once(*command.otherwise, tick);
}

}  // namespace emu::app
