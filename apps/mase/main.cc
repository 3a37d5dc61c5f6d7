// mase: a parallel Mandelbrot explorer. Rank 0 deals tasks to all others by MPI_ANY_SOURCE.
//
// The same image and the same output natively and emulated, for any number of ranks.
#include <mpi.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <numeric>
#include <span>
#include <vector>

#include "image.h"
#include "mandelbrot.h"
#include "options.h"
#include "single_master.h"

namespace mase {
namespace {

constexpr int bad_use = 2;

bool can_write(const std::string& path) { return path.empty() || std::ofstream(path, std::ios::app).good(); }

int cannot_write(const std::string& path) {
  std::cerr << "mase: " << path << ": cannot be written" << std::endl;
  return bad_use;
}

int run(const Options& options, int rank) {
  const Mandelbrot workload(options.size, options.iterations, options.region, options.cost);
  if (options.count) {
    if (rank == master_rank) std::cout << workload.total_iterations() << std::endl;
    return 0;
  }
  Range range;
  std::vector<std::int32_t> counts;
  int code = 0;
  if (rank == master_rank) {
    // Only the master knows whether it can write: if not, it deals nothing, which stops the others.
    if (can_write(options.output)) {
      range.count = workload.items();
      counts.resize(workload.items());
    } else {
      code = cannot_write(options.output);
    }
  }
  // No task is larger than the image; so much smaller are the buffers.
  const std::int32_t task = std::min(options.task, workload.items());
  run_single_master(workload, range, task, std::as_writable_bytes(std::span(counts)), MPI_COMM_WORLD);
  if (rank != master_rank || code != 0) return code;

  std::cout << "image " << options.size << " x " << options.size << ", "
            << std::accumulate(counts.begin(), counts.end(), std::int64_t{0}) << " iterations" << std::endl;
  if (!options.output.empty() && !write_image(options.output, counts, options.size, options.iterations)) {
    return cannot_write(options.output);
  }
  return 0;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const emu::Result<Options> options = read_options(argc, argv);
  int code = 0;
  if (!options) {
    if (rank == master_rank) std::cerr << "mase: " << options.error().message << std::endl;
    code = bad_use;
  } else if (options->help) {
    if (rank == master_rank) std::cout << help() << std::flush;
  } else {
    code = run(*options, rank);
  }
  MPI_Finalize();
  return code;
}

}  // namespace
}  // namespace mase

int main(int argc, char** argv) { return mase::main(argc, argv); }
