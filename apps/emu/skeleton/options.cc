#include "skeleton/options.h"

#include <algorithm>
#include <boost/program_options.hpp>
#include <cmath>
#include <sstream>

#include "base/number.h"
#include "common/command_line.h"

namespace emu::app::skeletons {
namespace {

namespace po = boost::program_options;

const char usage[] =
    "Usage: emu skeleton record -n N [--target FILE] -o FOLDER PROGRAM [ARGS]\n"
    "       emu skeleton compress [-o FILE] FOLDER\n"
    "       emu skeleton extrapolate -n N [-o FILE] FOLDER|FILE FOLDER|FILE...\n"
    "       emu skeleton build [--scale K] [-o FILE.c] FOLDER|FILE\n"
    "       emu skeleton run [-n N] --target FILE [--scale K] [--json FILE] PROGRAM [ARGS]\n"
    "       emu skeleton run -n N --target FILE [--scale K] [--json FILE] FOLDER|FILE FOLDER|FILE...\n"
    "Predicts the time of a long program by a short one of the same shape. record runs the program,\n"
    "natively or on a target, and stores the calls of each rank. compress merges the ranks, finds\n"
    "loops, and shows them. extrapolate makes the skeleton for N ranks from recordings with two or\n"
    "three other numbers. build writes a C program that runs K times shorter. run does all of these,\n"
    "and predicts the program's time on the target; in place of PROGRAM it takes a recording or the\n"
    "output of compress, or for N ranks those of other numbers.\n"
    "Exit code: 0 good, 1 a run failed, 2 wrong use or input.\n\n";

po::options_description description() {
  po::options_description options("Options");
  const auto text = [](const char* name) { return po::value<std::string>()->value_name(name); };
  options.add_options()  //
      (",n", text("N"),
       "number of ranks; all slots of the target if not given; record without a target needs it. "
       "extrapolate: ranks of the skeleton")  //
      ("target", text("FILE"),
       "record: the cluster on which the program is recorded; if not given, the program runs natively. run: "
       "the cluster to predict")  //
      ("from", text("FILE"),
       "run: the target on which the program is recorded; that of --target if not given")  //
      (",o", text("FILE"),
       "record: a folder for the recording. compress, extrapolate: the skeleton as text. build: the C "
       "program. extrapolate and build: standard output if not given")                                      //
      ("scale", text("K"), "build, run: factor by which the skeleton is shorter (10)")                      //
      ("tolerance", text("SHARE"), "sizes and counts that differ by less are equal (0.1)")                  //
      ("json", text("FILE"), "run: write the prediction as JSON; - is standard output")                     //
      ("processes", "run: compile the skeleton's C program and run it by mpirun, a process for each rank")  //
      ("preload", "record, run: preload libemu into PROGRAM (LD_PRELOAD)")                                  //
      ("mpirun", text("OPTIONS"), "record, run: further options for mpirun, as one word")                   //
      ("log-level", text("LEVEL"),
       "debug, info, warn or error; default: EMU_LOG, or info")  //
      ("help,h", "show this help");
  return options;
}

std::string text_of(const po::variables_map& map, const char* option) {
  return map.count(option) ? map[option].as<std::string>() : std::string();
}

Result<void> read_numbers(const po::variables_map& map, Options& to) {
  if (const std::string text = text_of(map, "-n"); map.count("-n")) {
    to.ranks = read_number<int>(text);
    if (!to.ranks || *to.ranks < 1)
      return fail("-n: invalid number of ranks: " + shown(text) + " (expected 1 or more)");
  }
  if (const std::string text = text_of(map, "scale"); map.count("scale")) {
    to.scale = read_number<double>(text).value_or(0);
    if (!(to.scale >= 1 && to.scale <= 1e9))
      return fail("--scale: invalid number: " + shown(text) + " (expected 1 to 1e9, such as 10)");
  }
  if (const std::string text = text_of(map, "tolerance"); map.count("tolerance")) {
    to.tolerance = read_number<double>(text).value_or(-1);
    if (!(to.tolerance >= 0 && to.tolerance < 1))
      return fail("--tolerance: invalid share: " + shown(text) + " (expected 0 to below 1, such as 0.1)");
  }
  return {};
}

Result<void> check(const po::variables_map& map, const Options& options) {
  const std::string name = std::string("emu skeleton ") + action_names[static_cast<int>(options.action)];
  const auto only = [&](const char* option, std::initializer_list<Action> actions) -> Result<void> {
    if (!map.count(option)) return {};
    for (const Action action : actions)
      if (action == options.action) return {};
    return fail(name + " has no option " + (option[0] == '-' ? "" : "--") + option);
  };
  using enum Action;
  if (const auto good = only("-n", {record, extrapolate, run}); !good) return good;
  for (const char* option : {"target", "preload", "mpirun"})
    if (const auto good = only(option, {record, run}); !good) return good;
  for (const char* option : {"from", "json", "processes"})
    if (const auto good = only(option, {run}); !good) return good;
  if (const auto good = only("scale", {build, run}); !good) return good;
  if (const auto good = only("tolerance", {compress, extrapolate, build, run}); !good) return good;
  if (const auto good = only("-o", {record, compress, extrapolate, build}); !good) return good;
  const bool program = options.action == record || options.action == run;
  if (options.words.empty())
    return fail(program ? "the PROGRAM is missing" : "the FOLDER of emu skeleton record is missing");
  if (program && std::find(options.words.begin(), options.words.end(), ":") != options.words.end())
    return fail("several programs with \":\" between them have no skeleton (expected one PROGRAM)");
  if (options.action == extrapolate && !options.ranks)
    return fail("-n is missing (expected the number of ranks)");
  if (options.action == extrapolate && options.words.size() < 2)
    return fail("too few recordings: 1 (expected two or three, with different numbers of ranks)");
  if (!program && options.action != extrapolate && options.words.size() > 1)
    return fail(name + ": unexpected argument: " + shown(options.words[1]) +
                " (expected one FOLDER or FILE)");
  if (options.action == record && options.output.empty())
    return fail("-o is missing (expected a folder for the recording)");
  if (options.action == run && options.target.empty())
    return fail("--target is missing (expected such as --target fast-ethernet-64)");
  if (options.action == record && options.target.empty() && !options.ranks)
    return fail("-n is missing (expected the number of ranks, as there is no --target)");
  return {};
}

}  // namespace

std::string help_text() {
  std::ostringstream text;
  text << usage << description();
  return text.str();
}

Result<Options> parse_options(const std::vector<std::string>& args) {
  Options options;
  if (args.empty())
    return fail("the action is missing (expected record, compress, extrapolate, build or run)");
  if (args[0] == "--help" || args[0] == "-h") {
    options.help = true;
    return options;
  }
  std::size_t action = 0;
  while (action < std::size(action_names) && args[0] != action_names[action]) ++action;
  if (action == std::size(action_names))
    return fail("unknown action: " + shown(args[0]) +
                " (expected record, compress, extrapolate, build or run)");
  options.action = static_cast<Action>(action);
  auto line = parse_command_line({args.begin() + 1, args.end()}, description());
  if (!line) return tl::unexpected(line.error());
  const po::variables_map& map = line->options;
  options.help = map.count("help") > 0;
  if (options.help) return options;
  if (const auto read = read_numbers(map, options); !read) return tl::unexpected(read.error());
  if (const auto named = names_files(map, {"target", "json", "from"}); !named)
    return tl::unexpected(named.error());
  options.target = text_of(map, "target");
  options.from = text_of(map, "from");
  options.output = text_of(map, "-o");
  options.json = text_of(map, "json");
  options.mpirun = text_of(map, "mpirun");
  options.log_level = text_of(map, "log-level");
  options.preload = map.count("preload") > 0;
  options.processes = map.count("processes") > 0;
  options.words = std::move(line->words);
  if (const auto good = check(map, options); !good) return tl::unexpected(good.error());
  return options;
}

}  // namespace emu::app::skeletons
