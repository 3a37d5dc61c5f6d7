// Loads and stores in shared memory, in the order of the ranks' clocks. Rank 0 prints "ok", or the error.
//   random SEED STEPS  each rank works, loads, stores, sends and meets the others at random; each load must return the
//   last preceding store, by (clock, rank)
//   sync WRITER        the writer works, and stores; others wait for the store with MPI_Win_sync
//   lookup WRITER      as sync, by readings of the clock
//   spin WRITER        others wait for it without a call; a message from any source lets the writer continue
//   ends WRITER        as spin, at any instant
//   mutex ROUNDS       a POSIX lock in the memory, held while its holder works
//   parts              the last rank shares memory with no other rank, and continues by itself
#include <emu/emu.h>
#include <mpi.h>
#include <pthread.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace {

int rank, size;
MPI_Win window;

// Memory of all ranks in one window.
template <class T>
volatile T* shared(std::size_t count, MPI_Comm comm) {
  MPI_Aint bytes;
  int unit, own;
  void* memory;
  MPI_Comm_rank(comm, &own);
  MPI_Win_allocate_shared(own == 0 ? static_cast<MPI_Aint>(count * sizeof(T)) : 0, 1, MPI_INFO_NULL, comm,
                          &memory, &window);
  MPI_Win_shared_query(window, 0, &bytes, &unit, &memory);
  if (own == 0) std::memset(memory, 0, count * sizeof(T));
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
  MPI_Barrier(comm);
  return static_cast<volatile T*>(memory);
}

void release() {
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
}

std::int64_t clock_now() { return std::llround(MPI_Wtime() * 1e12); }

[[noreturn]] void wrong(const std::string& what) {
  std::printf("rank %d: %s\n", rank, what.c_str());
  std::fflush(stdout);
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}

// --- random

struct Step {
  std::int64_t at, rank, cell, value, stores;
};

void check(std::vector<Step> steps, std::size_t cells) {
  std::stable_sort(steps.begin(), steps.end(), [](const Step& a, const Step& b) {
    return std::pair(a.at, a.rank) < std::pair(b.at, b.rank);
  });
  std::vector<std::int64_t> memory(cells);
  for (const Step& step : steps) {
    std::int64_t& cell = memory[static_cast<std::size_t>(step.cell)];
    if (step.stores)
      cell = step.value;
    else if (cell != step.value)
      wrong("rank " + std::to_string(step.rank) + " found " + std::to_string(step.value) + " at " +
            std::to_string(step.at) + " ps, where " + std::to_string(cell) + " had been stored");
  }
}

void random(int seed, int count) {
  constexpr std::size_t cells = 4;
  volatile std::int64_t* const memory = shared<std::int64_t>(cells, MPI_COMM_WORLD);
  std::mt19937 dice(static_cast<unsigned>(seed * 1000 + rank)), common(static_cast<unsigned>(seed));
  std::vector<Step> steps;
  int word = 0;
  for (int i = 0; i < count; ++i) {
    const unsigned together = common() % 8;
    if (together == 0) MPI_Barrier(MPI_COMM_WORLD);
    if (together == 1)
      MPI_Sendrecv(&i, 1, MPI_INT, (rank + 1) % size, 0, &word, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
    switch (dice() % 4) {
      case 0:
        emu_compute(1e-9 * (dice() % 20'000));
        break;
      case 1:
        MPI_Win_sync(window);
        break;
      case 2:
        if (int flag; dice() % 2) MPI_Iprobe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        break;
      default:
        break;
    }
    const auto cell = static_cast<std::int64_t>(dice() % cells);
    const std::int64_t at = clock_now();
    const bool stores = dice() % 2;
    if (stores) memory[cell] = rank * 1'000'000 + i + 1;
    steps.push_back({at, rank, cell, memory[cell], stores});
  }
  release();
  const auto longs = static_cast<int>(sizeof(Step) / sizeof(std::int64_t)) * count;
  std::vector<Step> all(static_cast<std::size_t>(count * size));
  MPI_Gather(steps.data(), longs, MPI_INT64_T, all.data(), longs, MPI_INT64_T, 0, MPI_COMM_WORLD);
  if (rank == 0) check(std::move(all), cells);
}

// --- a flag

template <class Wait>
void flag(int writer, Wait wait) {
  volatile int* const set = shared<int>(1, MPI_COMM_WORLD);
  std::int64_t at = 0, stored = 0, most = 0;
  if (rank == writer) {
    emu_compute(0.001);
    at = clock_now();
    *set = 1;
    MPI_Win_sync(window);
  } else {
    at = wait(set);
  }
  stored = at;
  MPI_Bcast(&stored, 1, MPI_INT64_T, writer, MPI_COMM_WORLD);
  if (at < stored) wrong("saw it " + std::to_string(stored - at) + " ps before it was stored");
  const std::int64_t later = at - stored;
  MPI_Reduce(&later, &most, 1, MPI_INT64_T, MPI_MAX, 0, MPI_COMM_WORLD);
  constexpr std::int64_t polls = 3'000'000;  // three polls of a microsecond
  if (rank == 0 && most > polls) wrong("saw it " + std::to_string(most) + " ps after it was stored");
  release();
}

std::int64_t by_sync(volatile int* set) {
  while (!*set) MPI_Win_sync(window);
  return clock_now();
}

std::int64_t by_clock(volatile int* set) {
  std::int64_t at = 0;
  while (!*set) at = clock_now();
  return std::max(at, clock_now());
}

void spin(int writer, bool ordered) {
  volatile int* const set = shared<int>(1, MPI_COMM_WORLD);
  const int sender = (writer + 1) % size;
  int word = 0;
  if (rank == writer) {
    MPI_Recv(&word, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    emu_compute(0.5);
    *set = 1;
  } else if (rank == sender) {
    emu_compute(0.25);
    MPI_Send(&word, 1, MPI_INT, writer, 0, MPI_COMM_WORLD);
  }
  while (!*set) {
  }
  const double at = MPI_Wtime();
  if (ordered && at < 0.75) wrong("went on at " + std::to_string(at) + " s, before it was stored");
  if (ordered && at > 0.76) wrong("went on at " + std::to_string(at) + " s");
  release();
}

// --- a lock

struct Locked {
  pthread_mutex_t mutex;
  int count;
};

void mutex(int rounds) {
  volatile Locked* const memory = shared<Locked>(1, MPI_COMM_WORLD);
  auto* const lock = const_cast<pthread_mutex_t*>(&memory->mutex);
  if (rank == 0) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(lock, &attributes);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int i = 0; i < rounds; ++i) {
    pthread_mutex_lock(lock);
    const int before = memory->count;
    emu_compute(1e-3);
    memory->count = before + 1;
    pthread_mutex_unlock(lock);
    emu_compute(1e-3 * (rank + 1));
  }
  const double spent = MPI_Wtime() - begin;
  MPI_Barrier(MPI_COMM_WORLD);
  if (memory->count != rounds * size) wrong(std::to_string(memory->count) + " rounds");
  if (spent < 2e-3 * rounds) wrong("took " + std::to_string(spent) + " s");
  release();
}

// --- some of the ranks

void parts() {
  MPI_Comm part;
  MPI_Comm_split(MPI_COMM_WORLD, rank == size - 1, rank, &part);
  volatile int* const set = shared<int>(1, part);
  if (rank == 0) {
    emu_compute(0.01);
    *set = 1;
  } else if (rank < size - 1) {
    by_sync(set);
  } else {
    emu_compute(1e-6);
  }
  const double at = MPI_Wtime();
  if ((at > 0.01) != (rank < size - 1)) wrong("is at " + std::to_string(at) + " s");
  release();
  MPI_Comm_free(&part);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const std::string mode = argc > 1 ? argv[1] : "";
  const auto number = [&](int i) { return argc > i ? std::atoi(argv[i]) : 0; };
  if (mode == "random") random(number(2), number(3));
  if (mode == "sync") flag(number(2), by_sync);
  if (mode == "lookup") flag(number(2), by_clock);
  if (mode == "spin" || mode == "ends") spin(number(2), mode == "spin");
  if (mode == "mutex") mutex(number(2));
  if (mode == "parts") parts();
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) std::puts("ok");
  MPI_Finalize();
  return 0;
}
