// Memory that all ranks of a node share: an unnamed file (memfd), of which nothing is left in whatever way the
// job ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "base/failure.h"

namespace emu::wire {

class Region {
 public:
  // A new region of `bytes` zero bytes. Pages take memory only once they are touched.
  static Result<Region> create(std::size_t bytes);
  // The region that process `pid` has open as file `fd`.
  static Result<Region> open(int pid, int fd, std::size_t bytes);
  // The same mapping again, for another rank of this process. This object must outlive it.
  Region borrowed() const { return Region(-1, base_, bytes_, false); }

  Region(Region&& other) noexcept;
  Region& operator=(Region&& other) noexcept {
    std::swap(fd_, other.fd_);
    std::swap(base_, other.base_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Region();

  // Moves the first `bytes` to huge pages, if the kernel makes some: ranks then touch them without page faults, and share
  // entries of few page tables.
  void use_huge_pages(std::size_t bytes) const;
  std::byte* base() const { return base_; }
  std::size_t bytes() const { return bytes_; }
  int fd() const { return fd_; }

 private:
  Region(int fd, std::byte* base, std::size_t bytes, bool mapped = true)
      : fd_(fd), base_(base), bytes_(bytes), mapped_(mapped) {}
  static Result<Region> map(int fd, std::size_t bytes);

  int fd_;
  std::byte* base_;
  std::size_t bytes_;
  bool mapped_;  // by this object, which unmaps it
};

}  // namespace emu::wire
