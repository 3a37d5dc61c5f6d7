// Small message-passing programs that time themselves: what scripts/validate holds predictions against.
#pragma once

#include <cstdint>

namespace kernels {

struct Options {
  int kernel = 0;            // which: in the order in which main.cc lists them
  std::int32_t bytes = 1;    // of a message
  std::int32_t size = 1000;  // of a rank's part of the problem
  std::int32_t rounds = 100;
  double task = 0.01;  // seconds
};

// What a kernel finds out, which does not depend on how long anything takes. Each is called by all ranks of
// MPI_COMM_WORLD, does `rounds` rounds, and leaves nothing on its way.
using Kernel = double (*)(const Options& options);

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

}  // namespace kernels
