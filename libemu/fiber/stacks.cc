#include "fiber/stacks.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>

namespace emu::fiber {
namespace {

// Each guarded stack takes two ranges in the map of the process, and Linux permits 65,530 unless the system says otherwise.
// Half of them remain for everything else.
std::size_t most_guarded() {
  std::size_t ranges = 65'530;
  if (std::FILE* const file = std::fopen("/proc/sys/vm/max_map_count", "r")) {
    if (std::fscanf(file, "%zu", &ranges) != 1) ranges = 0;
    std::fclose(file);
  }
  return ranges / 4;
}

}  // namespace

Result<Stacks> Stacks::create(std::size_t most, std::size_t bytes) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  bytes = (bytes + page - 1) / page * page;
  const std::size_t guard = most <= most_guarded() ? page : 0;
  const std::size_t all = most * (bytes + guard);
  void* const base = mmap(nullptr, all, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (base == MAP_FAILED)
    return fail("no room for " + std::to_string(most) + " stacks of " + std::to_string(bytes >> 10) +
                " KiB: " + std::strerror(errno) + " (ulimit -v limits the addresses of a process)");
  return Stacks(static_cast<std::byte*>(base), most, bytes, guard);
}

Stacks::Stacks(Stacks&& from) noexcept
    : base_(std::exchange(from.base_, nullptr)),
      most_(from.most_),
      bytes_(from.bytes_),
      guard_(from.guard_),
      used_(from.used_),
      spare_(std::move(from.spare_)) {}

Stacks::~Stacks() {
  if (base_) munmap(base_, most_ * (bytes_ + guard_));
}

boost::context::stack_context Stacks::take() {
  if (!spare_.empty()) {
    const boost::context::stack_context stack = spare_.back();
    spare_.pop_back();
    return stack;
  }
  std::byte* const lowest = base_ + used_++ * (bytes_ + guard_);
  if (guard_ > 0) mprotect(lowest, guard_, PROT_NONE);
  boost::context::stack_context stack;
  stack.size = bytes_;
  stack.sp = lowest + guard_ + bytes_;  // the stack grows downwards
  return stack;
}

bool Stacks::guards(const void* address) const {
  const auto* const at = static_cast<const std::byte*>(address);
  if (guard_ == 0 || at < base_ || at >= base_ + used_ * (bytes_ + guard_)) return false;
  return static_cast<std::size_t>(at - base_) % (bytes_ + guard_) < guard_;
}

namespace {

const Stacks* reported = nullptr;
const int* running_rank = nullptr;
const struct sigaction* former = nullptr;

// Uses nothing that a signal handler may not.
void report(int number) {
  char text[128] = "emu: error: rank ";
  std::size_t length = std::strlen(text);
  const auto add_number = [&](std::size_t n) {
    char digits[20];
    std::size_t count = 0;
    do {
      digits[count++] = static_cast<char>('0' + n % 10);
      n /= 10;
    } while (n > 0);
    while (count > 0) text[length++] = digits[--count];
  };
  const auto add = [&](const char* words) {
    while (*words) text[length++] = *words++;
  };
  add_number(static_cast<std::size_t>(number));
  add(" needs more than its ");
  add_number(reported->bytes() >> 10);
  add(" KiB of stack\n");
  [[maybe_unused]] const auto written = write(STDERR_FILENO, text, length);
}

void on_fault(int signal, siginfo_t* info, void*) {
  if (reported && reported->guards(info->si_addr)) {
    report(*running_rank);
    _exit(1);
  }
  sigaction(signal, former, nullptr);  // the fault happens again, without this handler
}

}  // namespace

OverflowReport::OverflowReport(const Stacks& stacks, const int& running) {
  constexpr std::size_t bytes = 64 << 10;
  memory_ = std::make_unique<std::byte[]>(bytes);
  stack_t stack{};
  stack.ss_sp = memory_.get();
  stack.ss_size = bytes;
  sigaltstack(&stack, &stack_before_);
  reported = &stacks;
  running_rank = &running;
  former = &action_before_;
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGSEGV, &action, &action_before_);
}

OverflowReport::~OverflowReport() {
  sigaction(SIGSEGV, &action_before_, nullptr);
  sigaltstack(&stack_before_, nullptr);
  reported = nullptr;
}

void Stacks::give_back(const boost::context::stack_context& stack) { spare_.push_back(stack); }

}  // namespace emu::fiber
