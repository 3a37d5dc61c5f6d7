// Observations of a rank on its host that make a prediction doubtful: counts of the program's actions between MPI_Init
// and MPI_Finalize, on the thread that calls MPI; times in nanoseconds of the host.
#pragma once

#include <array>
#include <cstdint>

namespace emu::record {

struct Doubts {
  // --- if compute is measured; otherwise 0
  std::int64_t cpu = 0;                   // CPU time of the thread
  std::int64_t switches = 0;              // number of involuntary context switches
  std::int64_t other_cpu = 0;             // CPU time of other threads that was not charged
  std::int64_t readings = 0;              // number of readings of measured work
  std::int64_t taken_off = 0;             // overhead of the meter that was subtracted
  std::int64_t asking = 0, glancing = 0;  // cost of a reading, as measured at start: clock/thread_clock.h
  // --- in every run
  std::int64_t sleeps = 0;  // calls that sleep without virtual time passing
  std::int64_t slept = 0;
  std::int64_t host_clocks = 0;  // readings of CPU time, and of the host's clocks if they are not virtual
  std::int64_t random = 0;       // random numbers taken from the host
  std::int64_t dated_seeds = 0;  // 1: a random seed was derived from the date, since the process began

  std::int64_t files = 0;  // accesses to files on a storage that the target does not describe

  // Reductions by a noncommutative operation, for which the target names an algorithm.
  std::int64_t other_algorithms = 0;

  std::int64_t shared_windows = 0;  // windows of memory shared by several ranks, with measured compute
  std::int64_t spun =
      0;  // number of times that the rank was assumed to wait for a store of another rank in such memory

  std::int64_t children = 0;       // processes that the program started
  std::int64_t lost_children = 0;  // of these: their CPU time was not counted
  std::int64_t child_cpu = 0;      // CPU time of the other processes
  std::int64_t unfinalized = 0;    // 1: the program ended without MPI_Finalize
  std::int64_t cut_traces = 0;     // files of the trace that could not be written to their ends

  std::int64_t callers = 0;  // threads that called MPI, if there were several
  std::int64_t ran_on =
      0;  // number of times that threads which did not call were assumed to compute, without a declaration

  friend bool operator==(const Doubts&, const Doubts&) = default;
};

// In the order of the record.
inline constexpr std::array doubts = {
    &Doubts::cpu,         &Doubts::switches,         &Doubts::other_cpu,
    &Doubts::readings,    &Doubts::taken_off,        &Doubts::asking,
    &Doubts::glancing,    &Doubts::sleeps,           &Doubts::slept,
    &Doubts::host_clocks, &Doubts::random,           &Doubts::dated_seeds,
    &Doubts::files,       &Doubts::children,         &Doubts::lost_children,
    &Doubts::child_cpu,   &Doubts::unfinalized,      &Doubts::callers,
    &Doubts::ran_on,      &Doubts::other_algorithms, &Doubts::shared_windows,
    &Doubts::spun,        &Doubts::cut_traces};

}  // namespace emu::record
