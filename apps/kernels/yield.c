/* Lets a waiting rank yield its core. Preloaded where a network is emulated on fewer cores than there are ranks: ranks
 * of MPICH spin while they wait. On cores of their own this disturbs no other rank, but here a rank with work to do
 * would wait for the next tick of the scheduler, 4 ms. UCX polls for messages over TCP with epoll_wait, which returns
 * at once if there is none. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <sched.h>
#include <stddef.h>
#include <sys/epoll.h>

typedef int wait(int, struct epoll_event*, int, int);

int epoll_wait(int epoll, struct epoll_event* events, int most, int timeout) {
  static wait* real;
  if (!real) real = (wait*)dlsym(RTLD_NEXT, "epoll_wait");
  const int found = real(epoll, events, most, timeout);
  if (found == 0 && timeout == 0) sched_yield();
  return found;
}
