// roms: the range of motion of an artificial hip. It finds the rotations of the femur that make it touch the cup.
//
// The set of rotations is equal natively and emulated, for any strategy and number of ranks.
#include <mpi.h>

#include <algorithm>
#include <fstream>
#include <iostream>

#include "command_line/program.h"
#include "motion.h"
#include "strategies/options.h"

namespace roms {
namespace {

namespace po = command_line::po;
using command_line::Given;
using command_line::value;
using emu::Result;

struct Options {
  Grid grid;
  int segments = 48;
  std::optional<double> cost;
  strategies::Plan plan;
  std::string output;  // file; empty: none
};

void add_options(po::options_description& options) {
  auto add = options.add_options();
  add("steps", value("N"), "of each of the three axes: N^3 rotations (16)");
  add("task", value("T"), "rotations per task (1)");
  add("segments", value("N"), "of each circle of the meshes: some 2.5 N^2 triangles (48)");
  add("cost", value("TIME"),
      "declare this time per rotation on the reference CPU, in seconds or with a unit: 12.5us");
  strategies::add_options(options);
  add("output", value("FILE"),
      "write the rotations that collide: lines of flexion, abduction, turn in degrees");
}

Result<void> read_options(const Given& given, int ranks, Options& to) {
  double cost = 0;
  const Result<void> read = command_line::all({
      command_line::read_count(given, "steps", 1, 1000, to.grid.steps),
      command_line::read_count(given, "task", 1, 1 << 28, to.plan.task_items),
      command_line::read_count(given, "segments", 8, 1000, to.segments),
      command_line::read_seconds(given, "cost", cost),
      strategies::read_options(given, ranks, to.plan),
      command_line::read_text(given, "output", to.output),
  });
  if (given.count("cost")) to.cost = cost;
  return read;
}

int cannot_write(const std::string& path) {
  return command_line::refuse("roms", 0, path + ": cannot be written");
}

int report(const Options& options, const std::vector<std::byte>& results) {
  const auto collisions = std::count(results.begin(), results.end(), std::byte{1});
  std::cout << collisions << " of " << results.size() << " rotations collide" << std::endl;
  if (options.output.empty()) return 0;
  std::ofstream file(options.output);
  for (std::int32_t i = 0; i < options.grid.rotations(); ++i) {
    if (results[i] == std::byte{0}) continue;
    const Rotation r = options.grid.at(i);
    file << r.flexion << ' ' << r.abduction << ' ' << r.turn << '\n';
  }
  return file.flush() ? 0 : cannot_write(options.output);
}

int run(const Options& options, int rank) {
  // Only the writing rank knows whether it can write. If it cannot, it deals no tasks, which stops the other ranks.
  int code = 0;
  if (rank == 0 && !command_line::can_write(options.output)) code = cannot_write(options.output);
  const Joint joint(Femur(), Cup(), Stance(), options.segments);
  const Motion motion(joint, options.grid, options.cost);
  const strategies::Outcome outcome = strategies::run(motion, options.plan, code == 0, MPI_COMM_WORLD);
  return rank == 0 && code == 0 ? report(options, outcome.results) : code;
}

constexpr command_line::Program<Options> program = {
    "roms",
    "Usage: mpirun -n RANKS roms [OPTIONS]\n"
    "Turns a femur in an acetabular cup, both generated meshes, and says for which rotations they collide.\n"
    "Masters deal rotations to slaves; one rank alone computes everything itself.",
    add_options, read_options, run};

}  // namespace
}  // namespace roms

int main(int argc, char** argv) { return command_line::main(argc, argv, roms::program); }
