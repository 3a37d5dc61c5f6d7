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
  // `most`: the greatest number of stacks at once. `bytes`: the size of each, rounded up to whole pages.
  static Result<Stacks> create(std::size_t most, std::size_t bytes);
  Stacks(Stacks&& from) noexcept;
  Stacks& operator=(Stacks&&) = delete;
  ~Stacks();

  boost::context::stack_context take();
  void give_back(const boost::context::stack_context& stack);
  std::size_t bytes() const { return bytes_; }
  // True if the address is below one of the stacks, where nothing may be written.
  bool guards(const void* address) const;

 private:
  Stacks(std::byte* base, std::size_t most, std::size_t bytes, std::size_t guard)
      : base_(base), most_(most), bytes_(bytes), guard_(guard) {}

  std::byte* base_;
  std::size_t most_, bytes_;
  // Size of the inaccessible range below each stack. 0: the system does not permit so many ranges of addresses.
  std::size_t guard_;
  std::size_t used_ = 0;  // number of stacks taken for the first time
  std::vector<boost::context::stack_context> spare_;
};

// As long as it exists, a rank whose stack overflows ends the process with a message that names the rank. One at a time.
class OverflowReport {
 public:
  // Both outlive it. `running`: the rank that has control.
  OverflowReport(const Stacks& stacks, const int& running);
  ~OverflowReport();
  OverflowReport(const OverflowReport&) = delete;

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
