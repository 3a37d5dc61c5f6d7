// A program that calls MPI by the PMPI names, as profilers and mpi_f08 do, and its environment.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

// See class Answers.
void open_answers(int rank) {
  const char* folder = std::getenv("ANSWERS");
  if (folder && !std::freopen((std::string(folder) + "/rank" + std::to_string(rank)).c_str(), "w", stdout))
    std::abort();
}

// A ring, and sums.
void talk(int rank, int size) {
  int got = -1, sum = 0;
  std::printf("rank %d of %d\n", rank, size);
  MPI_Request request;
  MPI_Status status;
  PMPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &request);
  PMPI_Send(&rank, 1, MPI_INT, (rank + 1) % size, 5, MPI_COMM_WORLD);
  PMPI_Wait(&request, &status);
  PMPI_Allreduce(&got, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  PMPI_Barrier(MPI_COMM_WORLD);
  std::printf("from %d: %d, all: %d\n", status.MPI_SOURCE, got, sum);
}

void attribute(const char* name, MPI_Comm comm, int key) {
  int* value = nullptr;
  int found = -1;
  MPI_Comm_get_attr(comm, key, &value, &found);
  std::printf("%s: %d, %d\n", name, found, found ? *value : -1);
}

// Scripts and programs read these variables.
void environment(int rank, int size) {
  const auto number = [](const char* name) {
    const char* value = std::getenv(name);
    return value ? std::atoi(value) : -1;
  };
  std::printf("PMI_RANK is the rank: %d, PMI_SIZE the size: %d, UCX_TLS: %d\n", number("PMI_RANK") == rank,
              number("PMI_SIZE") == size, std::getenv("UCX_TLS") != nullptr);
  std::printf("on this machine: %d of %d\n", number("MPI_LOCALRANKID"), number("MPI_LOCALNRANKS"));
}

}  // namespace

int main(int argc, char** argv) {
  PMPI_Init(&argc, &argv);
  int rank = -1, size = -1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  open_answers(rank);
  talk(rank, size);
  for (const MPI_Comm comm : {MPI_COMM_WORLD, MPI_COMM_SELF}) {
    attribute("number of the program", comm, MPI_APPNUM);
    attribute("size of the universe", comm, MPI_UNIVERSE_SIZE);
    attribute("number of the program, again", comm, MPI_APPNUM);
    attribute("largest tag", comm, MPI_TAG_UB);
  }
  environment(rank, size);
  PMPI_Finalize();
}
