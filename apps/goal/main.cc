// goal: plays a GOAL schedule as MPI calls, with declared compute.
#include <mpi.h>

#include <string>

#include "base/units.h"
#include "command_line/program.h"
#include "goal_file.h"
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

Result<Schedule> read_schedule(const Options& options, int ranks) {
  Result<Schedule> schedule = load(options.file);
  if (!schedule) return schedule;
  if (schedule->ranks.size() != static_cast<std::size_t>(ranks)) {
    return fail(options.file + " needs " + std::to_string(schedule->ranks.size()) + " ranks, not " +
                std::to_string(ranks));
  }
  if (!fits_in_picoseconds(*schedule, options.unit.picoseconds())) {
    return fail(options.file + ": with this --unit a 'calc' is longer than 53 days, all virtual time");
  }
  return schedule;
}

int run(const Options& options, int rank) {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const Result<Schedule> schedule = read_schedule(options, ranks);
  if (!schedule) return command_line::refuse("goal", rank, schedule.error().message);
  Player(schedule->ranks[rank], options.unit.picoseconds(), MPI_COMM_WORLD).play();
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
