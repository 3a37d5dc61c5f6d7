/* A program for tests of `emu study`: a master deals TASKS tasks of MICROSECONDS each to the others.
 * Usage: study_program TASKS MICROSECONDS [fail P] [give-up P] [sleep FILE] [ranks P]
 * If there is a file named "tasks" in the working directory, it contains TASKS; if the environment has STUDY_TASKS,
 * that value applies.
 * fail P: rank 0 aborts if there are P ranks. give-up P: the same with code 0. sleep FILE: creates FILE and then waits
 * for ever if there are 4 ranks.
 * ranks P: aborts unless there are P ranks. */
#include <emu/emu.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void misbehave(int argc, char** argv, int size) {
  for (int i = 3; i + 1 < argc; i += 2) {
    if (strcmp(argv[i], "fail") == 0 && atoi(argv[i + 1]) == size) {
      fprintf(stderr, "no good with %d ranks\n", size);
      MPI_Abort(MPI_COMM_WORLD, 9);
    }
    if (strcmp(argv[i], "give-up") == 0 && atoi(argv[i + 1]) == size) MPI_Abort(MPI_COMM_WORLD, 0);
    if (strcmp(argv[i], "ranks") == 0 && atoi(argv[i + 1]) != size) MPI_Abort(MPI_COMM_WORLD, 8);
    if (strcmp(argv[i], "sleep") == 0 && size == 4) {
      fclose(fopen(argv[i + 1], "w"));
      for (;;) pause();
    }
  }
}

static int number_of_tasks(const char* argument) {
  const char* said = getenv("STUDY_TASKS");
  int tasks = atoi(said ? said : argument);
  FILE* file = fopen("tasks", "r");
  if (file) {
    if (fscanf(file, "%d", &tasks) != 1) abort();
    fclose(file);
  }
  return tasks;
}

int main(int argc, char** argv) {
  int rank, size, tasks = number_of_tasks(argv[1]), task = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == 0) {
    misbehave(argc, argv, size);
    int working = 0;
    for (int i = 1; i < size; ++i) {
      task = working < tasks ? ++working : 0;
      MPI_Send(&task, 1, MPI_INT, i, 0, MPI_COMM_WORLD);
    }
    for (int done = 0, dealt = working; done < tasks; ++done) {
      MPI_Status status;
      MPI_Recv(&task, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
      task = dealt < tasks ? ++dealt : 0;
      MPI_Send(&task, 1, MPI_INT, status.MPI_SOURCE, 0, MPI_COMM_WORLD);
    }
  } else {
    for (;;) {
      MPI_Recv(&task, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (task == 0) break;
      emu_compute(atof(argv[2]) * 1e-6);
      MPI_Send(&task, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
  }
  MPI_Finalize();
  return 0;
}
