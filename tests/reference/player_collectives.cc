// The player's collectives, with answers that each rank can check by itself: the block that rank r
// contributes for rank s is payload() of a number made of both.
#include <algorithm>
#include <cstdint>

#include "reference/payload.h"
#include "reference/player.h"

namespace emu::reference {
namespace {

constexpr int anyone = 99;

int block_number(int from, int to) { return 1'000'000 + 1000 * from + to; }

void append(std::vector<char>& to, const std::vector<char>& block) {
  to.insert(to.end(), block.begin(), block.end());
}

// What rank `rank` contributes to a reduction: small enough that sums do not overflow.
std::int32_t term(std::uint64_t seed, int rank, std::size_t i) {
  return static_cast<std::int32_t>(Random::mix(seed + 31 * i + static_cast<std::uint64_t>(rank)) %
                                   100'000'000);
}

}  // namespace

void Player::collective(const Operation& o) {
  const MPI_Comm comm = this->comm(o);
  int rank = 0, size = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  switch (o.action) {
    case Action::barrier:
      went_well(MPI_Barrier(comm));
      break;
    case Action::broadcast:
      broadcast(o, comm, rank);
      break;
    case Action::reduce:
    case Action::all_reduce:
      reduce(o, comm, rank, size);
      break;
    case Action::gather:
    case Action::all_gather:
      gather(o, comm, rank, size);
      break;
    case Action::scatter:
      scatter(o, comm, rank, size);
      break;
    case Action::all_to_all:
      all_to_all(o, comm, rank, size);
      break;
    case Action::duplicate: {
      MPI_Comm copy;
      if (went_well(MPI_Comm_dup(comm, &copy))) MPI_Comm_free(&copy);
      break;
    }
    default:
      composite(o, comm, rank, size);
      break;
  }
}

void Player::broadcast(const Operation& o, MPI_Comm comm, int rank) {
  const std::vector<char> expected = payload(program_->seed, block_number(o.root, anyone), o.bytes);
  std::vector<char> data = rank == o.root ? expected : std::vector<char>(expected.size());
  const bool well = went_well(MPI_Bcast(data.data(), static_cast<int>(o.bytes), MPI_BYTE, o.root, comm));
  check(!well || data == expected, "what was broadcast");
}

void Player::reduce(const Operation& o, MPI_Comm comm, int rank, int size) {
  const auto n = static_cast<std::size_t>(o.bytes) / 4;
  std::vector<std::int32_t> mine(n), sum(n, -1), expected(n, -1);
  for (std::size_t i = 0; i < n; ++i) mine[i] = term(program_->seed, rank, i);
  const bool gets = o.action == Action::all_reduce || rank == o.root;
  for (std::size_t i = 0; gets && i < n; ++i) {
    expected[i] = 0;
    for (int r = 0; r < size; ++r) expected[i] += term(program_->seed, r, i);
  }
  const bool well = went_well(
      o.action == Action::all_reduce
          ? MPI_Allreduce(mine.data(), sum.data(), static_cast<int>(n), MPI_INT, MPI_SUM, comm)
          : MPI_Reduce(mine.data(), sum.data(), static_cast<int>(n), MPI_INT, MPI_SUM, o.root, comm));
  check(!well || sum == expected, "the sum");
}

void Player::gather(const Operation& o, MPI_Comm comm, int rank, int size) {
  const int n = static_cast<int>(o.bytes);
  const bool gets = o.action == Action::all_gather || rank == o.root;
  const std::vector<char> mine = payload(program_->seed, block_number(rank, anyone), o.bytes);
  std::vector<char> expected;
  for (int r = 0; gets && r < size; ++r)
    append(expected, payload(program_->seed, block_number(r, anyone), o.bytes));
  std::vector<char> data(expected.size());
  const bool well =
      went_well(o.action == Action::all_gather
                    ? MPI_Allgather(mine.data(), n, MPI_BYTE, data.data(), n, MPI_BYTE, comm)
                    : MPI_Gather(mine.data(), n, MPI_BYTE, data.data(), n, MPI_BYTE, o.root, comm));
  check(!well || data == expected, "what was gathered");
}

void Player::scatter(const Operation& o, MPI_Comm comm, int rank, int size) {
  const int n = static_cast<int>(o.bytes);
  std::vector<char> blocks;
  for (int r = 0; rank == o.root && r < size; ++r) {
    append(blocks, payload(program_->seed, block_number(o.root, r), o.bytes));
  }
  std::vector<char> data(static_cast<std::size_t>(n));
  const bool well =
      went_well(MPI_Scatter(blocks.data(), n, MPI_BYTE, data.data(), n, MPI_BYTE, o.root, comm));
  check(!well || data == payload(program_->seed, block_number(o.root, rank), o.bytes), "what was scattered");
}

void Player::all_to_all(const Operation& o, MPI_Comm comm, int rank, int size) {
  const int n = static_cast<int>(o.bytes);
  std::vector<char> blocks, expected;
  for (int r = 0; r < size; ++r) {
    append(blocks, payload(program_->seed, block_number(rank, r), o.bytes));
    append(expected, payload(program_->seed, block_number(r, rank), o.bytes));
  }
  std::vector<char> data(expected.size());
  const bool well = went_well(MPI_Alltoall(blocks.data(), n, MPI_BYTE, data.data(), n, MPI_BYTE, comm));
  check(!well || data == expected, "what came from all");
}

}  // namespace emu::reference
