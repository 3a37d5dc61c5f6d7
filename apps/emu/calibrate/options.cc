#include "calibrate/options.h"

#include <sstream>

#include "base/number.h"
#include "base/units.h"
#include "common/command_line.h"
#include "launch/rank_numbers.h"

namespace emu::app::calibration {
namespace po = boost::program_options;
namespace {

po::options_description description() {
  po::options_description options("Options");
  const auto text = [](const char* name) { return po::value<std::string>()->value_name(name); };
  options.add_options()                                                                                   //
      ("output,o", text("FILE"), "the target file to write; the picture goes to FILE with .png")          //
      ("ranks", text("LIST"), "numbers of processes to measure with, three or more; 2,4,8 if not given")  //
      ("mpirun", text("OPTIONS"), "further options for mpirun, as one word: \"-hosts a,b,c,d\"")          //
      ("name", text("TEXT"), "the target's name")                                                         //
      ("nodes", text("N"), "nodes that the target has; the most ranks if not given")                      //
      ("longest", text("SIZE"), "the longest message, 4MiB if not given; shorter on slow networks")       //
      ("quick", "fewer repeats: wider intervals")                                                         //
      ("measurements", text("FOLDER"), "keep what was measured, as JSON, in this folder")                 //
      ("target", text("FILE"), "measure an emulated cluster, to see whether calibrating finds it")        //
      ("help,h", "show this help");
  return options;
}

Result<int> nodes_of(const std::string& text) {
  if (const auto value = read_number(text, 1, 1'000'000)) return *value;
  return fail("--nodes: \"" + text + "\" is no whole number from 1 to 1000000");
}

}  // namespace

Result<Options> parse_options(const std::vector<std::string>& args) {
  const auto line = parse_command_line(args, description());
  if (!line) return tl::unexpected(line.error());
  const po::variables_map& map = line->options;
  Options options;
  if (map.count("help")) {
    options.help = true;
    return options;
  }
  if (!line->words.empty()) return fail("\"" + line->words.front() + "\" is no option of emu calibrate");
  const auto text = [&](const char* name) {
    return map.count(name) ? map[name].as<std::string>() : std::string();
  };
  options.output = text("output");
  options.target = text("target");
  options.name = text("name");
  options.measurements = text("measurements");
  options.quick = map.count("quick") > 0;
  if (options.output.empty()) return fail("-o FILE is missing: the target file to write");
  auto ranks = parse_ranks(map.count("ranks") ? text("ranks") : "2,4,8", 1);
  if (!ranks) return tl::unexpected(ranks.error());
  if (ranks->size() < 3 || ranks->front() < 2)
    return fail(
        "--ranks: \"" + text("ranks") +
        "\" is not enough: three or more different numbers from 2 on tell what grows with them, like 2,4,8");
  options.ranks = std::move(*ranks);
  auto words = split_words(text("mpirun"));
  if (!words) return fail("--mpirun: " + words.error().message);
  options.mpirun = std::move(*words);
  if (map.count("longest")) {
    const auto bytes = parse_bytes(text("longest"));
    if (!bytes) return fail("--longest: " + bytes.error().message);
    if (*bytes < 16384 || *bytes > std::int64_t{1} << 30)
      return fail("--longest: \"" + text("longest") + "\" is not from 16KiB to 1GiB");
    options.longest = *bytes;
  }
  if (map.count("nodes")) {
    const auto nodes = nodes_of(text("nodes"));
    if (!nodes) return tl::unexpected(nodes.error());
    options.nodes = *nodes;
  }
  return options;
}

std::string help() {
  std::ostringstream text;
  text
      << "Usage: emu calibrate -o FILE [--ranks 2,4,8] [--mpirun \"OPTIONS\"]\n\n"
         "Measures this cluster (or the one that mpirun reaches with the OPTIONS) and writes it as a target\n"
         "file: latency, gaps, overheads of sends and receives by length and number of processes, the eager\n"
         "limit, the cost of a poll and the speed of the CPU, each with its interval, and a picture of "
         "points\n"
         "and fit. Two ranks talk, the others sleep: rank 0 and the first one on another machine, or else "
         "the\n"
         "last. What does not fit the model is refused, with the reason, and nothing is written.\n\n"
      << description()
      << "\nExit code: 0; 1 if the measurement failed or its values are refused; 2 if nothing was run "
         "because of\n"
         "wrong input.\n";
  return text.str();
}

}  // namespace emu::app::calibration
