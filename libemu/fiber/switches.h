// Announcements of changes of the stack to AddressSanitizer. Without them it finds errors that do not exist, once an
// exception has left a frame on the stack of a fiber. Other builds announce nothing.
#pragma once

#include <cstddef>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#endif

namespace emu::fiber {

struct Extent {
  const void* lowest = nullptr;
  std::size_t bytes = 0;
};

#ifdef __SANITIZE_ADDRESS__
// Exists while a stack rests: from before the change to the stack `to` until control is back.
class Rest {
 public:
  explicit Rest(const Extent& to) { __sanitizer_start_switch_fiber(&frames_, to.lowest, to.bytes); }
  ~Rest() { __sanitizer_finish_switch_fiber(frames_, nullptr, nullptr); }
  Rest(const Rest&) = delete;

 private:
  void* frames_ = nullptr;
};

// The first object on a new stack, and the last one: it finds out `from`, the stack to which control returns.
class Life {
 public:
  explicit Life(Extent& from) : from_(from) {
    __sanitizer_finish_switch_fiber(nullptr, &from.lowest, &from.bytes);
  }
  ~Life() { __sanitizer_start_switch_fiber(nullptr, from_.lowest, from_.bytes); }
  Life(const Life&) = delete;

 private:
  Extent& from_;
};
#else
struct Rest {
  explicit Rest(const Extent&) {}
};
struct Life {
  explicit Life(Extent&) {}
};
#endif

}  // namespace emu::fiber
