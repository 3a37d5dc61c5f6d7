// Counts of calls that make a prediction doubtful, as far as the library sees them: record/doubts.h.
#pragma once

#include "base/time.h"
#include "record/doubts.h"

namespace emu::mpi {

// The counters for the program's present call; null if the call is not the program's, or not emulated.
record::Doubts* noticed();

// The program has read a date, in seconds since 1970, from which it may make a random seed.
void noticed_date(std::int64_t date);
// The program has read a clock of the host or CPU time. `date`: the value, or 0 if it is not a date.
void noticed_host_clock(std::int64_t date);

// True if a random seed was made from the date.
bool dated_seed();

// Scope of a sleep of the program on the host: counts the call and its duration. `d`: the requested duration.
class NoticedSleep {
 public:
  explicit NoticedSleep(Interval d);
  ~NoticedSleep();
  NoticedSleep(const NoticedSleep&) = delete;

 private:
  record::Doubts* const doubts_;
  const Interval asked_;
  std::int64_t begin_ = 0;
};

}  // namespace emu::mpi
