// A multigrid V-cycle on rows, and a two-dimensional Fourier transform with transpositions.
#include <emu/emu.h>
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "kernels.h"

namespace kernels {
namespace {

using Vector = std::vector<double>;
using Complex = std::complex<double>;

// One level: rows of columns, with an adjacent row of each neighbour, which is 0 beyond the ends.
struct Level {
  std::size_t rows, columns;
  Vector u, f, next;
  Level(std::size_t r, std::size_t c) : rows(r), columns(c), u((r + 2) * c), f(u.size()), next(u.size()) {}
};

class Cycle {
 public:
  explicit Cycle(const Options& options) : options_(options) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    for (std::size_t n = static_cast<std::size_t>(options.size); levels_.empty() || n >= 2; n /= 2) {
      levels_.emplace_back(n, n);
      if (n % 2 == 1) break;
    }
    Level& finest = levels_.front();
    for (std::size_t i = finest.columns; i < (finest.rows + 1) * finest.columns; ++i) finest.f[i] = 1;
  }

  void run(std::size_t level = 0) {
    Level& here = levels_[level];
    const bool coarsest = level + 1 == levels_.size();
    smooth(here, coarsest ? 8 : 2);
    if (coarsest) return;
    Level& below = levels_[level + 1];
    restrict_residual(here, below);
    std::fill(below.u.begin(), below.u.end(), 0.0);
    run(level + 1);
    for (std::size_t row = 0; row < here.rows; ++row)
      for (std::size_t c = 0; c < here.columns; ++c)
        here.u[(row + 1) * here.columns + c] +=
            below.u[(std::min(row / 2, below.rows - 1) + 1) * below.columns +
                    std::min(c / 2, below.columns - 1)];
    smooth(here, 2);
  }

  double residual() {
    Level& finest = levels_.front();
    fetch(finest);
    double mine = 0, all = 0;
    for (std::size_t row = 1; row <= finest.rows; ++row)
      for (std::size_t c = 0; c < finest.columns; ++c) mine += std::pow(residual_at(finest, row, c), 2);
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return std::sqrt(all);
  }

 private:
  void fetch(Level& level) {
    const int n = static_cast<int>(level.columns);
    const int before = rank_ > 0 ? rank_ - 1 : MPI_PROC_NULL,
              behind = rank_ + 1 < ranks_ ? rank_ + 1 : MPI_PROC_NULL;
    double* const u = level.u.data();
    MPI_Sendrecv(u + n, n, MPI_DOUBLE, before, 0, u + (level.rows + 1) * level.columns, n, MPI_DOUBLE, behind,
                 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(u + level.rows * level.columns, n, MPI_DOUBLE, behind, 1, u, n, MPI_DOUBLE, before, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  static double residual_at(const Level& level, std::size_t row, std::size_t c) {
    const double* const here = &level.u[row * level.columns + c];
    const double left = c > 0 ? here[-1] : 0, right = c + 1 < level.columns ? here[1] : 0;
    const double above = *(here - level.columns), below = here[level.columns];
    return level.f[row * level.columns + c] - (4 * here[0] - left - right - above - below);
  }
  void smooth(Level& level, int sweeps) {
    constexpr double damping = 0.8;
    for (int i = 0; i < sweeps; ++i) {
      fetch(level);
      for (std::size_t row = 1; row <= level.rows; ++row)
        for (std::size_t c = 0; c < level.columns; ++c)
          level.next[row * level.columns + c] =
              level.u[row * level.columns + c] + damping / 4 * residual_at(level, row, c);
      std::swap(level.u, level.next);
      declare(options_, static_cast<double>(level.rows * level.columns));
    }
  }
  // The coarse right side is the mean of the residuals at four points, times 2, the weight of the coarse equations.
  void restrict_residual(Level& from, Level& to) {
    fetch(from);
    for (std::size_t row = 0; row < to.rows; ++row) {
      for (std::size_t c = 0; c < to.columns; ++c) {
        double sum = 0;
        for (std::size_t i = 0; i < 4; ++i) sum += residual_at(from, 2 * row + i / 2 + 1, 2 * c + i % 2);
        to.f[(row + 1) * to.columns + c] = 0.5 * sum;
      }
    }
    declare(options_, static_cast<double>(from.rows * from.columns));
  }

  const Options& options_;
  int rank_ = 0, ranks_ = 1;
  std::vector<Level> levels_;
};

// Transforms in place, without normalization. The length is a power of two.
void transform(Complex* data, std::size_t n, bool back) {
  for (std::size_t i = 1, j = 0; i < n; ++i) {
    std::size_t bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(data[i], data[j]);
  }
  for (std::size_t length = 2; length <= n; length *= 2) {
    const double angle = (back ? 2 : -2) * std::numbers::pi / static_cast<double>(length);
    const Complex turn(std::cos(angle), std::sin(angle));
    for (std::size_t i = 0; i < n; i += length) {
      Complex w(1);
      for (std::size_t k = 0; k < length / 2; ++k, w *= turn) {
        const Complex a = data[i + k], b = data[i + k + length / 2] * w;
        data[i + k] = a + b;
        data[i + k + length / 2] = a - b;
      }
    }
  }
}

// A square of n x n numbers, with n / ranks rows on each rank.
class Fourier {
 public:
  explicit Fourier(const Options& options) : options_(options) {
    int rank = 0, ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    ranks_ = static_cast<std::size_t>(ranks);
    while (n_ < static_cast<std::size_t>(options.size)) n_ *= 2;
    rows_ = (n_ + ranks_ - 1) / ranks_;  // the last rank may have rows outside of the square
    data_.resize(rows_ * n_padded());
    for (std::size_t i = 0; i < data_.size(); ++i)
      data_[i] = std::sin(0.37 * static_cast<double>(i + 1) * (rank + 1));
    // Numbers outside of the square are 0.
    for (std::size_t row = 0; row < rows_; ++row)
      for (std::size_t c = 0; c < n_padded(); ++c)
        if (c >= n_ || static_cast<std::size_t>(rank) * rows_ + row >= n_) data_[row * n_padded() + c] = 0;
    buffer_ = data_;
  }
  const std::vector<Complex>& data() const { return data_; }

  void run(bool back) {
    rows(back);
    transpose();
    rows(back);
    transpose();
    if (!back) return;
    for (Complex& each : data_) each /= static_cast<double>(n_ * n_);
  }

 private:
  std::size_t n_padded() const { return rows_ * ranks_; }
  void rows(bool back) {
    for (std::size_t row = 0; row < rows_; ++row) transform(&data_[row * n_padded()], n_, back);
    declare(options_, static_cast<double>(rows_ * n_));
  }
  void transpose() {
    const std::size_t block = rows_ * rows_;
    for (std::size_t to = 0; to < ranks_; ++to)
      for (std::size_t row = 0; row < rows_; ++row)
        for (std::size_t c = 0; c < rows_; ++c)
          buffer_[to * block + c * rows_ + row] = data_[row * n_padded() + to * rows_ + c];
    std::vector<Complex> got(buffer_.size());
    MPI_Alltoall(buffer_.data(), static_cast<int>(block), MPI_CXX_DOUBLE_COMPLEX, got.data(),
                 static_cast<int>(block), MPI_CXX_DOUBLE_COMPLEX, MPI_COMM_WORLD);
    for (std::size_t from = 0; from < ranks_; ++from)
      for (std::size_t row = 0; row < rows_; ++row)
        for (std::size_t c = 0; c < rows_; ++c)
          data_[row * n_padded() + from * rows_ + c] = got[from * block + row * rows_ + c];
  }

  const Options& options_;
  std::size_t n_ = 1, rows_ = 1, ranks_ = 1;
  std::vector<Complex> data_, buffer_;
};

}  // namespace

double multigrid(const Options& options) {
  Cycle cycle(options);
  const double first = cycle.residual();
  for (int i = 0; i < options.rounds; ++i) cycle.run();
  const double last = cycle.residual();
  require(last < first, "multigrid: the residual does not fall");
  return last < first ? 1 : 0;
}

double fourier(const Options& options) {
  Fourier square(options);
  const std::vector<Complex> before = square.data();
  for (int i = 0; i < options.rounds; ++i) {
    square.run(false);
    square.run(true);
  }
  double worst = 0, all = 0;
  for (std::size_t i = 0; i < before.size(); ++i)
    worst = std::max(worst, std::abs(square.data()[i] - before[i]));
  MPI_Allreduce(&worst, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  require(all < 1e-6, "fourier: there and back is not where it began");
  return all < 1e-6 ? 1 : 0;
}

}  // namespace kernels
