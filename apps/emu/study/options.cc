#include "study/options.h"

#include <boost/program_options.hpp>
#include <sstream>

#include "common/command_line.h"
#include "launch/rank_numbers.h"
#include "study/report.h"

namespace emu::app::studies {
namespace po = boost::program_options;
namespace {

po::options_description description() {
  po::options_description options("Options");
  const auto text = [](const char* name) { return po::value<std::string>()->value_name(name); };
  options.add_options()  //
      ("target", text("FILE"),
       "the cluster to predict: a target file, or the name of one that comes with libemu")  //
      ("ranks", text("RANGE"),
       "numbers of ranks: 2..64, or a list like 2,4,8..16; all from 2 to the slots of the target if not "
       "given")  //
      (",n", text("N"),
       "ranks of the first of several programs; the one without -n gets the ranks that the others leave")  //
      ("step", text("N"), "every N-th of a range only")                                                    //
      ("search", "run only what is needed to find the optimum and the region around it")                   //
      ("repeat", text("N"),
       "run each N times; 3 if not given and the target measures compute, else 1")  //
      ("jobs", text("N"),
       "run N at a time, each on its share of this machine's cores; if not given, one on each core where the "
       "target counts declared "
       "compute, and as many as have a core for each rank where it measures. 1 for programs whose runs write "
       "the same files")  //
      ("first-order",
       "tell where the optimum can lie by the intervals of the target's values from the runs there are; if "
       "not "
       "given, about as many runs again check it with these values at the ends of their intervals")  //
      ("vary", po::value<std::vector<std::string>>()->value_name("KEY=V1,V2,..."),
       "study each of these values of a key of the target file, such as network.latency, or node[0].speed of "
       "the "
       "first group of nodes (node.speed: of all groups); may be repeated")  //
      ("measured", text("FILE"),
       "put measured times beside the predicted ones, and say which value of the target their difference "
       "looks "
       "like; a CSV file with the columns ranks and seconds. Without --ranks its numbers of ranks are run")  //
      ("json", text("FILE"), "write the curve and the verdict as JSON; - is standard output")  //
      ("html", text("FILE"), "write them as a page for a browser")                             //
      ("picture", text("FILE"), "draw the curve: FILE.png or FILE.svg; needs gnuplot")         //
      ("report", text("FILE"),
       "write a page that shows them and where the time goes at the optimum, which is run once more for "
       "that")                                                                                  //
      ("fresh", "run everything anew, whatever a study of the same that was stopped has left")  //
      ("reuse",
       "use also what an earlier study of the same that came to its end has kept; it is said how old that "
       "is")                                                                                            //
      ("mpirun", text("OPTIONS"), "further options for mpirun, as one word")                            //
      ("preload", "carry libemu into PROGRAM by LD_PRELOAD, for programs that are not linked with it")  //
      ("host-clocks", "only MPI_Wtime tells the target's time, as in emu run")                          //
      ("log-level", text("LEVEL"),
       "debug, info, warn or error; else the environment variable EMU_LOG, else info")  //
      ("help,h", "show this help");
  return options;
}

Result<void> read_numbers(const po::variables_map& map, Options& to) {
  const auto text = [&](const char* name) { return map[name].as<std::string>(); };
  int step = 1;
  if (map.count("step")) {
    const auto value = whole_number("--step", text("step"), most_ranks);
    if (!value) return tl::unexpected(value.error());
    step = *value;
  }
  if (map.count("repeat")) {
    const auto value = whole_number("--repeat", text("repeat"), 1000);
    if (!value) return tl::unexpected(value.error());
    to.repeat = *value;
  }
  if (map.count("jobs")) {
    const auto value = whole_number("--jobs", text("jobs"), 1000);
    if (!value) return tl::unexpected(value.error());
    to.jobs = *value;
  }
  to.step = step;
  if (map.count("-n")) {
    const auto value = whole_number("-n", text("-n"), most_ranks);
    if (!value) return tl::unexpected(value.error());
    to.first_ranks = *value;
  }
  if (map.count("ranks")) {
    auto ranks = parse_ranks(text("ranks"), step);
    if (!ranks) return tl::unexpected(ranks.error());
    to.ranks = std::move(*ranks);
  }
  return {};
}

Result<Options> from_map(const po::variables_map& map) {
  Options options;
  const auto text = [&](const char* name) {
    return map.count(name) ? map[name].as<std::string>() : std::string();
  };
  auto run = common_run_options(map);
  if (!run) return tl::unexpected(run.error());
  options.run = std::move(*run);
  options.search = map.count("search") > 0;
  options.first_order = map.count("first-order") > 0;
  if (map.count("fresh") && map.count("reuse"))
    return fail("--fresh and --reuse contradict each other: everything anew, or nothing that is known");
  if (map.count("fresh")) options.reuse = Reuse::nothing;
  if (map.count("reuse")) options.reuse = Reuse::all;
  options.json = text("json");
  options.html = text("html");
  options.picture = text("picture");
  options.report = text("report");
  options.measured = text("measured");
  if (const auto named = names_files(map, {"json", "html", "picture", "report", "measured"}); !named)
    return tl::unexpected(named.error());
  if (const auto read = read_numbers(map, options); !read) return tl::unexpected(read.error());
  const auto given =
      map.count("vary") ? map["vary"].as<std::vector<std::string>>() : std::vector<std::string>();
  auto variations = parse_variations(given);
  if (!variations) return tl::unexpected(variations.error());
  options.variations = std::move(*variations);
  return options;
}

// All but --help.
Result<Options> from_line(const CommandLine& line) {
  auto options = from_map(line.options);
  if (!options) return options;
  if (line.words.empty()) return fail("the PROGRAM to study is missing");
  auto programs = parse_programs(line.words, options->first_ranks);
  if (!programs) return tl::unexpected(programs.error());
  if (programs->size() == 1 && options->first_ranks)
    return fail("-n is for the first of several programs; the numbers of ranks of one are --ranks");
  if (all_ranks(*programs))
    return fail("every program has -n (expected one without, which gets the ranks that the others leave)");
  options->run.programs = std::move(*programs);
  options->words = line.words;
  return options;
}

}  // namespace

Result<Options> parse_options(const std::vector<std::string>& args) {
  return options_from<Options>(args, description(), from_line);
}

std::string help() {
  std::ostringstream text;
  text << "Usage: emu study --target FILE [--ranks 2..64] [--search] [OPTIONS] PROGRAM [ARGS]\n"
          "       emu study --target FILE [OPTIONS] [-n N] PROGRAM [ARGS] : [-n N] PROGRAM [ARGS] ...\n\n"
          "Predicts the time of PROGRAM on the target for many numbers of ranks: which is best, and why more "
          "do\n"
          "not help. {P} in ARGS becomes the number of ranks. Of several programs one has no -n: it gets the "
          "ranks\nthat the others leave. A study that was stopped goes on when it is "
          "called\nagain from the same folder with the same environment: finished runs are kept in "
          "$XDG_CACHE_HOME/emu or\n~/.cache/emu. Files that the program reads and that ARGS do not name are "
          "then taken to be as they were;\nif not, --fresh. A study that came to its end runs anew, but with "
          "--reuse.\n\n"
       << description()
       << "\nExit code: 0; 1 if the program failed at some number of ranks (the others still count); 2 if "
          "nothing\nwas run because of wrong input.\n";
  return text.str();
}

}  // namespace emu::app::studies
