// Life sign of a rank for other processes of its node. It holds a lock in shared memory; when its thread ends without
// having let go, however that comes, the kernel marks the lock (Linux, "The robust futex ABI"). Nothing is done
// meanwhile, on either side.
#pragma once

#include <pthread.h>

namespace emu::wire {

class Life {
 public:
  // By one process, before the others use it.
  void prepare();
  // The thread that calls this runs a rank, until it calls end().
  void begin();
  void end();
  // Whether such a thread is gone without end(). By any other thread; once it has said so, it may say no from then on.
  bool lost();

 private:
  pthread_mutex_t held_;
};

}  // namespace emu::wire
