// Stacks of fibers, all of one size, in one range of addresses. A page is memory only once it has been touched.
#pragma once

#include <boost/context/stack_context.hpp>
#include <cstddef>
#include <vector>

#include "base/failure.h"

namespace emu::fiber {

class Stacks {
 public:
  // `most`: how many there can be at once. `bytes`: of each, rounded up to whole pages.
  static Result<Stacks> create(std::size_t most, std::size_t bytes);
  Stacks(Stacks&& from) noexcept;
  Stacks& operator=(Stacks&&) = delete;
  ~Stacks();

  boost::context::stack_context take();
  void give_back(const boost::context::stack_context& stack);

 private:
  Stacks(std::byte* base, std::size_t most, std::size_t bytes, std::size_t guard)
      : base_(base), most_(most), bytes_(bytes), guard_(guard) {}

  std::byte* base_;
  std::size_t most_, bytes_;
  // Bytes below each stack that end the process when they are touched. 0: the system has no room for so many ranges of addresses.
  std::size_t guard_;
  std::size_t used_ = 0;  // so many were taken for the first time
  std::vector<boost::context::stack_context> spare_;
};

// A view of the stacks for boost::context::fiber, which copies it.
struct StackAllocator {
  Stacks* stacks;
  boost::context::stack_context allocate() { return stacks->take(); }
  void deallocate(boost::context::stack_context& stack) { stacks->give_back(stack); }
};

}  // namespace emu::fiber
