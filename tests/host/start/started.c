/* Actions that depend on the way in which the ranks were started, selected by the first argument. */
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int rank, size;

/* Sleeps on the host: functions of the C library that sleep move the virtual clock. */
static void pause_here(int seconds) {
  const struct timespec t = {seconds, 0};
  syscall(SYS_nanosleep, &t, NULL);
}

static void expect(int condition, const char* what) {
  if (condition) return;
  printf("rank %d: wrong: %s\n", rank, what);
  MPI_Abort(MPI_COMM_WORLD, 70);
}

static void init(void) {
  MPI_Init(NULL, NULL);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
}

/* Prints the first line of input, or that there is none. */
static void input(void) {
  char line[100];
  init();
  const int any = fgets(line, sizeof line, stdin) != NULL;
  printf("rank %d reads %s", rank, any ? line : "nothing\n");
  MPI_Finalize();
}

static void lines(void) {
  init();
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < 200; ++i)
    printf("<%d %d %.*s>\n", rank, i, 40, "........................................");
  MPI_Finalize();
}

static void flags(void) {
  int flag = 1;
  MPI_Initialized(&flag);
  expect(!flag, "initialised before MPI_Init");
  MPI_Finalized(&flag);
  expect(!flag, "finalised before MPI_Init");
  init();
  MPI_Initialized(&flag);
  expect(flag, "not initialised behind MPI_Init");
  MPI_Finalize();
  MPI_Finalized(&flag);
  expect(flag, "not finalised behind MPI_Finalize");
  MPI_Initialized(&flag);
  expect(flag, "not initialised behind MPI_Finalize");
}

static void level(int wanted) {
  int provided = -1, known = -1, main_thread = 0;
  MPI_Init_thread(NULL, NULL, wanted, &provided);
  MPI_Query_thread(&known);
  MPI_Is_thread_main(&main_thread);
  if (provided != wanted || known != wanted || !main_thread) {
    printf("wrong: level %d asked for, %d provided, %d known, main thread %d\n", wanted, provided, known,
           main_thread);
    MPI_Abort(MPI_COMM_WORLD, 70);
  }
  MPI_Finalize();
}

static void* whole_program(void* unused) {
  (void)unused;
  int main_thread = 0, provided;
  MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided);
  MPI_Is_thread_main(&main_thread);
  expect(main_thread, "the thread that calls MPI_Init is not the main one");
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return NULL;
}

static void second_thread(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, whole_program, NULL);
  pthread_join(thread, NULL);
}

static int deleted(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)value, (void)extra;
  int sum = 0, one = 1;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("deleted, sum %d\n", sum);
  return MPI_SUCCESS;
}

/* Callbacks of MPI_COMM_SELF run in MPI_Finalize. */
static void callbacks(void) {
  int key;
  init();
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, deleted, &key, NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
  MPI_Finalize();
}

/* A child of rank 0 runs when rank 1 aborts. */
static void child_at_abort(void) {
  init();
  if (rank == 0) {
    const pid_t child = fork();
    if (child == 0) {
      pause_here(60);
      _exit(0);
    }
    printf("child %d\n", (int)child);
    fflush(stdout);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) MPI_Abort(MPI_COMM_WORLD, 3);
  pause_here(60);
}

/* Each rank whose number is in `ranks` goes to the background: its process ends before MPI_Init, and a child continues.
   `end` is the end of rank 1: "outside": before MPI_Init; "killed": after it, by a signal; "code": with exit code 3.
   "late": all ranks live on after MPI_Finalize. */
static void in_background(const char* ranks, const char* end) {
  const char* const number = getenv("PMI_RANK");
  const int is_one = !strcmp(number, "1");
  if (strstr(ranks, number) && daemon(1, 1) != 0) exit(70);
  if (!strcmp(end, "outside") && is_one) {
    usleep(300000);
    exit(0);
  }
  init();
  MPI_Barrier(MPI_COMM_WORLD);
  if (!strcmp(end, "killed") && is_one) raise(SIGKILL);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  if (!strcmp(end, "late")) usleep(300000);
  exit(is_one && !strcmp(end, "code") ? 3 : 0);
}

/* A session in which the ranks communicate, and then 100 ms of sleep. */
static void session(int round) {
  MPI_Session session;
  MPI_Group group;
  MPI_Comm comm;
  int sum = 0;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, "all", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
  MPI_Comm_rank(comm, &rank);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
  if (rank == 0) printf("session %d sum %d\n", round, sum);
  MPI_Group_free(&group);
  MPI_Comm_free(&comm);
  MPI_Session_finalize(&session);
  usleep(100000);
}

/* Sessions one after another, and in the end the world, a call of _exit, or an exit code. */
static void sessions(const char* end) {
  for (int round = 0; round < 3; ++round) session(round);
  if (!strcmp(end, "world")) {
    init();
    MPI_Finalize();
  }
  if (!strcmp(end, "_exit")) fflush(stdout), _exit(0);
  exit(!strcmp(end, "code") ? 3 : 0);
}

static void without_environment(void) {
  clearenv();
  init();
  int sum = 0;
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("sum %d\n", sum);
  MPI_Finalize();
}

/* A process that forks its ranks runs the same program; a process manager does not. */
static void print_parent(void) {
  char link[64], own[4096] = "", parents[4096] = "";
  snprintf(link, sizeof link, "/proc/%d/exe", (int)getppid());
  if (readlink("/proc/self/exe", own, sizeof own - 1) < 0 || readlink(link, parents, sizeof parents - 1) < 0)
    exit(70);
  printf("%s by %d\n", strcmp(own, parents) ? "started" : "forked", (int)getppid());
}

/* The number of mappings of the file whose path contains `file`. */
static int mappings(const char* file) {
  char line[5000];
  int number = 0;
  FILE* const maps = fopen("/proc/self/maps", "r");
  while (maps && fgets(line, sizeof line, maps)) number += strstr(line, file) != NULL;
  if (maps) fclose(maps);
  return number;
}

static void call(const char* function) {
  if (!strcmp(function, "MPI_Comm_rank")) MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (!strcmp(function, "MPI_Barrier")) MPI_Barrier(MPI_COMM_WORLD);
  if (!strcmp(function, "MPI_Finalize")) MPI_Finalize();
}

int main(int argc, char** argv) {
  const char* const what = argc > 1 ? argv[1] : "";
  if (!strcmp(what, "input")) return input(), 0;
  if (!strcmp(what, "lines")) return lines(), 0;
  if (!strcmp(what, "flags")) return flags(), 0;
  if (!strcmp(what, "callbacks")) return callbacks(), 0;
  if (!strcmp(what, "second-thread")) return second_thread(), 0;
  if (!strcmp(what, "child-at-abort")) return child_at_abort(), 0;
  if (!strcmp(what, "in-background")) return in_background(argv[2], argv[3]), 0;
  if (!strcmp(what, "sessions")) return sessions(argv[2]), 0;
  if (!strcmp(what, "without-environment")) return without_environment(), 0;
  if (!strcmp(what, "levels")) return level(atoi(argv[2])), 0;
  /* One of the ranks finds that the file does not exist yet, and never calls MPI_Init. */
  if (!strcmp(what, "outside") && fopen(argv[2], "wx")) return 0;
  if (!strcmp(what, "outside-on") && strstr(argv[2], getenv("PMI_RANK"))) return 0;
  if (!strcmp(what, "before")) call(argv[2]);
  init();
  if (!strcmp(what, "parent")) print_parent();
  if (!strcmp(what, "mappings") && rank == 1) printf("%d\n", mappings(argv[2]));
  if (!strcmp(what, "codes")) {
    MPI_Finalize();
    return rank == 1 ? 3 : rank == 2 ? 5 : 0;
  }
  if (!strcmp(what, "killed")) {
    if (rank == 1) kill(getpid(), atoi(argv[2]));
    pause_here(60);
  }
  if (!strcmp(what, "waits") || !strcmp(what, "ignores")) {
    if (!strcmp(what, "ignores")) signal(SIGTERM, SIG_IGN);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) printf("waiting\n"), fflush(stdout);
    pause_here(60);
  }
  MPI_Finalize();
  if (!strcmp(what, "killed-after")) {
    if (rank == atoi(argv[2])) abort();
    pause_here(60);
  }
  if (!strcmp(what, "called-after") && rank == atoi(argv[2])) MPI_Barrier(MPI_COMM_WORLD);
  if (!strcmp(what, "after")) call(argv[2]);
  return 0;
}
