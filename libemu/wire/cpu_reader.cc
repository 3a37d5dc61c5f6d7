#include "wire/cpu_reader.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace emu::wire {

CpuReader::~CpuReader() {
  for (const File& file : files_)
    if (file.fd >= 0) close(file.fd);
}

CpuReader::File& CpuReader::file_of(int rank, const CpuRecord& record) {
  File& file = files_[static_cast<std::size_t>(rank) % files_.size()];
  if (file.rank == rank) return file;
  if (file.fd >= 0) close(file.fd);
  const std::string path = "/proc/" + std::to_string(record.pid.load()) + "/task/" +
                           std::to_string(record.thread.load()) + "/schedstat";
  file = {rank, open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.fd < 0) file.fd = unreadable;  // a kernel without this file: waits take longer
  return file;
}

std::int64_t CpuReader::computed(int rank, const CpuRecord& record) {
  const std::uint32_t epoch = record.epoch.load();
  if (epoch % 2 == 0) return 0;
  const int fd = file_of(rank, record).fd;
  if (fd < 0) return 0;
  char text[64];
  const ssize_t n = pread(fd, text, sizeof text - 1, 0);
  if (n <= 0) return 0;
  text[n] = 0;
  const std::int64_t used = std::strtoll(text, nullptr, 10) - record.since.load();
  // The reading belongs to `since` only if the rank has been outside MPI all the time.
  if (used <= 0 || record.epoch.load() != epoch) return 0;
  return static_cast<std::int64_t>(static_cast<double>(used) * record.scale.load() * 1000.0 * (1 - 1e-9));
}

}  // namespace emu::wire
