#include "calibrate/options.h"

#include <algorithm>
#include <sstream>

#include "base/number.h"
#include "base/units.h"
#include "calibrate/import.h"
#include "common/command_line.h"
#include "common/output.h"
#include "program/rank_numbers.h"

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
      ("slots", text("N"),
       "measure network cards, too: N ranks on each of two nodes talk at once; mpirun places N on a node")  //
      ("buffers", text("KIND"),
       "warm: all messages have the same memory; cold: each has memory that is in no cache; warm if not "
       "given")                                                                          //
      ("quick", "fewer repeats: wider intervals")                                        //
      ("measurements", text("FOLDER"), "store the measurements as JSON in this folder")  //
      ("from", po::value<std::vector<std::string>>()->value_name("FILE"),
       "read measurements of another tool instead of measuring; may be repeated")  //
      ("format", po::value<std::vector<std::string>>()->value_name("NAME"),
       "format of each --from in turn, or one for all: csv, osu, imb, netgauge or smpi; csv if not given")  //
      ("eager", text("SIZE"), "with --from: longer messages wait for their receiver; none if not given")    //
      ("pieces", text("N"),
       "with --from: the most lines that a curve is cut into, 1 to 32; 8 if not given")         //
      ("card", text("KIND"), "with --from: serial or free network cards; serial if not given")  //
      ("target", text("FILE"), "calibrate an emulated cluster, as a check")                     //
      ("help,h", "show this help");
  return options;
}

Result<int> nodes_of(const std::string& text) {
  if (const auto value = read_number(text, 1, 1'000'000)) return *value;
  return fail("--nodes: invalid number of nodes: " + shown(text) + " (expected 1 to 1000000)");
}

Result<void> read_from(const po::variables_map& map, Options& options) {
  const auto list = [&](const char* name) {
    return map.count(name) ? map[name].as<std::vector<std::string>>() : std::vector<std::string>();
  };
  options.from = list("from");
  options.formats = list("format");
  if (options.from.empty()) {
    for (const char* name : {"format", "eager", "card", "pieces"})
      if (map.count(name)) return fail(std::string("--") + name + " needs --from FILE");
    return {};
  }
  for (const char* name :
       {"ranks", "mpirun", "longest", "quick", "buffers", "slots", "measurements", "target"})
    if (map.count(name)) return fail(std::string("--") + name + " excludes --from");
  if (options.formats.empty()) options.formats = {"csv"};
  if (options.formats.size() == 1) options.formats.resize(options.from.size(), options.formats.front());
  if (options.formats.size() != options.from.size())
    return fail("--format: " + std::to_string(options.formats.size()) + " formats of " +
                std::to_string(options.from.size()) +
                " files (expected one for all, or one for each --from)");
  for (const std::string& name : options.formats)
    if (std::find(format_names.begin(), format_names.end(), name) == format_names.end())
      return fail("--format: unknown format: \"" + name + "\" (expected csv, osu, imb, netgauge or smpi)");
  if (map.count("eager")) {
    const auto bytes = parse_bytes(map["eager"].as<std::string>());
    if (!bytes) return fail("--eager: " + bytes.error().message);
    options.eager_limit = *bytes;
  }
  if (map.count("pieces")) {
    const auto text = map["pieces"].as<std::string>();
    const auto value = read_number(text, 1, 32);
    if (!value) return fail("--pieces: invalid number of lines: \"" + text + "\" (expected 1 to 32)");
    options.pieces = *value;
  }
  if (map.count("card")) {
    const auto card = map["card"].as<std::string>();
    if (card != "serial" && card != "free")
      return fail("--card: unknown card: \"" + card + "\" (expected serial or free)");
    options.serial = card == "serial";
  }
  return {};
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
  if (!line->words.empty())
    return fail("unexpected argument: \"" + line->words.front() + "\" (see emu calibrate --help)");
  const auto text = [&](const char* name) {
    return map.count(name) ? map[name].as<std::string>() : std::string();
  };
  options.output = text("output");
  options.target = text("target");
  options.name = text("name");
  options.measurements = text("measurements");
  options.quick = map.count("quick") > 0;
  if (map.count("measurements"))
    if (const auto named = names_folder({"--measurements", options.measurements}); !named)
      return tl::unexpected(named.error());
  if (options.output.empty()) return fail("-o FILE is missing: the target file to write");
  if (const auto read = read_from(map, options); !read) return tl::unexpected(read.error());
  auto ranks = parse_ranks(map.count("ranks") ? text("ranks") : "2,4,8", 1);
  if (!ranks) return tl::unexpected(ranks.error());
  if (ranks->size() < 3 || ranks->front() < 2)
    return fail("--ranks: too few numbers: \"" + text("ranks") +
                "\" (expected three or more different ones from 2, such as 2,4,8)");
  options.ranks = std::move(*ranks);
  auto words = mpirun_options(text("mpirun"));
  if (!words) return tl::unexpected(words.error());
  options.mpirun = std::move(*words);
  if (map.count("longest")) {
    const auto bytes = parse_bytes(text("longest"));
    if (!bytes) return fail("--longest: " + bytes.error().message);
    if (*bytes < 16384 || *bytes > std::int64_t{1} << 30)
      return fail("--longest: invalid size: \"" + text("longest") + "\" (expected 16KiB to 1GiB)");
    options.longest = *bytes;
  }
  if (map.count("slots")) {
    const auto value = read_number(text("slots"), 1, 1024);
    if (!value)
      return fail("--slots: invalid number of ranks of a node: \"" + text("slots") +
                  "\" (expected 1 to 1024)");
    options.slots = *value;
  }
  if (map.count("buffers")) {
    const std::string kind = text("buffers");
    if (kind != "warm" && kind != "cold")
      return fail("--buffers: unknown kind: \"" + kind + "\" (expected warm or cold)");
    options.cold = kind == "cold";
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
  text << "Usage: emu calibrate -o FILE [--ranks 2,4,8] [--mpirun \"OPTIONS\"]\n"
          "       emu calibrate -o FILE --from FILE [--format NAME] [--from FILE ...] [--eager SIZE]\n\n"
          "Measures this cluster (or the one that mpirun reaches with the OPTIONS) and writes it as a\n"
          "target file: latency, gaps, overheads of sends and receives by length and number of processes,\n"
          "the eager limit, the cost of a poll and the speed of the CPU, each with its interval, and a\n"
          "picture of points and fit. Two ranks exchange messages: rank 0 and the first rank on another\n"
          "machine, or else the last rank. The others sleep. With --slots N the cards of two nodes are\n"
          "measured, too: 2 N ranks exchange messages in pairs, in one direction and in both. With\n"
          "--buffers cold each message is sent from and received into memory that is in no cache, as in a\n"
          "program that has worked meanwhile. Measurements that do not fit the model are refused, with the\n"
          "reason, and nothing is written.\n\n"
          "With --from the measurements of other tools become a target: OSU micro-benchmarks (osu_latency,\n"
          "osu_bw), Intel MPI Benchmarks (PingPong), netgauge (one_one, loggp), the parameters of SimGrid\n"
          "SMPI, or lines kind,bytes,seconds. L, G and overheads come in pieces by message size if one line\n"
          "does not fit.\n\n"
       << description()
       << "\nExit code: 0; 1 if the measurement failed or its values are refused; 2 if nothing was run "
          "because of\n"
          "wrong input.\n";
  return text.str();
}

}  // namespace emu::app::calibration
