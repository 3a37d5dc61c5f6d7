#include "launch/run_options.h"

#include <boost/program_options.hpp>
#include <sstream>

#include "base/number.h"
#include "common/command_line.h"

namespace emu::app {
namespace po = boost::program_options;
namespace {

po::options_description run_description() {
  po::options_description options("Options");
  options.add_options()  //
      (",n", po::value<std::string>()->value_name("N"),
       "number of ranks; all slots of the target if not given, or of several programs the remaining ones")  //
      ("target", po::value<std::string>()->value_name("FILE"),
       "the cluster to predict: a target file, or the name of one that comes with libemu")  //
      ("json", po::value<std::string>()->value_name("FILE"),
       "write the prediction as JSON; - is standard output")  //
      ("trace", po::value<std::string>()->value_name("DIR"),
       "record the actions of every rank in the folder DIR, for emu report and emu trace")  //
      ("cores", po::value<std::string>()->value_name("N"),
       "use only N cores of this machine; 1 halves the CPU time of programs that do little between "
       "messages, where nothing else runs on that core")  //
      ("report", po::value<std::string>()->value_name("FILE"),
       "write a page that shows where the time went (emu report)")  //
      ("mpirun", po::value<std::string>()->value_name("OPTIONS"),
       "further options for mpirun, as one word")                                                        //
      ("preload", "preload libemu into PROGRAM (LD_PRELOAD), for programs that are not linked with it")  //
      ("host-clocks",
       "leave clock_gettime, gettimeofday, time and std::chrono as they are here; only MPI_Wtime shows "
       "virtual time")  //
      ("log-level", po::value<std::string>()->value_name("LEVEL"),
       "debug, info, warn or error; default: EMU_LOG, or info")  //
      ("help,h", "show this help");
  return options;
}

// Reads the argument of `option` as a number of `things`.
Result<int> count(const std::string& option, const std::string& text, const std::string& things) {
  if (const auto value = read_number(text, 1)) return *value;
  return fail(option + ": invalid number of " + things + ": " + shown(text) + " (expected 1 or more)");
}

std::string text_of(const po::variables_map& map, const char* option) {
  return map.count(option) ? map[option].as<std::string>() : std::string();
}

Result<RunOptions> run_options_from(const po::variables_map& map) {
  auto options = common_run_options(map);
  if (!options) return options;
  options->json = text_of(map, "json");
  options->trace = text_of(map, "trace");
  options->report = text_of(map, "report");
  if (map.count("-n")) {
    const auto ranks = count("-n", text_of(map, "-n"), "ranks");
    if (!ranks) return tl::unexpected(ranks.error());
    options->ranks = *ranks;
  }
  if (map.count("cores")) {
    const auto cores = count("--cores", text_of(map, "cores"), "cores");
    if (!cores) return tl::unexpected(cores.error());
    options->cores = *cores;
  }
  if (const auto named = names_files(map, {"report", "json"}); !named) return tl::unexpected(named.error());
  if (map.count("trace") && options->trace.empty()) return fail("--trace: the folder's name is empty");
  return options;
}

}  // namespace

Result<RunOptions> common_run_options(const po::variables_map& map) {
  RunOptions options;
  options.target = text_of(map, "target");
  if (options.target.empty()) return fail("--target is missing (expected such as --target fast-ethernet-64)");
  options.log_level = text_of(map, "log-level");
  options.host_clocks = map.count("host-clocks") > 0;
  options.preload = map.count("preload") > 0;
  auto words = mpirun_options(text_of(map, "mpirun"));
  if (!words) return tl::unexpected(words.error());
  options.mpirun = std::move(*words);
  return options;
}

namespace {

// All options except --help.
Result<RunOptions> from_line(const CommandLine& line) {
  auto result = run_options_from(line.options);
  if (!result) return result;
  if (line.words.empty()) return fail("the PROGRAM to run is missing");
  auto programs = parse_programs(line.words, result->ranks);
  if (!programs) return tl::unexpected(programs.error());
  result->ranks = all_ranks(*programs);
  result->programs = std::move(*programs);
  return result;
}

}  // namespace

Result<RunOptions> parse_run_options(const std::vector<std::string>& args) {
  return options_from<RunOptions>(args, run_description(), from_line);
}

std::string run_help() {
  std::ostringstream text;
  text << "Usage: emu run [-n N] --target FILE [--json FILE] [--mpirun \"OPTIONS\"] PROGRAM [ARGS]\n"
          "       emu run [-n N] --target FILE [OPTIONS] PROGRAM [ARGS] : [-n N] PROGRAM [ARGS] ...\n"
          "       emu run --target FILE [OPTIONS] SCHEDULE.goal [--unit TIME]\n\n"
          "Runs the MPI program PROGRAM here as if on the target: same answers, and the time it would\n"
          "take there. PROGRAM must be linked by emucc, emucxx or emufc, or be run with --preload. The\n"
          "programs of a job have a : between them, in the order of their ranks. A GOAL schedule in place\n"
          "of a program is played by emu itself, without mpirun; --unit sets the unit of calc (1ns).\n\n"
       << run_description()
       << "\nExit code: the program's; 1 if that is 0 and nothing was predicted, as after MPI_Abort with "
          "code\n"
          "0; 2 if nothing was run because of wrong input.\n";
  return text.str();
}

}  // namespace emu::app
