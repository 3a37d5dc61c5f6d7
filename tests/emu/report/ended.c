/* A program whose record ends early, half way through. "full": no file can grow any more; "killed": rank 1 is
 * killed; "waits": two ranks wait for each other; "computes": rank 1 computes, and rank 0 waits for it and then
 * computes 1 ms; "alone": rank 0 does not wait. */
#include <emu/emu.h>
#include <mpi.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int rank, size, there;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc > 1 && strcmp(argv[1], "waits") == 0) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Recv(&there, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return MPI_Finalize();
  }
  if (argc > 1 && (strcmp(argv[1], "computes") == 0 || strcmp(argv[1], "alone") == 0)) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank == 1) emu_compute(1);
    if (argv[1][0] == 'c') MPI_Recv(&there, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    emu_compute(1e-3);
    return MPI_Finalize();
  }
  for (int step = 0; step < 10000; ++step) {
    if (step == 5000 && argc > 1 && strcmp(argv[1], "full") == 0) {
      const struct rlimit none = {80000, 80000};
      signal(SIGXFSZ, SIG_IGN);
      setrlimit(RLIMIT_FSIZE, &none);
    }
    if (step == 5000 && argc > 1 && strcmp(argv[1], "killed") == 0 && rank == 1) kill(getpid(), SIGKILL);
    emu_interval_begin("step");
    emu_compute(1e-5);
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &there, 1, MPI_INT, (rank + size - 1) % size, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    emu_interval_end("step");
  }
  MPI_Finalize();
  return 0;
}
