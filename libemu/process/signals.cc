// The program's signal handlers. A handler may interrupt a call of libemu, in which the library below asks for
// the host's time. The handler's own questions must be distinguished from those, so that it reads the target's
// time wherever it interrupts. So libemu's own handler calls the program's, and marks that (Caller::interrupted).
//
// A handler that interrupts a call, or a thread that never calls MPI, reads the rank's clock at no cost.
// In other cases, its calls are calls of the program. Threads that are not the program's run no handlers.

#include "process/signals.h"

#include <signal.h>

#include <array>
#include <atomic>

#include "base/next.h"
#include "process/clocks.h"
#include "process/start/environment.h"
#include "process/threads/thread_registry.h"

namespace {

using emu::next;
using Function = void (*)(int, siginfo_t*, void*);

// The program's handler of a signal.
struct Handler {
  std::atomic<Function> function = nullptr;
  std::atomic<bool> informed = false;  // with three arguments (SA_SIGINFO)
};
std::array<Handler, NSIG> handlers;

// `sigaction` stores both kinds of handler in one place.
sighandler_t without_information(Function function) {
  struct sigaction both {};
  both.sa_sigaction = function;
  return both.sa_handler;
}

void pass_on(int number, siginfo_t* info, void* context) {
  const bool interrupts =
      emu::mpi::caller.depth > 0 || emu::mpi::time_of_caller() == emu::mpi::Time::own_clock;
  if (interrupts) ++emu::mpi::caller.interrupted;
  const Handler& handler = handlers[static_cast<std::size_t>(number)];
  if (handler.informed)
    handler.function.load()(number, info, context);
  else
    without_information(handler.function)(number);
  if (interrupts) --emu::mpi::caller.interrupted;
}

bool known(int number) { return number > 0 && number < NSIG; }

bool is_function(const struct sigaction& action) {
  return action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN && action.sa_sigaction != &pass_on;
}

int real_action(int number, const struct sigaction* action, struct sigaction* before) {
  static const auto function = next<int(int, const struct sigaction*, struct sigaction*)>("sigaction");
  return function(number, action, before);
}

// Replaces libemu's handler by the one that the program has set.
void translate(int number, struct sigaction& action) {
  if (action.sa_sigaction != &pass_on) return;
  const Handler& handler = handlers[static_cast<std::size_t>(number)];
  action.sa_sigaction = handler.function;
  if (!handler.informed) action.sa_flags &= ~SA_SIGINFO;
}

// Scope in which the calling thread blocks the signal.
class Blocked {
 public:
  explicit Blocked(int number) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number);
    pthread_sigmask(SIG_BLOCK, &set, &before_);
  }
  ~Blocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  Blocked(const Blocked&) = delete;

 private:
  sigset_t before_;
};

int set_action(int number, const struct sigaction& action, struct sigaction* before) {
  Handler& handler = handlers[static_cast<std::size_t>(number)];
  const Blocked blocked(number);
  struct sigaction previous {};
  if (const int code = real_action(number, nullptr, &previous); code != 0) return code;
  translate(number, previous);
  struct sigaction ours = action;
  const Function function = handler.function;
  const bool informed = handler.informed;
  if (is_function(action)) {
    handler.function = action.sa_sigaction;
    handler.informed = (action.sa_flags & SA_SIGINFO) != 0;
    ours.sa_sigaction = &pass_on;
    ours.sa_flags |= SA_SIGINFO;
  }
  const int code = real_action(number, &ours, nullptr);
  if (code != 0) {
    handler.function = function;
    handler.informed = informed;
  } else if (before) {
    *before = previous;
  }
  return code;
}

// For functions that set a handler only, and return the former one.
sighandler_t set_handler(const char* name, int number, sighandler_t wanted) {
  const auto real = next<sighandler_t(int, sighandler_t)>(name);
  if (!known(number) || !emu::mpi::target_in_environment()) return real(number, wanted);
  struct sigaction before {
  }, now{};
  real_action(number, nullptr, &before);
  translate(number, before);
  const sighandler_t result = real(number, wanted);
  if (result != SIG_ERR && real_action(number, nullptr, &now) == 0 && is_function(now))
    set_action(number, now, nullptr);
  return result == without_information(&pass_on) ? before.sa_handler : result;
}

}  // namespace

void emu::mpi::leave_signals_to_program() {
  sigset_t set;
  sigfillset(&set);
  for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGPROF}) sigdelset(&set, own);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

extern "C" int sigaction(int number, const struct sigaction* action, struct sigaction* before) noexcept {
  if (!known(number) || !emu::mpi::target_in_environment()) return real_action(number, action, before);
  if (action) return set_action(number, *action, before);
  const int code = real_action(number, nullptr, before);
  if (code == 0 && before) translate(number, *before);
  return code;
}

extern "C" sighandler_t signal(int number, sighandler_t handler) noexcept {
  return set_handler(__func__, number, handler);
}
extern "C" sighandler_t bsd_signal(int number, sighandler_t handler) noexcept {
  return set_handler(__func__, number, handler);
}
extern "C" sighandler_t ssignal(int number, sighandler_t handler) noexcept {
  return set_handler(__func__, number, handler);
}
extern "C" sighandler_t sysv_signal(int number, sighandler_t handler) noexcept {
  return set_handler(__func__, number, handler);
}
extern "C" sighandler_t __sysv_signal(int number, sighandler_t handler) noexcept {
  return set_handler(__func__, number, handler);
}
extern "C" sighandler_t sigset(int number, sighandler_t handler) noexcept {
  return set_handler(__func__, number, handler);
}
