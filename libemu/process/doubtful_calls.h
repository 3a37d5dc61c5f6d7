// Counts of what makes a prediction doubtful, as far as the library sees it happen: record/doubts.h.
#pragma once

#include "base/time.h"
#include "record/doubts.h"

namespace emu::mpi {

// Where to count what the program does now; null if it is not the program's own doing, or nothing is emulated.
record::Doubts* noticed();

// The program was told a date, in seconds since 1970, which it may make a seed of.
void noticed_date(std::int64_t date);
// It read a clock of the host's, CPU time too. `date`: what it was told, 0 if that is no date.
void noticed_host_clock(std::int64_t date);

// A seed of random numbers was made of the date.
bool dated_seed();

// Lives while the program sleeps on the host: counts the call, and how long it takes. `d`: how long the calling thread has asked for.
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
