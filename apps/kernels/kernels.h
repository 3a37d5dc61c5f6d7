// Small message-passing programs that time themselves: what scripts/validate holds predictions against.
#pragma once

#include <emu/emu.h>

#include <cstdint>

namespace kernels {

struct Options {
  int kernel = 0;            // which: in the order in which main.cc lists them
  std::int32_t bytes = 1;    // of a message
  std::int32_t size = 1000;  // of a rank's part of the problem
  std::int32_t rounds = 100;
  double task = 0.01;  // seconds
  double point = 0;    // seconds of work that are declared for each point; 0: none are
};

// What a kernel finds out, which does not depend on how long anything takes. Each is called by all ranks of
// MPI_COMM_WORLD, does `rounds` rounds, and leaves nothing on its way.
using Kernel = double (*)(const Options& options);

// Declares the work of so many points, if the options say what one takes.
inline void declare(const Options& options, double points) {
  if (options.point > 0) emu_compute(points * options.point);
}

// There and back between ranks 0 and 1.
double pingpong(const Options& options);
// Both ways at once between ranks 0 and 1.
double exchange(const Options& options);
// A master deals `rounds` tasks of `task` seconds each, in which a slave sleeps; natively that needs no CPU, emulated
// it is declared. Results have `bytes`.
double farm(const Options& options);
// Jacobi's iteration on a line of `size` points for each rank.
double stencil(const Options& options);
// Conjugate gradient for Laplace's equation on a grid with `size` columns and as many rows for each rank.
double gradient(const Options& options);
// Sorts `size` whole numbers for each rank by buckets, as many times as there are rounds.
double sort(const Options& options);
// The kernels from here on check themselves, and throw std::runtime_error if what they find cannot be.
// Jacobi's iteration on a grid of ranks with `size` x `size` points each; every tenth step all ask how far they are.
double jacobi(const Options& options);
// Sweeps through planes of `size` x `size` points on a grid of ranks, from one corner to the opposite and back, as in the
// LU benchmark of NAS.
double wavefront(const Options& options);
// V-cycles for Poisson's equation with `size` rows of `size` points for each rank on the finest level.
double multigrid(const Options& options);
// Fourier transforms of a square with at least `size` rows, by rows with transpositions between, there and back.
double fourier(const Options& options);

}  // namespace kernels
