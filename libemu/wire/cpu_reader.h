// Reading of a running rank's clock by other processes. If compute is measured, the rank will be
// charged the CPU time that it has used since it left MPI, so its bound may include that time already.
// Linux updates the reading at every tick (1 to 4 ms), and it is never too high: a lower bound.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace emu::wire {

// Written by the rank.
struct CpuRecord {
  std::atomic<std::uint32_t> epoch;  // odd: the rank computes, and will be charged as measured
  std::atomic<std::int64_t> since;   // CPU nanoseconds of its thread when it left MPI
  std::atomic<double> scale;         // virtual nanoseconds per CPU nanosecond
  std::atomic<std::int32_t> pid;
  std::atomic<std::int32_t> thread;
};

class CpuReader {
 public:
  CpuReader() = default;
  ~CpuReader();
  CpuReader(const CpuReader&) = delete;
  CpuReader& operator=(const CpuReader&) = delete;

  // Lower bound of the virtual picoseconds that `rank` has computed since it left MPI; 0 if unknown.
  std::int64_t computed(int rank, const CpuRecord& record);

 private:
  static constexpr int unreadable = -1;
  // /proc/PID/task/TID/schedstat of a rank. Only some files stay open: a process may usually have no
  // more than a thousand files, and all ranks together would open as many as the square of their number.
  struct File {
    int rank = -1;
    int fd = unreadable;
  };
  File& file_of(int rank, const CpuRecord& record);
  std::array<File, 64> files_;  // a rank has one entry, by its number
};

}  // namespace emu::wire
