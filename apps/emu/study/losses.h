// Causes of lost time, as fractions of the ranks' time.
#pragma once

#include "study/diagnosis.h"

namespace emu::app::studies {

// Fractions of (P - 1) times the predicted time, which is the slaves' time. The sum of the first eight is 1.
struct Losses {
  double compute = 0;
  double overhead = 0;      // of the slaves' own messages
  double poll = 0;          // the slaves' polls with a negative answer
  double latency = 0;       // 2 L for each result and the task after it
  double per_byte = 0;      // their bytes on the wire
  double queue = 0;         // other waits: for the master, or for each other
  double end = 0;           // from a slave's finish to the end
  double without_task = 0;  // the time of slaves that never computed
  double rounding = 0;      // idle time because the tasks cannot be divided evenly; a part of `end`
  // Fractions of the predicted time.
  double master_busy = 0;  // without its polls
  double card = 0;         // the master's network card, in the busier direction; 0 if cards are free
};
Losses losses(const OneMaster& job, const record::RunSummary& run, const target::Target& target);

// Fractions of the predicted time, by the critical path. Their sum is 1.
struct Shares {
  double compute = 0;    // of the average rank: the rest if nothing else took time
  double imbalance = 0;  // its excess on the path; negative if it is less
  double overhead = 0;   // of sends, receives and handshakes, and the gap between sends
  double poll = 0;       // polls with a negative answer
  double latency = 0;
  double per_byte = 0;
};
Shares shares(const record::RunSummary& run);

// Polls of all ranks, as a fraction of the ranks' time up to their finish.
double polling(const record::RunSummary& run);

}  // namespace emu::app::studies
