// Promises of a rank that shares memory with others, while its program does not call.
//
// Where compute is declared, ranks that share memory by a window go on after their calls in the order of their clocks
// (Rank::takes_turns). A program that loads in a loop until another rank has stored, or that waits for a lock in such
// memory, would then wait for one that waits for it. A thread of libemu's looks now and then whether the program has called; if it
// seems to spin, others are promised what they wait for, and the next call comes no sooner (rank/semantics.md, "Loads and stores in
// shared memory"). Where compute is measured, they are promised what the program has computed by now.
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
  // By the thread that has the rank, in a call of the program's.
  SharedMemory();
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;

  // The rank is the calling thread's, which is the only one that calls. They may be nested.
  void take();
  void give();

  // The rank has promised to do nothing before.
  Instant promised() const { return promised_; }
  // The one that looks.
  pthread_t thread() const { return const_cast<std::thread&>(thread_).native_handle(); }

 private:
  void run();
  // Whether it should look again soon.
  bool look();
  bool spins(std::int64_t used);
  std::int64_t cpu() const;

  const pthread_t program_;  // the thread that calls
  const pid_t number_;       // the system's of it
  std::mutex rank_;          // who holds it has the rank
  std::uint64_t calls_ = 0;
  Instant promised_;
  // What was seen last.
  std::uint64_t seen_ = 0;
  std::int64_t cpu_ = 0;  // of the thread, in nanoseconds, at the first look after its last call
  std::string waits_;
  bool spins_ = false;  // since its last call
  bool has_spun_ = false;

  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread thread_;
};

// Windows were made or freed: with whom the rank shares memory, it does from here on.
void share_memory();

}  // namespace emu::mpi
