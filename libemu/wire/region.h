// Memory that all ranks of a node share: an unnamed file (memfd), so that nothing stays behind however the
// job ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/failure.h"

namespace emu::wire {

class Region {
 public:
  // A new region of `bytes` zero bytes. Pages take memory only once they are touched.
  static Result<Region> create(std::size_t bytes);
  // The region that process `pid` holds as file `fd`.
  static Result<Region> open(int pid, int fd, std::size_t bytes);

  Region(Region&& other) noexcept;
  Region& operator=(Region&&) = delete;
  ~Region();

  std::byte* base() const { return base_; }
  std::size_t bytes() const { return bytes_; }
  int fd() const { return fd_; }

 private:
  Region(int fd, std::byte* base, std::size_t bytes) : fd_(fd), base_(base), bytes_(bytes) {}
  static Result<Region> map(int fd, std::size_t bytes);

  int fd_;
  std::byte* base_;
  std::size_t bytes_;
};

}  // namespace emu::wire
