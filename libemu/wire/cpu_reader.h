// A running rank's clock, read from outside: where compute is measured, the CPU time that a rank has used
// since it left MPI is time that it will be charged, so its bound may count it already. Linux brings the
// reading up to date at every tick (1 to 4 ms) and it never runs ahead: a lower bound.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace emu::wire {

// Written by the owner.
struct CpuRecord {
  std::atomic<std::uint32_t> epoch;  // odd: running, and what it runs will be charged as measured
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

  // Virtual picoseconds that `rank` has computed since it left MPI, at the least; 0 if that is not known.
  std::int64_t computed(int rank, const CpuRecord& record);

 private:
  static constexpr int unreadable = -1;
  // /proc/PID/task/TID/schedstat of a rank. Of many ranks only some stay open: a process may have no more than a
  // thousand files, mostly, and the system would have to keep the square of the number of ranks.
  struct File {
    int rank = -1;
    int fd = unreadable;
  };
  File& file_of(int rank, const CpuRecord& record);
  std::array<File, 64> files_;  // a rank has one place, by its number
};

}  // namespace emu::wire
