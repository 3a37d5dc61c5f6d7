// roms: the range of motion of an artificial hip. Which rotations of the femur make it touch the cup?
//
// The same set of rotations natively and emulated, for any strategy and number of ranks.
#include <mpi.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <sstream>

#include "motion.h"
#include "strategies/options.h"

namespace roms {
namespace {

namespace po = command_line::po;
using command_line::Given;
using emu::Result;

constexpr int bad_use = 2;

struct Options {
  bool help = false;
  Grid grid;
  int segments = 48;
  std::optional<double> cost;
  strategies::Plan plan;
  std::string output;  // file; empty: none
};

po::options_description description() {
  const auto text = [](const char* name) { return po::value<std::string>()->value_name(name); };
  po::options_description options("Options");
  auto add = options.add_options();
  add("help,h", "show this text");
  add("steps", text("N"), "of each of the three axes: N^3 rotations (16)");
  add("task", text("T"), "rotations per task (1)");
  add("segments", text("N"), "of each circle of the meshes: some 2.5 N^2 triangles (48)");
  add("cost", text("TIME"),
      "declare this time per rotation on the reference CPU, in seconds or with a unit: 12.5us");
  strategies::add_options(options);
  add("output", text("FILE"),
      "write the rotations that collide: lines of flexion, abduction, turn in degrees");
  return options;
}

std::string help() {
  std::ostringstream text;
  text << "Usage: mpirun -n RANKS roms [OPTIONS]\n"
          "Turns a femur in an acetabular cup, both generated meshes, and says for which rotations they "
          "collide.\n"
          "Masters deal rotations to slaves; one rank alone computes everything itself.\n\n"
       << description();
  return text.str();
}

Result<Options> read_options(int argc, char** argv, int ranks) {
  const Result<Given> parsed = command_line::parse(argc, argv, description());
  if (!parsed) return tl::make_unexpected(parsed.error());
  const Given& given = *parsed;
  Options options;
  options.help = given.count("help");
  double cost = 0;
  const Result<void> read = command_line::all({
      command_line::read_count(given, "steps", 1, 1000, options.grid.steps),
      command_line::read_count(given, "task", 1, 1 << 28, options.plan.task_items),
      command_line::read_count(given, "segments", 8, 1000, options.segments),
      command_line::read_seconds(given, "cost", cost),
      strategies::read_options(given, ranks, options.plan),
      command_line::read_text(given, "output", options.output),
  });
  if (!read) return tl::make_unexpected(read.error());
  if (given.count("cost")) options.cost = cost;
  return options;
}

int cannot_write(const std::string& path) {
  std::cerr << "roms: " << path << ": cannot be written" << std::endl;
  return bad_use;
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
  // Only the rank that writes knows whether it can: if not, nothing is dealt, which stops the others.
  int code = 0;
  if (rank == 0 && !options.output.empty() && !std::ofstream(options.output, std::ios::app))
    code = cannot_write(options.output);
  const Joint joint(Femur(), Cup(), Stance(), options.segments);
  const Motion motion(joint, options.grid, options.cost);
  const strategies::Outcome outcome = strategies::run(motion, options.plan, code == 0, MPI_COMM_WORLD);
  return rank == 0 && code == 0 ? report(options, outcome.results) : code;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const Result<Options> options = read_options(argc, argv, ranks);
  int code = 0;
  if (!options) {
    if (rank == 0) std::cerr << "roms: " << options.error().message << std::endl;
    code = bad_use;
  } else if (options->help) {
    if (rank == 0) std::cout << help() << std::flush;
  } else {
    code = run(*options, rank);
  }
  MPI_Finalize();
  return code;
}

}  // namespace
}  // namespace roms

int main(int argc, char** argv) { return roms::main(argc, argv); }
