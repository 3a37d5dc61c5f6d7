#include "fiber/stacks.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <new>
#include <string>
#include <utility>

#include "base/memory.h"

namespace emu::fiber {
namespace {

// Each stack that is guarded by a range takes two ranges in the map of the process, and Linux permits 65,530 unless the
// system says otherwise. Half of them remain for everything else.
std::size_t most_ranges() {
  std::size_t ranges = 65'530;
  if (std::FILE* const file = std::fopen("/proc/sys/vm/max_map_count", "r")) {
    if (std::fscanf(file, "%zu", &ranges) != 1) ranges = 0;
    std::fclose(file);
  }
  return ranges / 4;
}

constexpr int guard_install = 102;  // MADV_GUARD_INSTALL, which the C library does not name yet

bool marks_entries(std::size_t page) {
  void* const memory = mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return false;
  const bool marked = madvise(memory, page, guard_install) == 0;
  munmap(memory, page);
  return marked;
}

std::size_t page_size() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

}  // namespace

Result<Stacks> Stacks::create(std::size_t most, std::size_t bytes) {
  if (marks_entries(page_size())) return create(most, bytes, Guard::entries);
  return create(most, bytes, most <= most_ranges() ? Guard::ranges : Guard::zones);
}

Result<Stacks> Stacks::create(std::size_t most, std::size_t bytes, Guard guard) {
  const std::size_t page = page_size();
  bytes = (bytes + page - 1) / page * page;
  const std::size_t all = most * (bytes + page);
  void* const base = mmap(nullptr, all, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (base == MAP_FAILED)
    return fail("no room for " + std::to_string(most) + " stacks of " + std::to_string(bytes >> 10) +
                " KiB, one for each rank: " + std::strerror(errno) + "; " + memory_in_words() +
                "; run with fewer ranks, or a greater limit");
  return Stacks(static_cast<std::byte*>(base), most, bytes, page, guard);
}

Stacks::Stacks(Stacks&& from) noexcept
    : base_(std::exchange(from.base_, nullptr)),
      most_(from.most_),
      bytes_(from.bytes_),
      guard_(from.guard_),
      how_(from.how_),
      used_(from.used_),
      last_(from.last_),
      spare_(std::move(from.spare_)) {}

Stacks::~Stacks() {
  if (base_) munmap(base_, most_ * step());
}

boost::context::stack_context Stacks::take() {
  if (!spare_.empty()) {
    const boost::context::stack_context stack = spare_.back();
    spare_.pop_back();
    last_ = static_cast<const std::byte*>(stack.sp) - bytes_;
    return stack;
  }
  if (spare_.capacity() <= used_) spare_.reserve(2 * (used_ + 1));  // give_back() must not fail
  std::byte* const lowest = base_ + used_ * step();
  // Without memory for the mark: no stack for the rank.
  if (how_ == Guard::entries && used_ > 0 && madvise(lowest, guard_, guard_install) != 0)
    throw std::bad_alloc();
  if ((how_ == Guard::ranges || used_ == 0) && mprotect(lowest, guard_, PROT_NONE) != 0)
    throw std::bad_alloc();
  ++used_;
  last_ = lowest + guard_;
  boost::context::stack_context stack;
  stack.size = bytes_;
  stack.sp = lowest + guard_ + bytes_;  // the stack grows downwards
  return stack;
}

bool Stacks::guards(const void* address) const {
  const auto* const at = static_cast<const std::byte*>(address);
  const std::size_t guarded = zones() ? std::min<std::size_t>(used_, 1) : used_;  // the first one always is
  if (at < base_ || at >= base_ + guarded * step()) return false;
  return static_cast<std::size_t>(at - base_) % step() < guard_;
}

// Reading takes no memory: pages that were never written are one page of the system's. A frame need not write all of
// itself, so places all over the page are looked at.
bool Stacks::untouched(const std::byte* lowest) const {
  constexpr std::size_t apart = 64;
  std::byte written{};
  for (const std::byte* at = lowest - guard_; at < lowest; at += apart)
    for (std::size_t i = 0; i < sizeof(std::uint64_t); ++i) written |= at[i];
  return written == std::byte{};
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
  if (reported && reported->guards(info->si_addr)) OverflowReport::end();
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

void OverflowReport::end() {
  report(*running_rank);
  _exit(1);
}

OverflowReport::~OverflowReport() {
  sigaction(SIGSEGV, &action_before_, nullptr);
  sigaltstack(&stack_before_, nullptr);
  reported = nullptr;
}

void Stacks::give_back(const boost::context::stack_context& stack) { spare_.push_back(stack); }

}  // namespace emu::fiber
