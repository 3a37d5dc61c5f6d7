/* A program with an exit handler, a destructor function, output that nobody has written when it ends, and exit code 4. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef WITH_LIBRARY
void use_library(void);
#else
static void use_library(void) {}
#endif

static void handler(void) { puts("exit handler"); }
__attribute__((destructor)) static void destructor(void) { puts("destructor of the program"); }

int main(void) {
  MPI_Init(NULL, NULL);
  use_library();
  atexit(handler);
  MPI_Finalize();
  return 4;
}
