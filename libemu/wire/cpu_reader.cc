#include "wire/cpu_reader.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace emu::wire {

CpuReader::~CpuReader() {
  for (int fd : files_)
    if (fd >= 0) close(fd);
}

std::int64_t CpuReader::computed(int rank, const CpuRecord& record) {
  const std::uint32_t epoch = record.epoch.load();
  if (epoch % 2 == 0) return 0;
  int& fd = files_[static_cast<std::size_t>(rank)];
  if (fd == unopened) {
    const std::string path = "/proc/" + std::to_string(record.pid.load()) + "/task/" +
                             std::to_string(record.thread.load()) + "/schedstat";
    fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) fd = unreadable;  // a kernel without it: waiting takes longer, that is all
  }
  if (fd < 0) return 0;
  char text[64];
  const ssize_t n = pread(fd, text, sizeof text - 1, 0);
  if (n <= 0) return 0;
  text[n] = 0;
  const std::int64_t used = std::strtoll(text, nullptr, 10) - record.since.load();
  // Only if the rank has been outside MPI all the while does the reading belong to `since`.
  if (used <= 0 || record.epoch.load() != epoch) return 0;
  return static_cast<std::int64_t>(static_cast<double>(used) * record.scale.load() * 1000.0 * (1 - 1e-9));
}

}  // namespace emu::wire
