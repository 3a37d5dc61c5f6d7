// Kernels on a grid of ranks: each rank has a rectangle of the problem, and communicates with its four neighbours.
#include <emu/emu.h>
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "kernels.h"

namespace kernels {
namespace {

using Vector = std::vector<double>;

struct Grid {
  int ranks = 1, sizes[2] = {0, 0};
  int north = MPI_PROC_NULL, south = MPI_PROC_NULL, west = MPI_PROC_NULL, east = MPI_PROC_NULL;
  MPI_Comm comm = MPI_COMM_NULL;

  Grid() {
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Dims_create(ranks, 2, sizes);
    const int periods[2] = {0, 0};
    MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, periods, 0, &comm);
    MPI_Cart_shift(comm, 0, 1, &north, &south);
    MPI_Cart_shift(comm, 1, 1, &west, &east);
  }
  ~Grid() { MPI_Comm_free(&comm); }
  Grid(const Grid&) = delete;
};

double most_of_all(double mine) {
  double most = 0;
  MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return most;
}

// A square of n x n points, stored by rows, with a border of one point.
class Square {
 public:
  explicit Square(int n) : n_(static_cast<std::size_t>(n)), now_((n_ + 2) * (n_ + 2)), then_(now_) {
    MPI_Type_vector(n, 1, n + 2, MPI_DOUBLE, &column_);
    MPI_Type_commit(&column_);
  }
  ~Square() { MPI_Type_free(&column_); }
  Square(const Square&) = delete;

  // At the edge of the grid, the border is 1.
  void set_border(const Grid& grid) {
    for (std::size_t i = 0; i < n_ + 2; ++i) {
      if (grid.north == MPI_PROC_NULL) at(0, i) = 1;
      if (grid.south == MPI_PROC_NULL) at(n_ + 1, i) = 1;
      if (grid.west == MPI_PROC_NULL) at(i, 0) = 1;
      if (grid.east == MPI_PROC_NULL) at(i, n_ + 1) = 1;
    }
    then_ = now_;
  }

  void exchange(const Grid& grid) {
    const int n = static_cast<int>(n_);
    MPI_Request requests[8];
    MPI_Irecv(&at(0, 1), n, MPI_DOUBLE, grid.north, 0, grid.comm, &requests[0]);
    MPI_Irecv(&at(n_ + 1, 1), n, MPI_DOUBLE, grid.south, 0, grid.comm, &requests[1]);
    MPI_Irecv(&at(1, 0), 1, column_, grid.west, 0, grid.comm, &requests[2]);
    MPI_Irecv(&at(1, n_ + 1), 1, column_, grid.east, 0, grid.comm, &requests[3]);
    MPI_Isend(&at(1, 1), n, MPI_DOUBLE, grid.north, 0, grid.comm, &requests[4]);
    MPI_Isend(&at(n_, 1), n, MPI_DOUBLE, grid.south, 0, grid.comm, &requests[5]);
    MPI_Isend(&at(1, 1), 1, column_, grid.west, 0, grid.comm, &requests[6]);
    MPI_Isend(&at(1, n_), 1, column_, grid.east, 0, grid.comm, &requests[7]);
    MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
  }

  // One step of Jacobi's iteration. Returns the largest change of a point.
  double step() {
    double change = 0;
    for (std::size_t row = 1; row <= n_; ++row) {
      for (std::size_t column = 1; column <= n_; ++column) {
        const double mean =
            0.25 * (at(row - 1, column) + at(row + 1, column) + at(row, column - 1) + at(row, column + 1));
        change = std::max(change, std::abs(mean - at(row, column)));
        then_[row * (n_ + 2) + column] = mean;
      }
    }
    std::swap(now_, then_);
    return change;
  }

  double sum() {
    double sum = 0;
    for (std::size_t row = 1; row <= n_; ++row)
      for (std::size_t column = 1; column <= n_; ++column) sum += at(row, column);
    return sum;
  }

 private:
  double& at(std::size_t row, std::size_t column) { return now_[row * (n_ + 2) + column]; }
  std::size_t n_;
  Vector now_, then_;
  MPI_Datatype column_ = MPI_DATATYPE_NULL;
};

// One plane of a sweep: each point is the mean of 1, the point above and the point to the left. The border is 1.
class Plane {
 public:
  explicit Plane(int n) : n_(static_cast<std::size_t>(n)), rows_(n_ * n_), above_(n_, 1.0), left_(n_, 1.0) {}

  void receive(const Grid& grid, int from_above, int from_left) {
    std::fill(above_.begin(), above_.end(), 1.0);
    std::fill(left_.begin(), left_.end(), 1.0);
    if (from_above != MPI_PROC_NULL) receive(above_, from_above, grid.comm);
    if (from_left != MPI_PROC_NULL) receive(left_, from_left, grid.comm);
  }
  void sweep() {
    for (std::size_t row = 0; row < n_; ++row) {
      for (std::size_t column = 0; column < n_; ++column) {
        const double up = row > 0 ? rows_[(row - 1) * n_ + column] : above_[column];
        const double left = column > 0 ? rows_[row * n_ + column - 1] : left_[row];
        rows_[row * n_ + column] = (1 + up + left) / 3;
      }
    }
  }
  void send(const Grid& grid, int below, int right) {
    if (below != MPI_PROC_NULL)
      MPI_Send(&rows_[(n_ - 1) * n_], static_cast<int>(n_), MPI_DOUBLE, below, 0, grid.comm);
    if (right == MPI_PROC_NULL) return;
    Vector last(n_);
    for (std::size_t row = 0; row < n_; ++row) last[row] = rows_[row * n_ + n_ - 1];
    MPI_Send(last.data(), static_cast<int>(n_), MPI_DOUBLE, right, 0, grid.comm);
  }
  double worst() const {
    double worst = 0;
    for (const double value : rows_) worst = std::max(worst, std::abs(value - 1));
    return worst;
  }

 private:
  void receive(Vector& to, int from, MPI_Comm comm) const {
    MPI_Recv(to.data(), static_cast<int>(n_), MPI_DOUBLE, from, 0, comm, MPI_STATUS_IGNORE);
  }
  std::size_t n_;
  Vector rows_, above_, left_;
};

}  // namespace

double jacobi(const Options& options) {
  const Grid grid;
  Square square(options.size);
  square.set_border(grid);
  double first = 0, last = 0;
  for (int i = 0; i < options.rounds; ++i) {
    square.exchange(grid);
    const double change = square.step();
    declare(options, static_cast<double>(options.size) * options.size);
    constexpr int often = 10;
    if (i % often > 0) continue;
    last = most_of_all(change);
    if (i == 0) first = last;
  }
  require(last <= first, "jacobi: the iteration moves away from its solution");
  double sum = square.sum(), all = 0;
  MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  return all;
}

double wavefront(const Options& options) {
  const Grid grid;
  constexpr int planes = 20;
  Plane plane(options.size);
  for (int i = 0; i < options.rounds; ++i) {
    for (int k = 0; k < planes; ++k) {
      plane.receive(grid, grid.north, grid.west);
      plane.sweep();
      declare(options, static_cast<double>(options.size) * options.size);
      plane.send(grid, grid.south, grid.east);
    }
    for (int k = 0; k < planes; ++k) {
      plane.receive(grid, grid.south, grid.east);
      plane.sweep();
      declare(options, static_cast<double>(options.size) * options.size);
      plane.send(grid, grid.north, grid.west);
    }
  }
  const double worst = most_of_all(plane.worst());
  require(worst < 1e-9, "wavefront: a point is not what it has to be");
  return worst < 1e-9 ? 1 : 0;
}

}  // namespace kernels
