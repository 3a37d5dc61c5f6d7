// Causes of the ranks' time, as shares of all they had.
#pragma once

#include "study/diagnosis.h"

namespace emu::app::studies {

// Of (P - 1) times the predicted time, which is what the slaves have. The first eight sum up to 1.
struct Losses {
  double compute = 0;
  double overhead = 0;      // of the slaves' own messages
  double poll = 0;          // the slaves' polls: calls that find nothing
  double latency = 0;       // 2 L for each result and the task after it
  double per_byte = 0;      // their bytes on the wire
  double queue = 0;         // what else they wait: for the master, or for each other
  double end = 0;           // from a slave's finish to the end
  double without_task = 0;  // the time of those that never computed
  double rounding = 0;      // what must idle if equal tasks are too few to go round evenly; a part of `end`
  // Of the predicted time.
  double master_busy = 0;  // without its polls
  double card = 0;         // the master's network card, in the busier direction; 0 where cards are free
};
Losses losses(const OneMaster& job, const record::RunSummary& run, const target::Target& target);

// Of the predicted time, by the critical path. All together are 1.
struct Shares {
  double compute = 0;    // of the average rank: what would be left if nothing else cost time
  double imbalance = 0;  // how much more of it is on the path; below 0 if it is less
  double overhead = 0;   // of sends, receives and handshakes, and the gap between sends
  double poll = 0;       // calls that find nothing
  double latency = 0;
  double per_byte = 0;
};
Shares shares(const record::RunSummary& run);

// Polls of all ranks, as a share of the ranks' time up to their finish.
double polling(const record::RunSummary& run);

}  // namespace emu::app::studies
