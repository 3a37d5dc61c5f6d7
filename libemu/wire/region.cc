#include "wire/region.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "base/huge_pages.h"

namespace emu::wire {

namespace {

// Begins with a huge page. MAP_FAILED with errno if there are not enough addresses.
void* map_aligned(int fd, std::size_t bytes) {
  const std::size_t reserved = bytes + huge_page;
  void* const room = mmap(nullptr, reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) return room;
  const auto begin = reinterpret_cast<std::uintptr_t>(room), at = round_up_to_huge_page(begin);
  void* const base = mmap(reinterpret_cast<void*>(at), bytes, PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_NORESERVE | MAP_FIXED, fd, 0);
  if (base == MAP_FAILED) {
    const int error = errno;
    munmap(room, reserved);
    errno = error;
    return base;
  }
  const std::uintptr_t page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const std::uintptr_t end = (at + bytes + page - 1) / page * page;
  if (at > begin) munmap(room, at - begin);
  if (begin + reserved > end) munmap(reinterpret_cast<void*>(end), begin + reserved - end);
  return base;
}

}  // namespace

Result<Region> Region::map(int fd, std::size_t bytes) {
  void* const base = map_aligned(fd, bytes);
  if (base == MAP_FAILED) {
    const int error = errno;
    close(fd);
    return fail("cannot map " + std::to_string(bytes >> 20) + " MiB of shared memory: " +
                std::strerror(error) + " (is the address space limited, ulimit -v?)");
  }
  madvise(base, bytes, MADV_DONTDUMP);
  return Region(fd, static_cast<std::byte*>(base), bytes);
}

void Region::use_huge_pages(std::size_t bytes) const {
  const std::size_t whole = round_up_to_huge_page(bytes);
  if (whole <= bytes_) (void)move_to_huge_pages(base_, whole);
}

Result<Region> Region::create(std::size_t bytes) {
  const int fd = memfd_create("libemu", MFD_CLOEXEC);
  if (fd < 0) return fail(std::string("cannot create shared memory (memfd_create): ") + std::strerror(errno));
  if (ftruncate(fd, static_cast<off_t>(bytes)) != 0) {
    const int error = errno;
    close(fd);
    return fail("cannot size shared memory to " + std::to_string(bytes >> 20) +
                " MiB: " + std::strerror(error));
  }
  return map(fd, bytes);
}

Result<Region> Region::open(int pid, int owner_fd, std::size_t bytes) {
  const std::string path = "/proc/" + std::to_string(pid) + "/fd/" + std::to_string(owner_fd);
  const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0)
    return fail("cannot open the shared memory of process " + std::to_string(pid) + ": " +
                std::strerror(errno));
  return map(fd, bytes);
}

Region::Region(Region&& other) noexcept
    : fd_(other.fd_), base_(other.base_), bytes_(other.bytes_), mapped_(other.mapped_) {
  other.fd_ = -1;
  other.mapped_ = false;
}

Region::~Region() {
  if (mapped_) munmap(base_, bytes_);
  if (fd_ >= 0) close(fd_);
}

}  // namespace emu::wire
