/* Preloaded: a rank ends in MPI_Init. DIES=WHEN:HOW:RANK, early (in a function that MPICH calls when it starts) or
 * late (in a function that libemu calls when all ranks have found each other); by exit, _exit or kill. With SLOW in
 * the environment, files that other processes hold open are opened after the ends of these processes, or a second
 * late. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char own[100];

/* Before MPI_Init, which takes PMI_RANK out of the environment. */
__attribute__((constructor)) static void look(void) {
  const char* rank = getenv("PMI_RANK");
  snprintf(own, sizeof own, ":%s", rank ? rank : "none");
}

static void here(const char* when) {
  const char *dies = getenv("DIES"), *rank = dies ? strrchr(dies, ':') : NULL;
  if (!rank || strcmp(rank, own) != 0 || strncmp(dies, when, strlen(when)) != 0) return;
  if (strstr(dies, ":kill:")) kill(getpid(), SIGKILL);
  if (strstr(dies, ":_exit:")) _exit(5);
  exit(5);
}

int hwloc_topology_load(void* topology) {
  here("early");
  int (*load)(void*) = (int (*)(void*))dlsym(RTLD_NEXT, "hwloc_topology_load");
  return load(topology);
}

int open64(const char* path, int flags, ...) {
  int (*other)(const char*, int, ...) = (int (*)(const char*, int, ...))dlsym(RTLD_NEXT, "open64");
  va_list arguments;
  va_start(arguments, flags);
  const int mode = va_arg(arguments, int);
  va_end(arguments);
  if (getenv("SLOW") && strncmp(path, "/proc/", 6) == 0 && strstr(path, "/fd/"))
    for (int i = 0; i < 1000000 && access(path, F_OK) == 0;) ++i;
  return other(path, flags, mode);
}

int sched_setaffinity(pid_t process, size_t bytes, const cpu_set_t* set) {
  here("late");
  int (*other)(pid_t, size_t, const cpu_set_t*) =
      (int (*)(pid_t, size_t, const cpu_set_t*))dlsym(RTLD_NEXT, "sched_setaffinity");
  return other(process, bytes, set);
}
