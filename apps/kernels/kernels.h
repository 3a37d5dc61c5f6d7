// Small message-passing programs that time themselves. scripts/validate compares predictions with them.
#pragma once

#include <emu/emu.h>

#include <cstdint>
#include <stdexcept>

namespace kernels {

struct Options {
  int kernel = 0;            // index in the list of main.cc
  std::int32_t bytes = 1;    // of a message
  std::int32_t size = 1000;  // of a rank's part of the problem
  std::int32_t rounds = 100;
  double task = 0.01;  // seconds
  double point = 0;    // declared work for each point, in seconds; 0: none is declared
};

// The result of a kernel, which does not depend on times. All ranks of MPI_COMM_WORLD call a kernel. It does
// `rounds` rounds, and leaves no message in transit.
using Kernel = double (*)(const Options& options);

// Declares the work of `points` points, if the options give the work of a point.
inline void declare(const Options& options, double points) {
  if (options.point > 0) emu_compute(points * options.point);
}

inline void require(bool holds, const char* what) {
  if (!holds) throw std::runtime_error(what);
}

// Messages between ranks 0 and 1, there and back.
double pingpong(const Options& options);
// Messages between ranks 0 and 1 in both directions at once.
double exchange(const Options& options);
// A master deals `rounds` tasks of `task` seconds each. Natively a slave sleeps during a
// task, which needs no CPU; under emulation the time is declared. Results have `bytes`.
double farm(const Options& options);
// Jacobi's iteration on a line with `size` points for each rank.
double stencil(const Options& options);
// Conjugate gradient for Laplace's equation on a grid with `size` columns and `size` rows for each rank.
double gradient(const Options& options);
// Sorts `size` integers for each rank by buckets, once in every round.
double sort(const Options& options);
// The following kernels check themselves, and throw std::runtime_error if a result is impossible.
// Jacobi's iteration on a grid of ranks with `size` x `size` points each; an allreduce in every tenth step.
double jacobi(const Options& options);
// Sweeps through planes of `size` x `size` points on a grid of ranks, from one corner to the opposite and back, as in
// the LU benchmark of NAS.
double wavefront(const Options& options);
// V-cycles for Poisson's equation; on the finest level each rank has `size` rows of `size` points.
double multigrid(const Options& options);
// Fourier transforms, there and back, of a square with at least `size` rows: transforms of rows, and transpositions.
double fourier(const Options& options);

}  // namespace kernels
