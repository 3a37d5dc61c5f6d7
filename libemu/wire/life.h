// Life sign of a rank for other processes of its node: a lock in shared memory. If the thread
// that holds the lock ends without releasing it, for whatever reason, the kernel marks the
// lock (Linux, "The robust futex ABI"). The life sign costs nothing while the rank runs.
#pragma once

#include <pthread.h>

namespace emu::wire {

class Life {
 public:
  // Called by one process, before the others use the object.
  void prepare();
  // The calling thread runs a rank, until it calls end().
  void begin();
  void end();
  // True if that thread has ended without end(). For other threads; once it was true, later calls may return false.
  bool lost();

 private:
  pthread_mutex_t held_;
};

}  // namespace emu::wire
