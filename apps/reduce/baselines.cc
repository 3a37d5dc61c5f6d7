#include "baselines.h"

#include <bit>
#include <utility>

namespace reduce {
namespace {

constexpr int tag = 7;

// Ranks counted from the root.
struct Ring {
  Ring(int root, MPI_Comm comm) : root(root) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    number = (rank - root + size) % size;
  }
  int rank_of(int other) const { return (other + root) % size; }

  int root;
  int size = 1;
  int number = 0;
};

void send(std::span<const Element> data, int to, MPI_Comm comm) {
  MPI_Send(data.data(), static_cast<int>(data.size()), MPI_INT64_T, to, tag, comm);
}

void receive(std::span<Element> into, int from, MPI_Comm comm) {
  MPI_Recv(into.data(), static_cast<int>(into.size()), MPI_INT64_T, from, tag, comm, MPI_STATUS_IGNORE);
}

// Elements of the parts from `first` to `last` - 1, if the vector is cut into `power` parts.
std::span<Element> parts(Vector& vector, int power, int first, int last) {
  const std::size_t begin = vector.size() * static_cast<std::size_t>(first) / static_cast<std::size_t>(power);
  const std::size_t end = vector.size() * static_cast<std::size_t>(last) / static_cast<std::size_t>(power);
  return std::span(vector).subspan(begin, end - begin);
}

// The ranks beyond a power of two pass their vectors to a neighbour, and take no further part.
struct Fold {
  explicit Fold(int size)
      : power(static_cast<int>(std::bit_floor(static_cast<unsigned>(size)))), rest(size - power) {}
  bool paired(int number) const { return number < 2 * rest; }
  bool aside(int number) const { return paired(number) && number % 2 == 1; }
  int folded(int number) const { return paired(number) ? number / 2 : number - rest; }
  int unfolded(int folded) const { return folded < rest ? 2 * folded : folded + rest; }

  int power;
  int rest;
};

}  // namespace

void binomial(Vector& own, const Operation& operation, int root, MPI_Comm comm) {
  const Ring ring(root, comm);
  Vector incoming(own.size());
  for (int mask = 1; mask < ring.size; mask <<= 1) {
    if (ring.number & mask) return send(own, ring.rank_of(ring.number - mask), comm);
    if (ring.number + mask >= ring.size) continue;
    receive(incoming, ring.rank_of(ring.number + mask), comm);
    operation.apply(incoming, own);
  }
}

void rabenseifner(Vector& own, const Operation& operation, int root, MPI_Comm comm) {
  const Ring ring(root, comm);
  const Fold fold(ring.size);
  if (fold.aside(ring.number)) return send(own, ring.rank_of(ring.number - 1), comm);
  Vector incoming(own.size());
  if (fold.paired(ring.number)) {
    receive(incoming, ring.rank_of(ring.number + 1), comm);
    operation.apply(incoming, own);
  }
  const int number = fold.folded(ring.number);
  const auto peer = [&](int other) { return ring.rank_of(fold.unfolded(other)); };
  int first = 0;
  int last = fold.power;
  for (int mask = 1; mask < fold.power; mask <<= 1) {
    const int middle = (first + last) / 2;
    const bool lower = (number & mask) == 0;
    const auto sent = lower ? parts(own, fold.power, middle, last) : parts(own, fold.power, first, middle);
    (lower ? last : first) = middle;
    const auto kept = parts(own, fold.power, first, last);
    const auto got = parts(incoming, fold.power, first, last);
    MPI_Sendrecv(sent.data(), static_cast<int>(sent.size()), MPI_INT64_T, peer(number ^ mask), tag,
                 got.data(), static_cast<int>(got.size()), MPI_INT64_T, peer(number ^ mask), tag, comm,
                 MPI_STATUS_IGNORE);
    operation.apply(got, kept);
  }
  for (int mask = fold.power / 2; mask > 0; mask /= 2) {
    if (number & mask) return send(parts(own, fold.power, first, last), peer(number ^ mask), comm);
    const int length = last - first;
    receive(parts(own, fold.power, last, last + length), peer(number ^ mask), comm);
    last += length;
  }
}

// Not in place: natively, MPICH 4.0.2 crashes with MPI_IN_PLACE, 4 KiB or more and a root other than 0.
void mpi_reduce(Vector& own, const Operation& operation, int root, MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  Vector result(rank == root ? own.size() : 0);
  MPI_Reduce(own.data(), result.data(), static_cast<int>(own.size()), MPI_INT64_T, operation.handle(), root,
             comm);
  if (rank == root) own = std::move(result);
}

}  // namespace reduce
