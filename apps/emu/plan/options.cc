#include "plan/options.h"

#include <unistd.h>

#include <boost/program_options.hpp>
#include <cmath>
#include <sstream>
#include <thread>

#include "base/number.h"
#include "base/units.h"
#include "common/command_line.h"

namespace emu::app::capacity {
namespace po = boost::program_options;
namespace {

constexpr std::int64_t most_ranks = 100'000'000;

po::options_description description() {
  po::options_description options("Options");
  const auto text = [](const char* name) { return po::value<std::string>()->value_name(name); };
  options.add_options()  //
      ("ranks", text("N"), "ranks of the run to plan")("target", text("FILE"),
                                                       "the cluster of the run, with room for N ranks")  //
      ("messages", text("N"),
       "messages of the whole run, such as 2e9; taken from the pilots if not given, along the line through "
       "them")                                                                                    //
      ("host-memory", text("SIZE"), "memory of a host, such as 256GiB; this one's if not given")  //
      ("host-cores", text("N"), "cores of a host; this one's if not given")                       //
      ("pilot", text("P1,P2"), "numbers of ranks of the two pilots; 4,16 if not given")           //
      ("costs", text("FILE"), "take the costs from the JSON of an earlier emu plan")              //
      ("messages-per-second", text("N"),
       "messages per second of a core, instead of the measured number")                                  //
      ("memory-per-rank", text("SIZE"), "memory of a rank, instead of the measured memory")              //
      ("json", text("FILE"), "write need and costs as JSON; - is standard output")                       //
      ("mpirun", text("OPTIONS"), "further options for the pilots' mpirun, as one word")                 //
      ("preload", "preload libemu into PROGRAM (LD_PRELOAD), for programs that are not linked with it")  //
      ("log-level", text("LEVEL"),
       "debug, info, warn or error; default: EMU_LOG, or info")  //
      ("help,h", "show this help");
  return options;
}

template <class T>
Result<T> number(const std::string& option, const std::string& text, T least, T most, const char* right) {
  if (const auto value = read_number<T>(text, least, most)) return *value;
  return fail("--" + option + ": invalid value: " + shown(text) + " (expected " + right + ")");
}

Result<double> bytes(const std::string& option, const std::string& text) {
  const auto value = parse_bytes(text);
  if (!value) return fail("--" + option + ": " + value.error().message);
  if (*value <= 0)
    return fail("--" + option + ": invalid amount of memory: " + shown(text) + " (expected more than 0)");
  return static_cast<double>(*value);
}

Result<void> read_pilot(const std::string& text, Options& to) {
  const auto comma = text.find(',');
  const char* const right = "two numbers of ranks from 2, the smaller first, such as 4,16";
  const auto wrong = [&] {
    return fail("--pilot: invalid value: " + shown(text) + " (expected " + right + ")");
  };
  if (comma == std::string::npos) return wrong();
  for (std::size_t i = 0; i < 2; ++i) {
    const auto one =
        number("pilot", i == 0 ? text.substr(0, comma) : text.substr(comma + 1), 2, 1'000'000, right);
    if (!one) return tl::unexpected(one.error());
    to.pilot[i] = *one;
  }
  if (to.pilot[0] >= to.pilot[1]) return wrong();
  return {};
}

Result<void> read_numbers(const po::variables_map& map, Options& to) {
  const auto text = [&](const char* name) { return map[name].as<std::string>(); };
  if (!map.count("ranks")) return fail("--ranks is missing (expected such as --ranks 100000)");
  const auto ranks =
      number<std::int64_t>("ranks", text("ranks"), 1, most_ranks, "a whole number from 1 to 100000000");
  if (!ranks) return tl::unexpected(ranks.error());
  to.ranks = *ranks;
  const auto positive = [&](const char* option, double least, std::optional<double>& value) -> Result<void> {
    if (!map.count(option)) return {};
    const auto got = number(option, text(option), least, 1e18, "a number above 0, such as 2e9");
    if (!got) return tl::unexpected(got.error());
    value = *got;
    return {};
  };
  if (const auto read = positive("messages", 1, to.messages); !read) return read;
  if (const auto read = positive("messages-per-second", 1e-3, to.messages_per_second); !read) return read;
  to.host.bytes = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  to.host.cores = static_cast<int>(std::thread::hardware_concurrency());
  if (map.count("host-memory")) {
    const auto memory = bytes("host-memory", text("host-memory"));
    if (!memory) return tl::unexpected(memory.error());
    to.host.bytes = *memory;
  }
  if (map.count("memory-per-rank")) {
    const auto memory = bytes("memory-per-rank", text("memory-per-rank"));
    if (!memory) return tl::unexpected(memory.error());
    to.bytes_per_rank = *memory;
  }
  if (map.count("host-cores")) {
    const auto cores = number("host-cores", text("host-cores"), 1, 1'000'000, "a whole number from 1");
    if (!cores) return tl::unexpected(cores.error());
    to.host.cores = *cores;
  }
  if (map.count("pilot")) return read_pilot(text("pilot"), to);
  return {};
}

Result<Options> from_map(const po::variables_map& map) {
  Options options;
  auto run = common_run_options(map);
  if (!run) return tl::unexpected(run.error());
  options.run = std::move(*run);
  if (const auto named = names_files(map, {"json", "costs"}); !named) return tl::unexpected(named.error());
  if (map.count("costs")) options.costs = map["costs"].as<std::string>();
  if (map.count("json")) options.json = map["json"].as<std::string>();
  if (const auto read = read_numbers(map, options); !read) return tl::unexpected(read.error());
  return options;
}

// All options except --help.
Result<Options> from_line(const CommandLine& line) {
  auto options = from_map(line.options);
  if (!options) return options;
  if (line.words.empty()) {
    if (!options->messages)
      return fail("--messages is missing (expected --messages N, or a PROGRAM for pilots)");
    return options;
  }
  if (!options->costs.empty()) return fail("--costs replaces the pilots: leave out the one or the PROGRAM");
  auto programs = parse_programs(line.words, {});
  if (!programs) return tl::unexpected(programs.error());
  options->run.programs = std::move(*programs);
  return options;
}

}  // namespace

Result<Options> parse_options(const std::vector<std::string>& args) {
  return options_from<Options>(args, description(), from_line);
}

std::string help() {
  std::ostringstream text;
  text << "Usage: emu plan --ranks N --target FILE [OPTIONS] [PROGRAM ARGS]\n\n"
          "Computes the hosts for an emulated run of N ranks: their number, memory, CPU time and wall\n"
          "time. PROGRAM is run here with two small numbers of ranks to measure the costs of its ranks\n"
          "and messages; {P} in ARGS becomes the number of ranks. Without PROGRAM, --messages is needed,\n"
          "and costs are those of --costs, or of a 2-core virtual machine.\n\n"
       << description()
       << "\nExit code: 0; 1 if a pilot failed; 2 if nothing was run because of wrong input.\n";
  return text.str();
}

}  // namespace emu::app::capacity
