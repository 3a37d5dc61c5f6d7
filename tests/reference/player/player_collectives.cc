// The player's collectives. Each rank can check its results itself: the block that rank r contributes for rank s is
// payload() of a number that depends on both.
#include <algorithm>
#include <cstdint>
#include <numeric>

#include "mpi/answers/collective/forms.h"
#include "reference/player/player.h"
#include "reference/program/across.h"
#include "reference/program/composites.h"
#include "reference/program/payload.h"

namespace emu::reference {
namespace {

constexpr int anyone = 99;

int block_number(int from, int to) { return 1'000'000 + 1000 * from + to; }

void append(std::vector<char>& to, const std::vector<char>& block) {
  to.insert(to.end(), block.begin(), block.end());
}

// The contribution of rank `rank` to a reduction: so small that sums do not overflow.
std::int32_t term(std::uint64_t seed, int rank, std::size_t i) {
  return static_cast<std::int32_t>(Random::mix(seed + 31 * i + static_cast<std::uint64_t>(rank)) %
                                   100'000'000);
}

enum class Form { blocking, background, persistent };

// Calls a collective by one of its forms. The blocking form has no request.
int call(Form form, const Operation& o, MPI_Comm comm, const char* in, char* out,
         MPI_Request* request = nullptr) {
  const auto by = [&]<class... P>(const Forms<P...>& forms, std::type_identity_t<P>... with) {
    if (form == Form::blocking) return forms.blocking(with...);
    return form == Form::background ? forms.background(with..., request)
                                    : forms.persistent(with..., MPI_INFO_NULL, request);
  };
  const int n = static_cast<int>(o.bytes);
  switch (o.action) {
    case Action::barrier:
      return by(FORMS(Barrier, barrier), comm);
    case Action::broadcast:
      return by(FORMS(Bcast, bcast), out, n, MPI_BYTE, o.root, comm);
    case Action::reduce:
      return by(FORMS(Reduce, reduce), in, out, n / 4, MPI_INT, MPI_SUM, o.root, comm);
    case Action::all_reduce:
      return by(FORMS(Allreduce, allreduce), in, out, n / 4, MPI_INT, MPI_SUM, comm);
    case Action::gather:
      return by(FORMS(Gather, gather), in, n, MPI_BYTE, out, n, MPI_BYTE, o.root, comm);
    case Action::scatter:
      return by(FORMS(Scatter, scatter), in, n, MPI_BYTE, out, n, MPI_BYTE, o.root, comm);
    case Action::all_gather:
      return by(FORMS(Allgather, allgather), in, n, MPI_BYTE, out, n, MPI_BYTE, comm);
    case Action::near_gather:
      return by(FORMS(Neighbor_allgather, neighbor_allgather), in, n, MPI_BYTE, out, n, MPI_BYTE, comm);
    case Action::near_exchange:
      return by(FORMS(Neighbor_alltoall, neighbor_alltoall), in, n, MPI_BYTE, out, n, MPI_BYTE, comm);
    default:
      return by(FORMS(Alltoall, alltoall), in, n, MPI_BYTE, out, n, MPI_BYTE, comm);
  }
}

}  // namespace

void Player::collective(const Operation& o) {
  const MPI_Comm comm = this->comm(o);
  int rank = 0, size = 0;
  if (o.communicator == halves)
    return in_background(o) ? start_collective(o, comm, rank_, ranks_) : run(o, comm, rank_, ranks_);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  if (in_background(o)) return start_collective(o, comm, rank, size);
  if (o.action == Action::duplicate) {
    MPI_Comm copy;
    if (went_well(MPI_Comm_dup(comm, &copy))) MPI_Comm_free(&copy);
    return;
  }
  is_composite(o.action) ? composite(o, comm, rank, size) : run(o, comm, rank, size);
}

void Player::run(const Operation& o, MPI_Comm comm, int rank, int size) {
  Blocks b = blocks(o, rank, size);
  const bool well = went_well(call(Form::blocking, as_called(o), comm, b.in.data(), b.out.data()));
  check(!well || b.out == b.expected, b.what);
}

void Player::start_collective(const Operation& o, MPI_Comm comm, int rank, int size) {
  Pending& p = begin(o);
  if (o.action == Action::duplicate) {
    MPI_Comm_idup(comm, &p.copy, &p.request);
    return;
  }
  if (o.again < 0) {
    p.blocks = blocks(o, rank, size);
    call(o.persistent ? Form::persistent : Form::background, as_called(o), comm, p.blocks->in.data(),
         p.blocks->out.data(), &p.request);
  } else {
    // Repeats the operation, into memory that does not contain the result yet.
    const std::vector<char> before = blocks(o, rank, size).out;
    std::copy(before.begin(), before.end(), p.blocks->out.begin());
  }
  if (o.persistent) MPI_Start(&p.request);
}

void Player::end_collective(Pending& p) {
  if (p.blocks) check(p.blocks->out == p.blocks->expected, p.blocks->what);
  if (p.copy != MPI_COMM_NULL) MPI_Comm_free(&p.copy);
}

std::vector<int> Player::other_part() const { return members(parts, rank_ + 1, ranks_); }

// The operation with the root as MPI defines it.
Operation Player::as_called(Operation o) const {
  if (o.communicator != halves) return o;
  const std::vector<int> others = other_part();
  const auto root = std::find(others.begin(), others.end(), o.root);
  if (root != others.end())
    o.root = static_cast<int>(root - others.begin());
  else
    o.root = o.root == rank_ ? MPI_ROOT : MPI_PROC_NULL;
  return o;
}

// The ranks whose blocks a rank gets in an operation with blocks of all: all ranks, or the other group.
std::vector<int> Player::partners(const Operation& o, int size) const {
  if (o.communicator == halves) return other_part();
  std::vector<int> all(static_cast<std::size_t>(size));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

// True if `rank` also gets the root's data.
bool Player::has_part(const Operation& o, int rank) {
  return o.communicator != halves || rank % 2 != o.root % 2;
}

Player::Blocks Player::terms(const Operation& o, int rank, int size) const {
  const auto n = static_cast<std::size_t>(o.bytes) / 4;
  const auto bytes = [](const std::vector<std::int32_t>& values) {
    const char* const from = reinterpret_cast<const char*>(values.data());
    return std::vector<char>(from, from + 4 * values.size());
  };
  std::vector<std::int32_t> mine(n), sum(n, -1), expected(n, -1);
  for (std::size_t i = 0; i < n; ++i) mine[i] = term(program_->seed, rank, i);
  const bool gets = o.action == Action::all_reduce || rank == o.root;
  const std::vector<int> givers = partners(o, size);
  for (std::size_t i = 0; gets && i < n; ++i) {
    expected[i] = 0;
    for (const int r : givers) expected[i] += term(program_->seed, r, i);
  }
  return {bytes(mine), bytes(sum), bytes(expected), "the sum"};
}

Player::Blocks Player::blocks(const Operation& o, int rank, int size) const {
  const auto block = [&](int from, int to) {
    return payload(program_->seed, block_number(from, to), o.bytes);
  };
  Blocks b;
  const std::vector<int> others = partners(o, size);
  const bool is_root = rank == o.root;
  switch (o.action) {
    case Action::broadcast:
      b = {.expected = block(o.root, anyone), .what = "what was broadcast"};
      if (!is_root && !has_part(o, rank)) std::fill(b.expected.begin(), b.expected.end(), 0);
      b.out = is_root ? b.expected : std::vector<char>(b.expected.size());
      return b;
    case Action::reduce:
    case Action::all_reduce:
      return terms(o, rank, size);
    case Action::gather:
    case Action::all_gather:
      b = {.in = block(rank, anyone), .what = "what was gathered"};
      if (o.action == Action::gather && !is_root) break;
      for (const int r : others) append(b.expected, block(r, anyone));
      break;
    case Action::scatter:
      b.what = "what was scattered";
      if (has_part(o, rank)) b.expected = block(o.root, rank);
      if (is_root)
        for (const int r : others) append(b.in, block(o.root, r));
      break;
    case Action::all_to_all:
      b.what = "what came from all";
      for (const int r : others) {
        append(b.in, block(rank, r));
        append(b.expected, block(r, rank));
      }
      break;
    case Action::near_gather:
      b = {.in = block(rank, anyone), .what = "what came from neighbours"};
      for (const int r : ring_sources(rank, size)) append(b.expected, block(r, anyone));
      break;
    case Action::near_exchange: {
      b.what = "what came from neighbours, to each its own";
      const std::vector<int> from = ring_sources(rank, size), to = ring_destinations(rank, size);
      for (const int r : to) append(b.in, block(rank, r));
      for (const int r : from) append(b.expected, block(r, rank));
      break;
    }
    default:
      break;
  }
  b.out.resize(b.expected.size());
  return b;
}

}  // namespace emu::reference
