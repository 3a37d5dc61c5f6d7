// loops: self-scheduling of a loop's iterations over a master.
//
// The sum is equal natively and emulated, for any rule and number of ranks.
#include <mpi.h>

#include <fstream>
#include <iostream>

#include "base/units.h"
#include "command_line/program.h"
#include "options.h"
#include "schedule.h"

namespace loops {
namespace {

bool write_chunks(const std::string& path, const Outcome& outcome) {
  std::ofstream file(path);
  for (const Dealt& d : outcome.dealt)
    file << d.chunk.first << ' ' << d.chunk.count << ' ' << d.slave << '\n';
  return static_cast<bool>(file.flush());
}

int refuse(int rank, const std::string& message) { return command_line::refuse("loops", rank, message); }

int run(const Options& options, int rank) {
  const emu::Result<Loop> loop = options.costs.empty()
                                     ? Loop::of(options.distribution, options.iterations, options.mean)
                                     : Loop::read(options.costs);
  if (!loop) return refuse(rank, loop.error().message);
  int writable = rank != 0 || command_line::can_write(options.chunks);
  MPI_Bcast(&writable, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (!writable) return refuse(rank, options.chunks + ": cannot be written");
  const Outcome outcome = loops::run(*loop, options.plan, MPI_COMM_WORLD);
  if (rank != 0) return 0;
  std::cout << emu::counted(loop->iterations(), "iteration") << ", sum " << outcome.sum << std::endl;
  std::cerr << "loops: " << emu::counted(static_cast<std::int64_t>(outcome.dealt.size()), "chunk") << "\n";
  if (!options.chunks.empty() && !write_chunks(options.chunks, outcome))
    return refuse(rank, options.chunks + ": cannot be written");
  return 0;
}

constexpr command_line::Program<Options> program = {
    "loops",
    "Usage: mpirun -n RANKS loops [OPTIONS]\n"
    "Runs the iterations of a loop on all ranks but 0, which deals a chunk to each rank that asks. Natively\n"
    "an iteration computes for as long as it costs.",
    add_options, read_options, run};

}  // namespace
}  // namespace loops

int main(int argc, char** argv) { return command_line::main(argc, argv, loops::program); }
