/* Concurrent threads query objects of MPI's own: attributes of the job, error handlers, and the memory of windows.
 * Meanwhile another thread creates and frees communicators and windows, sets their handlers, and attaches memory to
 * windows whose handlers change. Prints "right" if every answer is right. */
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { rounds = 1000, askers = 3, attachments = 100 };
static pthread_barrier_t all;
static atomic_int over, wrong;
static MPI_Win shared, dynamic[askers];
static char* memory;
static char attached[64];

static void ask_for_job(int key) {
  int *value = NULL, found = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, key, &value, &found);
  if (found && key == MPI_APPNUM && *value != 0) ++wrong;
  if (found && key == MPI_UNIVERSE_SIZE && *value < 1) ++wrong;
}

static void change_handler(MPI_Win window, MPI_Errhandler wanted) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Win_set_errhandler(window, wanted);
  MPI_Win_get_errhandler(window, &handler);
  if (handler != wanted) ++wrong;
  MPI_Errhandler_free(&handler);
}

static void* ask(void* number) {
  const int own = *(int*)number;
  pthread_barrier_wait(&all);
  ask_for_job(own % 2 ? MPI_APPNUM : MPI_UNIVERSE_SIZE);
  while (!over) {
    change_handler(dynamic[own], MPI_ERRORS_RETURN);
    change_handler(dynamic[own], MPI_ERRORS_ARE_FATAL);
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    void* base = NULL;
    int found = 0;
    MPI_Comm_get_errhandler(MPI_COMM_SELF, &handler);
    if (handler != MPI_ERRORS_RETURN) ++wrong;
    MPI_Errhandler_free(&handler);
    MPI_Win_get_attr(shared, MPI_WIN_BASE, &base, &found);
    if (!found || base != memory) ++wrong;
  }
  return NULL;
}

static void make_and_free(void) {
  MPI_Comm copy[8];
  MPI_Win window;
  for (int i = 0; i < 8; ++i) {
    MPI_Comm_dup(MPI_COMM_SELF, &copy[i]);
    MPI_Comm_set_errhandler(copy[i], MPI_ERRORS_RETURN);
  }
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_SELF, &window);
  MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
  MPI_Win_free(&window);
  for (int i = 0; i < attachments; ++i) {
    MPI_Win_attach(dynamic[i % askers], attached, sizeof attached);
    MPI_Win_detach(dynamic[i % askers], attached);
  }
  for (int i = 0; i < 8; ++i) MPI_Comm_free(&copy[i]);
}

int main(int argc, char** argv) {
  pthread_t threads[askers];
  int provided, numbers[askers];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Win_allocate_shared(64, 1, MPI_INFO_NULL, MPI_COMM_SELF, &memory, &shared);
  for (int i = 0; i < askers; ++i) MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_SELF, &dynamic[i]);
  pthread_barrier_init(&all, NULL, askers + 1);
  for (int i = 0; i < askers; ++i) {
    numbers[i] = i;
    pthread_create(&threads[i], NULL, ask, &numbers[i]);
  }
  pthread_barrier_wait(&all);
  for (int i = 0; i < rounds; ++i) make_and_free();
  over = 1;
  for (int i = 0; i < askers; ++i) pthread_join(threads[i], NULL);
  for (int i = 0; i < askers; ++i) MPI_Win_free(&dynamic[i]);
  MPI_Win_free(&shared);
  if (wrong == 0) printf("right\n");
  MPI_Finalize();
  return 0;
}
