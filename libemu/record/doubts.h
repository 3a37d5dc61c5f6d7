// Observations of a rank on its host that make a prediction doubtful. Counts of what the program did between MPI_Init
// and MPI_Finalize, on the thread that calls MPI; times in nanoseconds of the host's.
#pragma once

#include <array>
#include <cstdint>

namespace emu::record {

struct Doubts {
  // --- where compute is measured; otherwise 0
  std::int64_t cpu = 0;                   // CPU time of the thread
  std::int64_t switches = 0;              // how often it was taken off its core for another one
  std::int64_t other_cpu = 0;             // CPU time of other threads that nobody charged
  std::int64_t readings = 0;              // how often measured work was read
  std::int64_t taken_off = 0;             // what was taken off that, because the meter itself took it
  std::int64_t asking = 0, glancing = 0;  // what a reading takes, as measured at start: clock/thread_clock.h
  // --- always
  std::int64_t sleeps = 0;  // calls that sleep: virtual time stood still
  std::int64_t slept = 0;
  std::int64_t host_clocks =
      0;                    // readings of the host's clocks, where they are left as they are, and of CPU time
  std::int64_t random = 0;  // random numbers taken from the host
  std::int64_t dated_seeds = 0;  // 1: a seed of random numbers was made of the date, since the process began

  std::int64_t files = 0;  // accesses to files, of a storage that the target says nothing of

  // Reductions by an operation that does not commute, for which the target names an algorithm.
  std::int64_t other_algorithms = 0;

  std::int64_t shared_windows = 0;  // windows of memory that several ranks share, where compute is measured
  std::int64_t spun = 0;  // how often the rank was taken to wait for what another one stores in such memory

  std::int64_t children = 0;       // processes that the program started
  std::int64_t lost_children = 0;  // of these, whose CPU time did not count
  std::int64_t child_cpu = 0;      // CPU time of the others
  std::int64_t unfinalized = 0;    // 1: the program ended without MPI_Finalize

  std::int64_t callers = 0;  // threads that called MPI, where there were several at that time
  std::int64_t ran_on =
      0;  // how often threads that did not call were taken to compute, without a declaration

  friend bool operator==(const Doubts&, const Doubts&) = default;
};

// As a record has them.
inline constexpr std::array doubts = {
    &Doubts::cpu,         &Doubts::switches,         &Doubts::other_cpu,
    &Doubts::readings,    &Doubts::taken_off,        &Doubts::asking,
    &Doubts::glancing,    &Doubts::sleeps,           &Doubts::slept,
    &Doubts::host_clocks, &Doubts::random,           &Doubts::dated_seeds,
    &Doubts::files,       &Doubts::children,         &Doubts::lost_children,
    &Doubts::child_cpu,   &Doubts::unfinalized,      &Doubts::callers,
    &Doubts::ran_on,      &Doubts::other_algorithms, &Doubts::shared_windows,
    &Doubts::spun};

}  // namespace emu::record
