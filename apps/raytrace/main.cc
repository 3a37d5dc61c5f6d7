// raytrace: travel times of seismic rays through the earth, which one rank deals to all ranks.
//
// The result is equal natively and emulated, for any distribution, order and number of ranks.
#include <emu/emu.h>
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "command_line/program.h"
#include "deal.h"

namespace raytrace {
namespace {

void report(const Sums& sums, const std::vector<double>& rows) {
  std::printf("%lld rays, travel time %.6f s in all, deepest points %.3f km deep on average\n",
              static_cast<long long>(sums.rays), 1e-6 * static_cast<double>(sums.microseconds),
              sums.rays ? 1e-3 * static_cast<double>(sums.metres) / static_cast<double>(sums.rays) : 0.0);
  std::fflush(stdout);
  double earliest = 0, latest = 0;
  bool any = false;
  for (std::size_t i = 0; i < rows.size(); i += 2) {
    if (rows[i] == 0) continue;
    earliest = any ? std::min(earliest, rows[i + 1]) : rows[i + 1];
    latest = std::max(latest, rows[i + 1]);
    any = true;
  }
  std::fprintf(stderr, "raytrace: ranks with rays are done after %.6f to %.6f s\n", earliest, latest);
  for (std::size_t i = 0; i < rows.size(); i += 2)
    std::fprintf(stderr, "raytrace: rank %zu: %.0f rays, done after %.6f s\n", i / 2, rows[i], rows[i + 1]);
}

int run(const Options& options, int rank) {
  const Earth earth(options.shells);
  const Trace traced = [&](std::span<const Ray> rays) {
    if (options.declares && !rays.empty())
      emu_compute(options.ray_seconds * static_cast<double>(rays.size()));
    return trace(rays, earth);
  };
  const std::vector<Ray> rays = rank == options.root ? make_rays(0, options.rays, earth) : std::vector<Ray>();
  const Done done = options.distribution == Distribution::dynamic ? deal_tasks(rays, options, traced)
                                                                  : deal_parts(rays, options, traced);
  const std::int64_t own[3] = {done.sums.rays, done.sums.microseconds, done.sums.metres};
  std::int64_t all[3] = {};
  MPI_Reduce(own, all, 3, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const double row[2] = {static_cast<double>(done.sums.rays), done.seconds};
  std::vector<double> rows(2 * static_cast<std::size_t>(ranks));
  MPI_Gather(row, 2, MPI_DOUBLE, rows.data(), 2, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (rank == 0) report({all[0], all[1], all[2]}, rows);
  return 0;
}

constexpr command_line::Program<Options> program = {
    "raytrace",
    "Usage: mpirun -n RANKS raytrace [OPTIONS]\n"
    "Traces seismic rays of P waves through the earth model IASP91: the root has them, and deals them to "
    "all\n"
    "ranks, itself one of them. Says the sum of their travel times, and when each rank was done.",
    add_options, read_options, run};

}  // namespace
}  // namespace raytrace

int main(int argc, char** argv) { return command_line::main(argc, argv, raytrace::program); }
