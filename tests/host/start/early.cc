// A program that calls MPI in the constructor and in the destructor of a static object.
#include <mpi.h>

#include <cstdio>

namespace {

struct World {
  World() { MPI_Init(nullptr, nullptr); }
  ~World() {
    int rank = 0, sum = 0, one = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) std::printf("sum %d\n", sum);
    MPI_Finalize();
  }
} world;

}  // namespace

int main() {}
