// stealing: a search of an unbalanced tree by work stealing, with one-sided operations only.
//
// The number of nodes and their sum are equal natively and emulated, for any chunk size and number of ranks.
#include <mpi.h>

#include <iostream>

#include "base/units.h"
#include "command_line/program.h"
#include "search.h"

namespace stealing {
namespace {

using command_line::Given;
using command_line::value;

void add_options(command_line::po::options_description& options) {
  auto add = options.add_options();
  add("chunk", value("N"), "nodes that are stolen at once (8)");
  add("cost", value("TIME"), "of a node on the reference CPU, in seconds or with a unit (100us)");
  add("roots", value("N"), "subtrees; each has 25 nodes in the mean (200)");
}

emu::Result<void> read_options(const Given& given, int, Plan& to) {
  return command_line::all({
      command_line::read_count(given, "chunk", 1, 1000, to.chunk),
      command_line::read_seconds(given, "cost", to.cost),
      command_line::read_count(given, "roots", 1, 1'000'000, to.tree.roots),
  });
}

int run(const Plan& plan, int rank) {
  const Outcome outcome = search(plan, MPI_COMM_WORLD);
  if (rank != 0) return 0;
  std::cout << emu::counted(outcome.found.nodes, "node") << ", sum " << outcome.found.sum << std::endl;
  std::cerr << "stealing: " << emu::counted(outcome.stolen, "chunk") << " stolen, "
            << emu::counted(outcome.attempts, "attempt") << "\n";
  return 0;
}

constexpr command_line::Program<Plan> program = {
    "stealing",
    "Usage: mpirun -n RANKS stealing [OPTIONS]\n"
    "Searches a tree of unknown shape. Ranks that have no nodes left take chunks of nodes from others\n"
    "without their help. Natively a node computes for as long as it costs.",
    add_options, read_options, run};

}  // namespace
}  // namespace stealing

int main(int argc, char** argv) { return command_line::main(argc, argv, stealing::program); }
