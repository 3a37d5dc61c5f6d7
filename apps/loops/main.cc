// loops: self-scheduling of a loop's iterations over a master.
//
// The same sum natively and emulated, for any rule and number of ranks.
#include <mpi.h>

#include <fstream>
#include <iostream>

#include "options.h"
#include "schedule.h"

namespace loops {
namespace {

constexpr int bad_use = 2;

bool write_chunks(const std::string& path, const Outcome& outcome) {
  std::ofstream file(path);
  for (const Dealt& d : outcome.dealt)
    file << d.chunk.first << ' ' << d.chunk.count << ' ' << d.slave << '\n';
  return static_cast<bool>(file.flush());
}

int say(int rank, const std::string& message) {
  if (rank == 0) std::cerr << "loops: " << message << std::endl;
  return bad_use;
}

int run(const Options& options, int rank) {
  const emu::Result<Loop> loop = options.costs.empty()
                                     ? Loop::of(options.distribution, options.iterations, options.mean)
                                     : Loop::read(options.costs);
  if (!loop) return say(rank, loop.error().message);
  int writable = rank != 0 || options.chunks.empty() || std::ofstream(options.chunks, std::ios::app).good();
  MPI_Bcast(&writable, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (!writable) return say(rank, options.chunks + ": cannot be written");
  const Outcome outcome = loops::run(*loop, options.plan, MPI_COMM_WORLD);
  if (rank != 0) return 0;
  std::cout << loop->iterations() << " iterations, sum " << outcome.sum << std::endl;
  std::cerr << "loops: " << outcome.dealt.size() << " chunks\n";
  if (!options.chunks.empty() && !write_chunks(options.chunks, outcome))
    return say(rank, options.chunks + ": cannot be written");
  return 0;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const emu::Result<Options> options = read_options(argc, argv, ranks);
  int code = 0;
  if (!options) {
    code = say(rank, options.error().message);
  } else if (options->help) {
    if (rank == 0) std::cout << help() << std::flush;
  } else {
    code = run(*options, rank);
  }
  MPI_Finalize();
  return code;
}

}  // namespace
}  // namespace loops

int main(int argc, char** argv) { return loops::main(argc, argv); }
