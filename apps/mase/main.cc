// mase: a parallel Mandelbrot explorer. Masters deal tasks to slaves by MPI_ANY_SOURCE (apps/strategies).
//
// Image and output are equal natively and emulated, for any strategy and number of ranks.
#include <mpi.h>

#include <iostream>
#include <numeric>
#include <span>

#include "base/units.h"
#include "command_line/program.h"
#include "image.h"
#include "mandelbrot.h"
#include "options.h"
#include "strategies/strategy.h"

namespace mase {
namespace {

constexpr int writing_rank = 0;

int cannot_write(const std::string& path) {
  return command_line::refuse("mase", writing_rank, path + ": cannot be written");
}

int report(const Options& options, const strategies::Outcome& outcome) {
  const std::span<const std::int32_t> counts(reinterpret_cast<const std::int32_t*>(outcome.results.data()),
                                             outcome.masters.size());
  std::cout << "image " << options.size << " x " << options.size << ", "
            << emu::counted(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}), "iteration")
            << std::endl;
  // These numbers depend on the arrival times of results, so they may differ between native and emulated runs.
  if (options.plan.kind == strategies::Kind::dynamic)
    std::cerr << "mase: " << emu::counted(outcome.splits, "split") << ", "
              << emu::counted(outcome.merges, "merge") << " before all was done\n";
  if (!options.output.empty() && !write_image(options.output, counts, options.size, options.iterations)) {
    return cannot_write(options.output);
  }
  if (!options.map.empty() && !write_map(options.map, outcome.masters, options.size)) {
    return cannot_write(options.map);
  }
  return 0;
}

int run(const Options& options, int rank) {
  const Mandelbrot workload(options.size, options.iterations, options.region, options.cost);
  if (options.count) {
    if (rank == writing_rank) std::cout << workload.total_iterations() << std::endl;
    return 0;
  }
  // Only the writing rank knows whether it can write. If it cannot, it deals no tasks, which stops the other ranks.
  int code = 0;
  if (rank == writing_rank) {
    for (const std::string& path : {options.output, options.map})
      if (code == 0 && !command_line::can_write(path)) code = cannot_write(path);
  }
  const strategies::Outcome outcome = strategies::run(workload, options.plan, code == 0, MPI_COMM_WORLD);
  return rank == writing_rank && code == 0 ? report(options, outcome) : code;
}

constexpr command_line::Program<Options> program = {
    "mase",
    "Usage: mpirun -n RANKS mase [OPTIONS]\n"
    "Explores the Mandelbrot set in parallel: masters deal tasks to slaves, the next one to the\n"
    "slave that returns a result first. One rank alone computes everything itself.",
    add_options, read_options, run};

}  // namespace
}  // namespace mase

int main(int argc, char** argv) { return command_line::main(argc, argv, mase::program); }
