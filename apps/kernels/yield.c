/* Lets a rank that waits in vain hand its core over. Preloaded where a network is emulated on fewer cores than there are
 * ranks: MPICH's ranks spin while they wait, which on cores of their own disturbs nobody; here the rank that has
 * something to do would wait for the next tick of the scheduler, 4 ms. UCX asks for what has come over TCP by
 * epoll_wait, which then returns at once with nothing. */
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
