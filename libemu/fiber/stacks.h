// Stacks of fibers, all of one size, in one range of addresses. Only touched pages take memory.
#pragma once

#include <signal.h>

#include <boost/context/stack_context.hpp>
#include <cstddef>
#include <memory>
#include <vector>

#include "base/failure.h"

namespace emu::fiber {

class Stacks {
 public:
  // Protection of the page below each stack, which detects an overflow. entries: the system marks the page, since Linux
  // 6.13. ranges: the page is a range of addresses of its own, of which a process may have some 65,000. zones: the page
  // has to remain 0, see untouched().
  enum class Guard { entries, ranges, zones };

  // `most`: the greatest number of stacks at once. `bytes`: the size of each, rounded up to whole pages.
  static Result<Stacks> create(std::size_t most, std::size_t bytes);
  static Result<Stacks> create(std::size_t most, std::size_t bytes, Guard guard);
  Stacks(Stacks&& from) noexcept;
  Stacks& operator=(Stacks&&) = delete;
  ~Stacks();

  boost::context::stack_context take();
  void give_back(const boost::context::stack_context& stack);
  std::size_t bytes() const { return bytes_; }
  // True if the address is below one of the stacks, where nothing may be written.
  bool guards(const void* address) const;
  // The lowest byte of the stack that was taken last.
  const std::byte* last() const { return last_; }
  // True if overflows of the stack with this lowest byte have to be looked for.
  bool needs_looks(const std::byte* lowest) const { return zones() && lowest != base_ + guard_; }
  // False if the stack, which needs looks, has overflowed.
  bool untouched(const std::byte* lowest) const;

 private:
  Stacks(std::byte* base, std::size_t most, std::size_t bytes, std::size_t guard, Guard how)
      : base_(base), most_(most), bytes_(bytes), guard_(guard), how_(how) {}
  std::size_t step() const { return bytes_ + guard_; }
  bool zones() const { return how_ == Guard::zones; }

  std::byte* base_;
  std::size_t most_, bytes_;
  std::size_t guard_;  // size of the page below each stack
  Guard how_;
  std::size_t used_ = 0;  // number of stacks taken for the first time
  const std::byte* last_ = nullptr;
  std::vector<boost::context::stack_context> spare_;
};

// As long as it exists, a rank whose stack overflows ends the process with a message that names the rank. One at a
// time.
class OverflowReport {
 public:
  // Both outlive it. `running`: the rank that has control.
  OverflowReport(const Stacks& stacks, const int& running);
  ~OverflowReport();
  OverflowReport(const OverflowReport&) = delete;
  // The stack of the rank that runs has overflowed.
  [[noreturn]] static void end();

 private:
  std::unique_ptr<std::byte[]> memory_;  // stack of the handler
  stack_t stack_before_{};
  struct sigaction action_before_ {};
};

// Reference to the stacks for boost::context::fiber, which copies it.
struct StackAllocator {
  Stacks* stacks;
  boost::context::stack_context allocate() { return stacks->take(); }
  void deallocate(boost::context::stack_context& stack) { stacks->give_back(stack); }
};

}  // namespace emu::fiber
