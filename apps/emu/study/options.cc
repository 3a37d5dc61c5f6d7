#include "study/options.h"

#include <boost/program_options.hpp>
#include <sstream>

#include "common/command_line.h"
#include "program/rank_numbers.h"
#include "study/plane/cost.h"
#include "study/runs/metric.h"
#include "study/study.h"

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
       "numbers of ranks: 2..64, 2..64*2, or a list like 2,4,8..16; all from 2 to the slots of the target if "
       "not "
       "given")  //
      (",n", text("N"),
       "ranks of the first of several programs; the program without -n gets the remaining ranks")  //
      ("step", text("N"), "use only every N-th number of a range")                                 //
      ("search", "run only the points that the optimum and the region around it need")             //
      ("repeat", text("N"),
       "run each N times; 3 if not given and the target measures compute, else 1")  //
      ("jobs", text("N"),
       "run N at a time, each on its share of this machine's cores; if not given, one on each core if "
       "compute is declared, and as many as have a core for each rank if it is measured. 1 for programs "
       "whose runs write the same files")  //
      ("dry-run",
       "report the number and duration of the runs: only the least and the most ranks run, with the first "
       "and the last values of --sweep; the study then continues from there")  //
      ("first-order",
       "compute the interval of the optimum to first order only, from the derivatives of the runs; if not "
       "given, about as many runs again check it with the target's values at the ends of their intervals")  //
      ("vary", po::value<std::vector<std::string>>()->value_name("KEY=V1,V2,..."),
       "study each of these values of a key of the target file, such as network.latency, or node[0].speed of "
       "the "
       "first group of nodes (node.speed: of all groups); may be repeated")  //
      ("measured", text("FILE"),
       "compare with measured times, and name the value of the target that explains the difference best; a "
       "CSV file with the columns ranks and seconds. Without --ranks its numbers of ranks are run")  //
      ("sweep", po::value<std::vector<std::string>>()->value_name("NAME=V1,V2,..."),
       "study each of these values of {NAME} in ARGS and in the environment: words, numbers, and ranges of "
       "whole numbers, 1..8, 1..9:2 or 1..64*2; may be repeated")  //
      ("grid", text("GRID"),
       "nodes=1..8 slots=1,2 threads=1,2: study these numbers of nodes, of ranks on each, and of threads of "
       "each "
       "rank, in place of --ranks: "
       "values as of --ranks. The ranks fill one node after another; OMP_NUM_THREADS and node.cores are the "
       "threads")                                                                                      //
      ("price", text("N/node/h"), "price of a node for an hour: the verdict also names the cheapest")  //
      ("metric", text("EXPRESSION"),
       "also show a number that the program prints: the first group of this regular expression "
       "(ECMAScript) in the last line that matches it")                                        //
      ("json", text("FILE"), "write the curve and the verdict as JSON; - is standard output")  //
      ("html", text("FILE"), "write them as a page for a browser")                             //
      ("picture", text("FILE"), "draw the curve: FILE.png or FILE.svg; needs gnuplot")         //
      ("heat-map", text("FILE"),
       "draw the times over two dimensions that vary, such as ranks and a swept name: FILE.png or FILE.svg; "
       "needs gnuplot")  //
      ("report", text("FILE"),
       "write a page that also shows where the time goes at the optimum, which is run once more")  //
      ("reports", text("FOLDER"),
       "write such a page for every point, each run once more, into FOLDER; the rows of the run table in the "
       "pages of --html and --report link to them")  //
      ("fresh", "delete kept runs first")            //
      ("reuse",
       "use runs of an earlier complete study; reports their age")                                       //
      ("mpirun", text("OPTIONS"), "further options for mpirun, as one word")                             //
      ("preload", "preload libemu into PROGRAM (LD_PRELOAD), for programs that are not linked with it")  //
      ("host-clocks", "only MPI_Wtime shows virtual time, as in emu run")                                //
      ("log-level", text("LEVEL"),
       "debug, info, warn or error; default: EMU_LOG, or info")  //
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
  options.dry_run = map.count("dry-run") > 0;
  if (map.count("fresh") && map.count("reuse"))
    return fail("--fresh and --reuse exclude each other (expected one of them)");
  if (map.count("fresh")) options.reuse = Reuse::nothing;
  if (map.count("reuse")) options.reuse = Reuse::all;
  options.json = text("json");
  options.html = text("html");
  options.picture = text("picture");
  options.heat_map = text("heat-map");
  options.report = text("report");
  options.reports = text("reports");
  options.measured = text("measured");
  if (const auto named =
          names_files(map, {"json", "html", "picture", "heat-map", "report", "reports", "measured"});
      !named)
    return tl::unexpected(named.error());
  if (const auto read = read_numbers(map, options); !read) return tl::unexpected(read.error());
  const auto all = [&](const char* name) {
    return map.count(name) ? map[name].as<std::vector<std::string>>() : std::vector<std::string>();
  };
  auto variations = parse_variations(all("vary"));
  if (!variations) return tl::unexpected(variations.error());
  options.variations = std::move(*variations);
  auto sweeps = parse_sweeps(all("sweep"));
  if (!sweeps) return tl::unexpected(sweeps.error());
  options.sweeps = std::move(*sweeps);
  for (const char* other : {"sweep", "grid"})
    if (map.count("measured") && map.count(other))
      return fail(std::string("--measured and --") + other +
                  " exclude each other: measured times are of numbers of ranks alone");
  if (map.count("grid")) {
    auto grid = parse_grid(text("grid"));
    if (!grid) return tl::unexpected(grid.error());
    if (map.count("ranks")) return fail("--grid and --ranks exclude each other (expected one of them)");
    for (const Sweep& sweep : options.sweeps)
      if (sweep.name == "slots" || sweep.name == "threads" || sweep.name == "nodes")
        return fail("invalid name of --sweep: " + sweep.name + " (expected another one with --grid)");
    options.grid = std::move(*grid);
  }
  if (map.count("price")) {
    const auto price = parse_price(text("price"));
    if (!price) return tl::unexpected(price.error());
    options.price = *price;
  }
  options.metric = text("metric");
  if (map.count("metric"))
    if (const auto good = parse_metric(options.metric); !good) return tl::unexpected(good.error());
  return options;
}

// Joins the words after --grid.
std::vector<std::string> grid_in_one_word(const std::vector<std::string>& args) {
  std::vector<std::string> result;
  bool open = false;
  for (const std::string& word : args) {
    const bool part =
        word.starts_with("nodes=") || word.starts_with("slots=") || word.starts_with("threads=");
    const bool second = open && part && result.back() != "--grid";
    open = word == "--grid" || (open && part);
    if (second)
      result.back() += " " + word;
    else
      result.push_back(word);
  }
  return result;
}

// All options except --help.
Result<Options> from_line(const CommandLine& line) {
  auto options = from_map(line.options);
  if (!options) return options;
  if (line.words.empty()) return fail("the PROGRAM to study is missing");
  auto programs = parse_programs(line.words, options->first_ranks);
  if (!programs) return tl::unexpected(programs.error());
  if (programs->size() == 1 && options->first_ranks)
    return fail("-n needs several programs (expected --ranks for one)");
  if (all_ranks(*programs))
    return fail("every program has -n (expected one without, which gets the remaining ranks)");
  const std::vector<Sweep> of_grid = options->grid ? options->grid->sweeps() : std::vector<Sweep>();
  if (const auto fitting = names_fit(options->sweeps, of_grid, *programs); !fitting)
    return tl::unexpected(fitting.error());
  options->sweeps.insert(options->sweeps.end(), of_grid.begin(), of_grid.end());
  options->run.programs = std::move(*programs);
  options->words = line.words;
  return options;
}

}  // namespace

Result<Options> parse_options(const std::vector<std::string>& args) {
  return options_from<Options>(grid_in_one_word(args), description(), from_line);
}

std::string help() {
  std::ostringstream text;
  text << "Usage: emu study --target FILE [--ranks 2..64] [--search] [OPTIONS] PROGRAM [ARGS]\n"
          "       emu study --target FILE --grid nodes=1..8 slots=1,2,4 [OPTIONS] PROGRAM [ARGS]\n"
          "       emu study --target FILE [OPTIONS] [-n N] PROGRAM [ARGS] : [-n N] PROGRAM [ARGS] ...\n\n"
          "Predicts the time of PROGRAM on the target for many numbers of ranks: which is best, and why\n"
          "more do not help. {P} in ARGS becomes the number of ranks, and {NAME} a value of --sweep;\n"
          "{{NAME}} is the word {NAME}. One of several programs has no -n: it gets the remaining ranks. A\n"
          "study that was stopped continues if it is called again from the same folder with the same\n"
          "environment: finished runs are kept in $XDG_CACHE_HOME/emu or ~/.cache/emu. Files that the\n"
          "program reads and that ARGS do not name must be unchanged; otherwise use --fresh. A complete\n"
          "study runs anew, unless --reuse is given.\n\n"
       << description()
       << "\nExit code: 0; 1 if the program failed at some number of ranks (the others still count); 2 if "
          "nothing\nwas run because of wrong input.\n";
  return text.str();
}

}  // namespace emu::app::studies
