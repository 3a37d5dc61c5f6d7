// Kernels that mainly send messages.
#include <emu/emu.h>
#include <mpi.h>

#include <chrono>
#include <thread>
#include <vector>

#include "kernels.h"

namespace kernels {
namespace {

int rank_of() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

// A message to a slave is the number of its task, or this number if there is none.
constexpr std::int32_t nothing = -1;

// Natively a sleep, so that several tasks on one core take no longer than one. The host may end a sleep late, so the
// last part of the time is spent in a loop.
void work(double seconds) {
  if (emu_active()) return emu_compute(seconds);
  using Clock = std::chrono::steady_clock;
  const auto end =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  std::this_thread::sleep_until(end - std::chrono::microseconds(300));
  while (Clock::now() < end) std::this_thread::yield();
}

double slave(const Options& options, std::vector<char>& result) {
  for (;;) {
    std::int32_t task = nothing;
    MPI_Recv(&task, 1, MPI_INT32_T, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (task == nothing) return 0;
    work(options.task);
    result[0] = static_cast<char>(task % 64);
    MPI_Send(result.data(), options.bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
  }
}

double master(const Options& options, std::vector<char>& result) {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::int32_t dealt = 0, busy = 0;
  double sum = 0;
  const auto deal = [&](int to) {
    const bool more = dealt < options.rounds;
    const std::int32_t task = more ? dealt++ : nothing;
    MPI_Send(&task, 1, MPI_INT32_T, to, 0, MPI_COMM_WORLD);
    busy += more;
  };
  for (int to = 1; to < ranks; ++to) deal(to);
  while (busy > 0) {
    MPI_Status status;
    MPI_Recv(result.data(), options.bytes, MPI_CHAR, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
    sum += result[0];
    --busy;
    deal(status.MPI_SOURCE);
  }
  return sum;
}

}  // namespace

double pingpong(const Options& options) {
  const int rank = rank_of(), other = 1 - rank;
  std::vector<char> data(static_cast<std::size_t>(options.bytes));
  if (rank > 1) return 0;
  for (int i = 0; i < options.rounds; ++i) {
    if (rank == 1)
      MPI_Recv(data.data(), options.bytes, MPI_CHAR, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    ++data[0];
    MPI_Send(data.data(), options.bytes, MPI_CHAR, other, 0, MPI_COMM_WORLD);
    if (rank == 0)
      MPI_Recv(data.data(), options.bytes, MPI_CHAR, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  return data[0];
}

double exchange(const Options& options) {
  const int rank = rank_of(), other = 1 - rank;
  std::vector<char> mine(static_cast<std::size_t>(options.bytes)), theirs = mine;
  if (rank > 1) return 0;
  for (int i = 0; i < options.rounds; ++i) {
    mine[0] = static_cast<char>(theirs[0] + 1);
    MPI_Sendrecv(mine.data(), options.bytes, MPI_CHAR, other, 0, theirs.data(), options.bytes, MPI_CHAR,
                 other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  return theirs[0];
}

double farm(const Options& options) {
  std::vector<char> result(static_cast<std::size_t>(options.bytes));
  return rank_of() == 0 ? master(options, result) : slave(options, result);
}

}  // namespace kernels
