// goal: plays a GOAL schedule as MPI calls, with declared compute.
#include <mpi.h>

#include <algorithm>
#include <string>

#include "base/units.h"
#include "command_line/program.h"
#include "goal_file.h"
#include "mpi_calls.h"
#include "player.h"

namespace emu::goal {
namespace {

struct Options {
  std::string file;
  Interval unit = Interval::picoseconds(1000);
};

void add_options(command_line::po::options_description& options) {
  auto add = options.add_options();
  add("file", command_line::value("FILE"), "the schedule; the word --file may be left out");
  add("unit", command_line::value("TIME"), "unit of 'calc': 0.1ns, 1us, ... (1ns)");
}

Result<void> read_options(const command_line::Given& given, int, Options& to) {
  if (!given.count("file")) return fail("no FILE given (see --help)");
  to.file = given["file"].as<std::string>();
  if (!given.count("unit")) return {};
  const std::string unit = given["unit"].as<std::string>();
  const auto interval = parse_interval(unit);
  if (!interval || *interval <= Interval())
    return command_line::wrong("unit", unit, "a time above 0 with a unit, like 0.1ns, 1ns or 1us");
  to.unit = *interval;
  return {};
}

// The operations of `rank`. The whole file is checked, but only these operations are kept.
Result<Part> read_part(const Options& options, int rank, int ranks) {
  const auto file = File::open(options.file);
  if (!file) return tl::unexpected(file.error());
  Reader reader(file->text(), options.file);
  const auto needed = reader.ranks();
  if (!needed) return tl::unexpected(needed.error());
  Block block;
  Part own;
  std::int64_t longest = 0;
  for (;;) {
    const auto more = reader.next(block);
    if (!more) return tl::unexpected(more.error());
    if (!*more) break;
    for (const Step& step : block.steps)
      if (step.kind == Kind::compute) longest = std::max(longest, step.amount);
    if (block.rank == rank) own = Part(block);
  }
  if (*needed != ranks)
    return fail(options.file + " needs " + std::to_string(*needed) + " ranks, not " + std::to_string(ranks));
  if (!fits_in_picoseconds(longest, options.unit.picoseconds()))
    return fail(options.file + ": with this --unit a 'calc' is longer than 53 days, all virtual time");
  return own;
}

int run(const Options& options, int rank) {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const Result<Part> part = read_part(options, rank, ranks);
  if (!part) return command_line::refuse("goal", rank, part.error().message);
  MpiCalls calls(MPI_COMM_WORLD);
  Player(*part, options.unit.picoseconds(), calls).play();
  return 0;
}

constexpr command_line::Program<Options> program = {
    "goal",
    "Usage: mpirun -n RANKS goal FILE [--unit TIME]\n"
    "Plays the GOAL schedule in FILE as MPI calls; 'calc' is declared compute time.",
    add_options,
    read_options,
    run,
    "file"};

}  // namespace
}  // namespace emu::goal

int main(int argc, char** argv) { return command_line::main(argc, argv, emu::goal::program); }
