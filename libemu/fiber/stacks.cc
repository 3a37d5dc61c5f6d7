#include "fiber/stacks.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

namespace emu::fiber {
namespace {

// Each guarded stack takes two ranges in the map of the process, and Linux permits 65,530.
constexpr std::size_t most_guarded = 16'384;

}  // namespace

Result<Stacks> Stacks::create(std::size_t most, std::size_t bytes) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  bytes = (bytes + page - 1) / page * page;
  const std::size_t guard = most <= most_guarded ? page : 0;
  const std::size_t all = most * (bytes + guard);
  void* const base = mmap(nullptr, all, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (base == MAP_FAILED)
    return fail("no room for " + std::to_string(most) + " stacks of " + std::to_string(bytes >> 10) +
                " KiB: " + std::strerror(errno));
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

void Stacks::give_back(const boost::context::stack_context& stack) { spare_.push_back(stack); }

}  // namespace emu::fiber
