// goal: plays a GOAL schedule as MPI calls, with declared compute.
#include <mpi.h>

#include <boost/program_options.hpp>
#include <iostream>
#include <sstream>
#include <string>

#include "base/units.h"
#include "goal_file.h"
#include "player.h"

namespace emu::goal {
namespace {

namespace po = boost::program_options;

struct Options {
  bool help = false;
  std::string file;
  Interval unit;
};

po::options_description description() {
  po::options_description options("Options");
  auto add = options.add_options();
  add("help,h", "show this text");
  add("unit", po::value<std::string>()->value_name("TIME")->default_value("1ns"),
      "unit of 'calc': 0.1ns, 1us, ...");
  return options;
}

std::string help() {
  std::ostringstream text;
  text << "Usage: mpirun -n RANKS goal FILE [--unit TIME]\n"
          "Plays the GOAL schedule in FILE as MPI calls; 'calc' is declared compute time.\n\n"
       << description();
  return text.str();
}

Result<Options> read_options(int argc, char** argv) {
  po::variables_map given;
  try {
    po::options_description all = description();
    all.add_options()("file", po::value<std::string>());
    po::positional_options_description positions;
    positions.add("file", 1);
    const auto style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
    po::store(po::command_line_parser(argc, argv).options(all).positional(positions).style(style).run(),
              given);
  } catch (const po::error& error) {
    return fail(std::string(error.what()) + " (see --help)");
  }
  Options options;
  options.help = given.count("help");
  if (options.help) return options;
  if (!given.count("file")) return fail("no FILE given (see --help)");
  options.file = given["file"].as<std::string>();
  const std::string unit = given["unit"].as<std::string>();
  const auto interval = parse_interval(unit);
  if (!interval || *interval <= Interval()) {
    return fail("--unit '" + unit + "': expected a time above 0 with a unit, like 0.1ns, 1ns or 1us");
  }
  options.unit = *interval;
  return options;
}

Result<Schedule> read_schedule(const Options& options, int ranks) {
  Result<Schedule> schedule = load(options.file);
  if (!schedule) return schedule;
  if (schedule->ranks.size() != static_cast<std::size_t>(ranks)) {
    return fail(options.file + " needs " + std::to_string(schedule->ranks.size()) + " ranks, not " +
                std::to_string(ranks));
  }
  if (!fits_in_picoseconds(*schedule, options.unit.picoseconds())) {
    return fail(options.file + ": with this --unit a 'calc' is longer than 106 days");
  }
  return schedule;
}

// Every rank finds the same failure; rank 0 says it.
int refuse(const Failure& failure, int rank) {
  if (rank == 0) std::cerr << "goal: " << failure.message << std::endl;
  return 2;
}

int run(int argc, char** argv) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const Result<Options> options = read_options(argc, argv);
  if (!options) return refuse(options.error(), rank);
  if (options->help) {
    if (rank == 0) std::cout << help() << std::flush;
    return 0;
  }
  const Result<Schedule> schedule = read_schedule(*options, ranks);
  if (!schedule) return refuse(schedule.error(), rank);
  Player(schedule->ranks[rank], options->unit.picoseconds(), MPI_COMM_WORLD).play();
  return 0;
}

}  // namespace
}  // namespace emu::goal

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int code = emu::goal::run(argc, argv);
  MPI_Finalize();
  return code;
}
