// shapes SHAPE N...: the cost of many objects of one kind. Prints CPU nanoseconds of all ranks for each of N, the
// minimum of some rounds; `ring` prints bytes. Two ranks, except for `ring`. Work is declared, so only the library's
// cost counts:
//
//   requests    N receives in progress at once, and one MPI_Waitall
//   rendezvous  as requests, with messages by handshake, and N sends in progress
//   any         as requests, with receives from any source
//   backwards   N receives with as many tags, the last of which is sent first
//   all         N receives, and MPI_Testall until all are complete
//   fence       N puts between two fences
//   gets        N gets with a request each, and one MPI_Waitall
//   unexpected  a message from any source while N others of its sender wait for receives
//   probes      as unexpected, with a probe
//   column      a double of 500 that are N doubles apart at the target of a put
//   grid        as column, described by a darray, and as indexed blocks
//   long        a KiB of messages of N KiB that go back and forth
//   ring        memory that a message of N bytes leaves behind after it has gone round all ranks
#include <emu/emu.h>
#include <mpi.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace {

int rank, size;

double cpu_nanoseconds() {
  timespec used;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) * 1e9 + static_cast<double>(used.tv_nsec);
}

double spent_in(const std::function<void()>& body) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = cpu_nanoseconds();
  body();
  return cpu_nanoseconds() - begin;
}

using Requests = std::vector<MPI_Request>;

// Rank 1 sends a message for each of n receives of rank 0, with the tags tag(0), tag(1), ..., and rank 0 calls `wait`.
template <class Tag, class Wait>
void messages(int n, int bytes, int source, Tag tag, Wait wait) {
  std::vector<char> data(static_cast<std::size_t>(n) * static_cast<std::size_t>(bytes));
  Requests requests(static_cast<std::size_t>(n), MPI_REQUEST_NULL);
  for (int i = 0; i < n; ++i) {
    char* const at = &data[static_cast<std::size_t>(i) * static_cast<std::size_t>(bytes)];
    if (rank == 0)
      MPI_Irecv(at, bytes, MPI_CHAR, source, tag(i), MPI_COMM_WORLD, &requests[static_cast<std::size_t>(i)]);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < n; ++i) {
    char* const at = &data[static_cast<std::size_t>(i) * static_cast<std::size_t>(bytes)];
    if (rank == 1)
      MPI_Isend(at, bytes, MPI_CHAR, 0, tag(n - 1 - i), MPI_COMM_WORLD,
                &requests[static_cast<std::size_t>(i)]);
  }
  wait(requests);
}

void wait_all(Requests& requests) {
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}
void test_all(Requests& requests) {
  for (int done = 0; !done; emu_compute(1))
    MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE);
}
int same(int) { return 7; }
int own(int i) { return i; }

void puts(int n, bool requests) {
  std::vector<int> memory(1000), data(static_cast<std::size_t>(n));
  MPI_Win window;
  MPI_Win_create(memory.data(), static_cast<MPI_Aint>(memory.size() * sizeof(int)), sizeof(int),
                 MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  Requests all(static_cast<std::size_t>(n), MPI_REQUEST_NULL);
  if (requests)
    MPI_Win_lock_all(0, window);
  else
    MPI_Win_fence(0, window);
  for (int i = 0; rank == 0 && i < n; ++i) {
    int* const at = &data[static_cast<std::size_t>(i)];
    if (requests)
      MPI_Rget(at, 1, MPI_INT, 1, i % 1000, 1, MPI_INT, window, &all[static_cast<std::size_t>(i)]);
    else
      MPI_Put(at, 1, MPI_INT, 1, i % 1000, 1, MPI_INT, window);
  }
  if (requests) {
    wait_all(all);
    MPI_Win_unlock_all(window);
  } else {
    MPI_Win_fence(0, window);
  }
  MPI_Win_free(&window);
}

constexpr int beside = 500;  // messages, or doubles of a column

// Measures the relevant part separately from what precedes and follows it.
double unexpected(int n, bool probes) {
  int word = 0;
  for (int i = 0; rank == 1 && i < n; ++i) MPI_Send(&word, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = cpu_nanoseconds();
  for (int i = 0; i < beside; ++i) {
    if (rank == 1) MPI_Send(&word, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
    if (rank == 0 && probes) MPI_Probe(MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 0) MPI_Recv(&word, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 0) MPI_Send(&word, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(&word, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  const double spent = cpu_nanoseconds() - begin;
  for (int i = 0; rank == 0 && i < n; ++i)
    MPI_Recv(&word, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return spent;
}

// Puts of such a datatype to memory of `doubles` doubles; the datatype has `beside` of them.
double puts_of(MPI_Datatype type, MPI_Aint doubles) {
  constexpr int puts = 20;
  const std::vector<double> data(beside);
  double* memory = nullptr;
  MPI_Win window;
  MPI_Type_commit(&type);
  MPI_Win_allocate(rank == 1 ? doubles * static_cast<MPI_Aint>(sizeof(double)) : 0, sizeof(double),
                   MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  double spent = 0;
  for (int round = 0; round < 2; ++round) {  // in the first round, the system provides the memory
    MPI_Win_fence(0, window);
    const double begin = cpu_nanoseconds();
    for (int i = 0; rank == 0 && i < puts; ++i)
      MPI_Put(data.data(), beside, MPI_DOUBLE, 1, 0, 1, type, window);
    MPI_Win_fence(0, window);
    spent = (cpu_nanoseconds() - begin) / puts;
  }
  MPI_Win_free(&window);
  MPI_Type_free(&type);
  return spent;
}

double column(int n) {
  MPI_Datatype type;
  MPI_Type_vector(beside, 1, n, MPI_DOUBLE, &type);
  return puts_of(type, static_cast<MPI_Aint>(n) * beside);
}

// Every n-th column of a grid of n * 5 columns, as in a distribution over a row
// of n processes; and its first doubles again as blocks at individual places.
double grid(int n) {
  const int sizes[] = {beside / 5, 5 * n}, grid[] = {1, n};
  const int how[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC};
  const int arguments[] = {MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG};
  MPI_Datatype part, blocks;
  MPI_Type_create_darray(n, 0, 2, sizes, how, arguments, grid, MPI_ORDER_C, MPI_DOUBLE, &part);
  std::vector<int> places;
  for (int i = 0; i < beside; ++i) places.push_back(i * n + i % 2);
  MPI_Type_create_indexed_block(beside, 1, places.data(), MPI_DOUBLE, &blocks);
  const MPI_Aint doubles = static_cast<MPI_Aint>(n) * beside + 1;
  const double spent = puts_of(part, doubles);
  return spent + puts_of(blocks, doubles);
}

double back_and_forth(int kibibytes) {
  constexpr int trips = 10;
  std::vector<char> data(static_cast<std::size_t>(kibibytes) * 1024);
  const int bytes = kibibytes * 1024;
  return spent_in([&] {
           for (int trip = 0; trip < 2 * trips; ++trip)
             if (trip % 2 == rank)
               MPI_Send(data.data(), bytes, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD);
             else
               MPI_Recv(data.data(), bytes, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
         }) /
         (2.0 * trips * kibibytes);
}

// Size in bytes of the file with the memory that this job's ranks of a node share.
double shared_bytes() {
  double bytes = 0;
  for (int file = 0; file < 256; ++file) {
    char name[200];
    const std::string path = "/proc/self/fd/" + std::to_string(file);
    const ssize_t length = readlink(path.c_str(), name, sizeof name - 1);
    struct stat said {};
    if (length <= 0 || fstat(file, &said) != 0) continue;
    name[length] = 0;
    if (std::strstr(name, "memfd:libemu")) bytes += static_cast<double>(said.st_blocks) * 512;
  }
  return bytes;
}

// Only one rank at a time has a message in memory.
void ring(int bytes) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double before = shared_bytes();
  MPI_Barrier(MPI_COMM_WORLD);
  std::vector<char> data;
  const auto receive = [&](int from) {
    MPI_Probe(from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    data.resize(static_cast<std::size_t>(bytes));
    MPI_Recv(data.data(), bytes, MPI_CHAR, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  };
  if (rank > 0) receive(rank - 1);
  data.resize(static_cast<std::size_t>(bytes));
  MPI_Send(data.data(), bytes, MPI_CHAR, (rank + 1) % size, 0, MPI_COMM_WORLD);
  if (rank == 0) receive(size - 1);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) std::printf("%.0f\n", shared_bytes() - before);
}

}  // namespace

int main(int argc, char** argv) {
  constexpr int rounds = 3;
  const auto each = [](auto body) { return [body](int n) { return spent_in([&] { body(n); }) / n; }; };
  const std::map<std::string, std::function<double(int)>> shapes = {
      {"requests", each([](int n) { messages(n, 8, 1, same, wait_all); })},
      {"rendezvous", each([](int n) { messages(n, 100, 1, same, wait_all); })},
      {"any", each([](int n) { messages(n, 8, MPI_ANY_SOURCE, same, wait_all); })},
      {"backwards", each([](int n) { messages(n, 8, 1, own, wait_all); })},
      {"all", each([](int n) { messages(n, 8, 1, same, test_all); })},
      {"fence", each([](int n) { puts(n, false); })},
      {"gets", each([](int n) { puts(n, true); })},
      {"unexpected", [](int n) { return unexpected(n, false) / beside; }},
      {"probes", [](int n) { return unexpected(n, true) / beside; }},
      {"column", [](int n) { return column(n) / beside; }},
      {"grid", [](int n) { return grid(n) / beside; }},
      {"long", [](int n) { return back_and_forth(n); }}};
  const std::string shape = argc > 2 ? argv[1] : "";
  std::vector<int> counts;
  for (int i = 2; i < argc; ++i) counts.push_back(std::atoi(argv[i]));
  if (counts.empty() || *std::min_element(counts.begin(), counts.end()) < 1 ||
      (shape != "ring" && shapes.find(shape) == shapes.end())) {
    std::fprintf(stderr, "usage: shapes SHAPE N...\n");
    return 2;
  }
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  std::vector<double> least(counts.size(), 1e30);
  for (int round = 0; round < rounds && shape != "ring"; ++round)
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const double own = shapes.at(shape)(counts[i]);
      double all = 0;
      MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      least[i] = std::min(least[i], all);
    }
  if (shape == "ring")
    ring(counts[0]);
  else
    for (const double nanoseconds : least)
      if (rank == 0) std::printf("%.1f\n", nanoseconds);
  MPI_Finalize();
}
