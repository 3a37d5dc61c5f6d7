// Promises of a rank that shares memory with others, while its program computes without calling.
//
// With declared compute, ranks that share memory by a window return from their calls in the order of their clocks
// (Rank::shares_memory_with). A program that loads in a loop until another rank has stored, or that waits for a lock in
// such memory, would block a rank that waits for it. A thread of libemu checks periodically whether the program has
// called. If the program seems to spin, the rank promises the instant that other ranks wait for, and its next call
// takes place no sooner (rank/semantics.md, "Loads and stores in shared memory"). With measured compute, it promises
// the time computed so far.
#pragma once

#include <pthread.h>
#include <sys/types.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

#include "base/time.h"

namespace emu::mpi {

class SharedMemory {
 public:
  // Called by the thread that has the rank, in a call of the program.
  SharedMemory();
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;

  // The calling thread, the only one that calls, takes the rank. May be nested.
  void take();
  void give();

  // The rank has promised to do nothing before this instant.
  Instant promised() const { return promised_; }
  // The thread that checks.
  pthread_t thread() const { return const_cast<std::thread&>(thread_).native_handle(); }

 private:
  void run();
  // Returns true if it should check again soon.
  bool look();
  bool spins(std::int64_t used);
  std::int64_t cpu() const;

  const pthread_t program_;  // the thread that calls
  const pid_t number_;       // its number in the system
  std::mutex rank_;          // held by the thread that has the rank
  std::uint64_t calls_ = 0;
  Instant promised_;
  // State at the last check.
  std::uint64_t seen_ = 0;
  std::int64_t cpu_ = 0;  // of the thread, in nanoseconds, at the first check after its last call
  std::string waits_;
  bool spins_ = false;  // since its last call
  bool has_spun_ = false;

  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace emu::mpi
