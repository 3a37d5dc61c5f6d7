// Rank 0: hears the workers, passes the planner's orders on, and finds out who has failed.
#pragma once

#include <mpi.h>

#include "planner.h"

namespace reduce {

// A worker that was silent for `heartbeat` while a reduction is under way is asked to say something; one that
// was for `limit` has failed. Seconds.
struct Patience {
  double heartbeat = 0.1;
  double limit = 1;
};

class Master {
 public:
  Master(const Patience& patience, MPI_Comm comm);

  // Until all workers that have not failed have said goodbye. Returns how many failed.
  int serve();

 private:
  void hear();
  void beat(double now);
  void end();
  void send(int worker, const Order& order) const;

  const Patience patience_;
  const MPI_Comm comm_;
  int workers_ = 0;
  Planner planner_;
  std::vector<double> heard_;  // when, of each worker
  std::set<int> gone_;         // those that said goodbye
  bool watching_ = false;      // workers have to answer
  double next_beat_ = 0;
};

}  // namespace reduce
