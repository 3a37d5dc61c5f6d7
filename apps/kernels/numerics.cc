// Kernels that compute between their messages.
#include <mpi.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "kernels.h"

namespace kernels {
namespace {

struct World {
  int rank = 0, ranks = 1;
  World() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  }
  int before() const { return rank > 0 ? rank - 1 : MPI_PROC_NULL; }
  int behind() const { return rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL; }
};

using Vector = std::vector<double>;

double sum_of_all(double mine) {
  double sum = 0;
  MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

// Fills the first and the last row of `rows`, which are the adjacent rows of the neighbours. A row has `columns`
// numbers.
void fetch_neighbours(const World& world, Vector& rows, int columns) {
  const auto n = static_cast<std::size_t>(columns);
  double* const first = rows.data() + n;
  double* const last = rows.data() + rows.size() - 2 * n;
  MPI_Request requests[4];
  MPI_Irecv(rows.data(), columns, MPI_DOUBLE, world.before(), 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(last + n, columns, MPI_DOUBLE, world.behind(), 0, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(first, columns, MPI_DOUBLE, world.before(), 0, MPI_COMM_WORLD, &requests[2]);
  MPI_Isend(last, columns, MPI_DOUBLE, world.behind(), 0, MPI_COMM_WORLD, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

// The part of one rank of a distributed square: `size` rows of `size` columns.
class Gradient {
 public:
  explicit Gradient(const Options& options)
      : options_(options),
        n_(static_cast<std::size_t>(options.size)),
        x_(n_ * n_),
        r_(n_ * n_, 1.0),
        p_((n_ + 2) * n_),
        q_(n_ * n_) {
    std::copy(r_.begin(), r_.end(), inside());
    rho_ = sum_of_all(std::inner_product(r_.begin(), r_.end(), r_.begin(), 0.0));
  }

  void step() {
    multiply();
    declare(options_, static_cast<double>(n_ * n_));
    const double alpha = rho_ / sum_of_all(std::inner_product(q_.begin(), q_.end(), inside(), 0.0));
    for (std::size_t i = 0; i < q_.size(); ++i) {
      x_[i] += alpha * inside()[static_cast<std::ptrdiff_t>(i)];
      r_[i] -= alpha * q_[i];
    }
    const double before = rho_;
    rho_ = sum_of_all(std::inner_product(r_.begin(), r_.end(), r_.begin(), 0.0));
    for (std::size_t i = 0; i < r_.size(); ++i) {
      double& p = inside()[static_cast<std::ptrdiff_t>(i)];
      p = r_[i] + rho_ / before * p;
    }
  }

  double residual() const { return rho_; }

 private:
  Vector::iterator inside() { return p_.begin() + static_cast<std::ptrdiff_t>(n_); }

  // q = A p, with a five-point stencil.
  void multiply() {
    fetch_neighbours(world_, p_, static_cast<int>(n_));
    for (std::size_t row = 0; row < n_; ++row) {
      const double* const here = &p_[(row + 1) * n_];
      for (std::size_t c = 0; c < n_; ++c) {
        const double left = c > 0 ? here[c - 1] : 0, right = c + 1 < n_ ? here[c + 1] : 0;
        q_[row * n_ + c] = 4 * here[c] - left - right - *(here + c - n_) - here[c + n_];
      }
    }
  }

  const Options& options_;
  World world_;
  std::size_t n_;
  Vector x_, r_, p_, q_;
  double rho_ = 0;
};

std::vector<std::int32_t> random_keys(std::size_t count, int rank) {
  std::vector<std::int32_t> keys(count);
  std::uint32_t state = 12345u + static_cast<std::uint32_t>(rank);
  for (std::int32_t& key : keys) {
    state = state * 1664525u + 1013904223u;
    key = static_cast<std::int32_t>(state >> 8);  // below 2^24
  }
  return keys;
}

std::vector<int> offsets(const std::vector<int>& counts) {
  std::vector<int> result(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), result.begin(), 0);
  return result;
}

// Sends each key to the rank that has its bucket, which sorts its keys.
std::vector<std::int32_t> exchange_and_sort(const World& world, std::vector<std::int32_t> keys) {
  const auto owner = [&](std::int32_t key) {
    return static_cast<std::size_t>((static_cast<std::int64_t>(key) * world.ranks) >> 24);
  };
  std::vector<int> sent(static_cast<std::size_t>(world.ranks)), received(sent.size());
  for (std::int32_t key : keys) ++sent[owner(key)];
  std::vector<int> next = offsets(sent);
  std::vector<std::int32_t> ordered(keys.size());
  for (std::int32_t key : keys) ordered[static_cast<std::size_t>(next[owner(key)]++)] = key;
  MPI_Alltoall(sent.data(), 1, MPI_INT, received.data(), 1, MPI_INT, MPI_COMM_WORLD);
  std::vector<std::int32_t> mine(
      static_cast<std::size_t>(std::accumulate(received.begin(), received.end(), 0)));
  MPI_Alltoallv(ordered.data(), sent.data(), offsets(sent).data(), MPI_INT32_T, mine.data(), received.data(),
                offsets(received).data(), MPI_INT32_T, MPI_COMM_WORLD);
  std::sort(mine.begin(), mine.end());
  return mine;
}

}  // namespace

double stencil(const Options& options) {
  const World world;
  Vector now(static_cast<std::size_t>(options.size) + 2), then = now;
  if (world.rank == 0) now.front() = then.front() = 1;
  for (int i = 0; i < options.rounds; ++i) {
    fetch_neighbours(world, now, 1);
    for (std::size_t c = 1; c + 1 < now.size(); ++c) then[c] = 0.25 * (now[c - 1] + 2 * now[c] + now[c + 1]);
    std::swap(now, then);
  }
  return sum_of_all(std::accumulate(now.begin() + 1, now.end() - 1, 0.0));
}

double gradient(const Options& options) {
  Gradient problem(options);
  for (int i = 0; i < options.rounds; ++i) problem.step();
  return problem.residual();
}

double sort(const Options& options) {
  const World world;
  double sum = 0;
  for (int i = 0; i < options.rounds; ++i) {
    const auto keys =
        exchange_and_sort(world, random_keys(static_cast<std::size_t>(options.size), world.rank + i));
    declare(options, static_cast<double>(keys.size()));
    sum += static_cast<double>(keys.size()) * keys[keys.size() / 2];
  }
  return sum_of_all(sum);
}

}  // namespace kernels
