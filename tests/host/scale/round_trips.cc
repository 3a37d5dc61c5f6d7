// round_trips N [memory]: a master deals N tasks of 1 ms (declared) to the ranks that ask. Then it
// prints the cost of a message: CPU time of all ranks between MPI_Init and MPI_Finalize, so that it
// does not include starting and ending many processes. With `memory` it also prints the memory of a
// rank in KiB, averaged over all: private memory, shared memory (of libraries and libemu), page tables.
#include <emu/emu.h>
#include <mpi.h>
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace {

constexpr int task = 1, end = 2;

double cpu_seconds() {
  rusage used;
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

// The sum of the numbers after these names in a file of /proc, without allocations that would count.
double kibibytes(const char* path, std::initializer_list<const char*> names) {
  double sum = 0;
  std::FILE* const file = std::fopen(path, "r");
  if (!file) return sum;
  char line[256];
  while (std::fgets(line, sizeof line, file))
    for (const char* name : names)
      if (std::strncmp(line, name, std::strlen(name)) == 0) sum += std::atof(line + std::strlen(name));
  std::fclose(file);
  return sum;
}

void say_memory(int rank, int size) {
  constexpr const char* rollup = "/proc/self/smaps_rollup";
  const double own[] = {kibibytes(rollup, {"Private_Clean:", "Private_Dirty:"}),
                        kibibytes(rollup, {"Shared_Clean:", "Shared_Dirty:"}),
                        kibibytes("/proc/self/status", {"VmPTE:"})};
  double all[3];
  MPI_Reduce(own, all, 3, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) std::printf("%.0f %.0f %.0f\n", all[0] / size, all[1] / size, all[2] / size);
}

void master(long tasks, int slaves) {
  for (long left = tasks; slaves > 0; --left) {
    int nothing = 0;
    MPI_Status status;
    MPI_Recv(&nothing, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
    MPI_Send(&nothing, 1, MPI_INT, status.MPI_SOURCE, left > 0 ? task : end, MPI_COMM_WORLD);
    if (left <= 0) --slaves;
  }
}

void slave() {
  for (;;) {
    int nothing = 0;
    MPI_Status status;
    MPI_Send(&nothing, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Recv(&nothing, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    if (status.MPI_TAG == end) return;
    emu_compute(1e-3);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const long tasks = argc == 2 || argc == 3 ? std::atol(argv[1]) : -1;
  const bool memory = argc == 3;
  if (tasks < 0) {
    std::fprintf(stderr, "usage: round_trips TASKS [memory]\n");
    return 2;
  }
  MPI_Init(&argc, &argv);
  const double begin = cpu_seconds();
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == 0)
    master(tasks, size - 1);
  else
    slave();
  const double own = cpu_seconds() - begin;
  double all = 0;
  MPI_Reduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  const auto messages = 2.0 * (static_cast<double>(tasks) + size - 1);
  if (rank == 0) std::printf("%.3f\n", all / messages * 1e6);
  if (memory) say_memory(rank, size);
  MPI_Finalize();
}
