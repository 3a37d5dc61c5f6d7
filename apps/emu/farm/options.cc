#include "farm/options.h"

#include <algorithm>
#include <boost/program_options.hpp>
#include <sstream>

#include "base/number.h"
#include "base/units.h"
#include "common/command_line.h"
#include "program/rank_numbers.h"

namespace emu::app::farms {
namespace {

namespace po = boost::program_options;

constexpr std::int32_t most_tasks = 100'000'000;
constexpr model::Bytes most_bytes = model::Bytes{1}
                                    << 30;  // so that the sum over all tasks does not overflow

po::options_description description() {
  po::options_description options("Options");
  const auto text = [](const char* name) { return po::value<std::string>()->value_name(name); };
  options.add_options()                                                                                //
      ("target", text("FILE"), "the cluster: a path, or the name of a target that comes with libemu")  //
      ("tasks", text("N"), "number of tasks")                                                          //
      ("task-seconds", text("TIME"),
       "cost of a task on the reference CPU (speed 1): seconds, or with a unit, such as 0.8ms; or "
       "uniform:TIME..TIME, normal:MEAN,DEVIATION or exponential:MEAN")  //
      ("csv", text("FILE"),
       "costs from a column of a CSV file, a line for each task, instead of --tasks and --task-seconds")  //
      ("column", text("NAME"), "of --csv, by title or number from 1; the last one if not given")          //
      ("trace", text("FOLDER"),
       "the tasks of a run that emu run --trace recorded, instead of --tasks and --task-seconds")  //
      ("seed", text("N"), "seed of random costs (1)")                                              //
      ("ranks", text("RANGE"),
       "numbers of ranks, masters included: 2..64, or a list like 2,4,8..16; all from 2 to the slots of the "
       "target if "
       "not given")                                                                                         //
      ("step", text("N"), "every N-th of a range only")                                                     //
      ("search", "predict only the numbers of ranks that the optimum needs")                                //
      ("chunk", text("N,N,..."), "tasks that are dealt at a time; the least of rules other than self (1)")  //
      ("rule", text("RULE,..."),
       "chunk sizes by rule: self, static, guided, factoring, trapezoid, fsc, mfsc; with --protocol request "
       "also "
       "weighted, adaptive, af, awf-b, awf-c, awf-d, awf-e or advised (self)")  //
      ("protocol", text("PROTOCOL"),
       "deal: the master deals tasks to all slaves, then the next one to the slave that returns a result "
       "(apps/mase); request: "
       "slaves ask for tasks (apps/loops) (deal)")                                                       //
      ("prefetch", text("N,N,..."), "chunks held by a slave, the one under way included (1)")            //
      ("masters", text("N,N,..."), "masters, each with a part of the tasks and of the other ranks (1)")  //
      ("dealing", text("KIND"),
       "of several masters: task i to master i mod N, neighbours far apart in time (scattered) or in order "
       "(cyclic), or "
       "equal blocks (block) (scattered)")  //
      ("master-seconds", text("TIME"),
       "cost of a task for the master when it is dealt, in addition to messages (0)")  //
      ("probe", text("TIME"),
       "of --rule weighted: work by which each slave's speed is found first (10ms)")          //
      ("overhead", text("TIME"), "of --rule fsc: cost of dealing a chunk")                    //
      ("deviation", text("TIME"), "of --rule fsc: standard deviation of the cost of a task")  //
      ("task-bytes", text("SIZE"),
       "bytes of a message that deals a chunk, for any number of tasks (8)")                             //
      ("input-bytes", text("SIZE"), "bytes of each task of the chunk in addition (0)")                   //
      ("result-bytes", text("SIZE"), "bytes of the result of each task (4; with --protocol request 0)")  //
      ("result-header", text("SIZE"),
       "bytes of a message with results in addition (8; with --protocol request 24)")  //
      ("json", text("FILE"),
       "write all as JSON; - is standard output, where it replaces the table")           //
      ("picture", text("FILE"), "draw the curves: FILE.png or FILE.svg; needs gnuplot")  //
      ("heat-map", text("FILE"),
       "draw the times by numbers of ranks and ways as colours: FILE.png or FILE.svg")  //
      ("log-level", text("LEVEL"),
       "debug, info, warn or error; default: EMU_LOG, or info")  //
      ("help,h", "show this help");
  return options;
}

tl::unexpected<Failure> wrong(const std::string& option, const std::string& text, const std::string& right) {
  return fail(option + ": invalid value: " + shown(text) + " (expected " + right + ")");
}

constexpr const char* a_time = "a time from 0 to 3600 s, in seconds or with a unit, such as 0.8ms";

// "0.8ms", "constant:A", "uniform:A..B", "normal:A,B", "exponential:A".
Result<Drawn> drawn_from(const std::string& text) {
  Drawn drawn;
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) {
    const auto mean = task_seconds(text);
    if (!mean)
      return wrong(
          "--task-seconds", text,
          std::string(a_time) + ", or uniform:TIME..TIME, normal:MEAN,DEVIATION or exponential:MEAN");
    drawn.first = *mean;
    return drawn;
  }
  const std::string name = text.substr(0, colon), rest = text.substr(colon + 1);
  std::string between;
  if (name == "uniform") {
    drawn.distribution = Distribution::uniform;
    between = "..";
  } else if (name == "normal") {
    drawn.distribution = Distribution::normal;
    between = ",";
  } else if (name == "exponential") {
    drawn.distribution = Distribution::exponential;
  } else if (name != "constant") {
    return wrong("--task-seconds", text, "constant, uniform, normal or exponential before the colon");
  }
  const bool two = !between.empty();
  const std::size_t cut = two ? rest.find(between) : std::string::npos;
  const auto first = task_seconds(rest.substr(0, cut));
  const auto second = cut == std::string::npos ? first : task_seconds(rest.substr(cut + between.size()));
  if (!first || !second || (two && cut == std::string::npos) || (name == "uniform" && *second < *first))
    return wrong("--task-seconds", text,
                 name == "uniform"  ? "uniform:TIME..TIME, the second not less, such as uniform:0.5ms..1ms"
                 : name == "normal" ? "normal:MEAN,DEVIATION, two times, such as normal:0.8ms,0.1ms"
                                    : name + ":MEAN, a time, such as " + name + ":0.8ms");
  drawn.first = *first;
  drawn.second = *second;
  return drawn;
}

class Reader {
 public:
  explicit Reader(const po::variables_map& map) : map_(map) {}

  bool has(const char* option) const { return map_.count(option) > 0; }
  std::string text(const char* option) const { return has(option) ? map_[option].as<std::string>() : ""; }

  Result<void> time(const char* option, double& to) const {
    if (!has(option)) return {};
    const auto seconds = task_seconds(text(option));
    if (!seconds) return wrong(name(option), text(option), a_time);
    to = *seconds;
    return {};
  }
  Result<void> size(const char* option, model::Bytes& to) const {
    if (!has(option)) return {};
    std::optional<model::Bytes> bytes = read_number<model::Bytes>(text(option));
    if (!bytes)
      if (const auto parsed = parse_bytes(text(option))) bytes = *parsed;
    if (!bytes || *bytes < 0 || *bytes > most_bytes)
      return wrong(name(option), text(option),
                   "a size from 0 to 1 GiB, in bytes or with a unit, such as 1KiB");
    to = *bytes;
    return {};
  }
  // "1,2,4"; `to` is unchanged if the option is not given.
  Result<void> counts(const char* option, int most, std::vector<int>& to) const {
    if (!has(option)) return {};
    to.clear();
    for (const std::string& part : parts(text(option))) {
      const auto one = whole_number(name(option), part, most);
      if (!one) return tl::unexpected(one.error());
      add(to, *one);
    }
    return {};
  }
  Result<void> words(const char* option, const std::vector<std::string>& all, std::vector<int>& to) const {
    if (!has(option)) return {};
    to.clear();
    std::string right;
    for (const std::string& word : all)
      right += (right.empty() ? "" : word == all.back() ? " or " : ", ") + word;
    for (const std::string& part : parts(text(option))) {
      const auto found = std::find(all.begin(), all.end(), part);
      if (found == all.end()) return wrong(name(option), part, right);
      add(to, static_cast<int>(found - all.begin()));
    }
    return {};
  }
  Result<void> word(const char* option, const std::vector<std::string>& all, int& to) const {
    std::vector<int> one{to};
    if (has(option) && text(option).find(',') != std::string::npos)
      return wrong(name(option), text(option), "one of them");
    if (const auto read = words(option, all, one); !read) return read;
    to = one.front();
    return {};
  }

 private:
  static std::string name(const char* option) { return std::string("--") + option; }
  // At least one part; "a," has two, of which the second is empty.
  static std::vector<std::string> parts(const std::string& text) {
    std::vector<std::string> result;
    std::istringstream in(text + ",");
    for (std::string part; std::getline(in, part, ',');) result.push_back(part);
    return result;
  }
  static void add(std::vector<int>& to, int value) {
    if (std::find(to.begin(), to.end(), value) == to.end()) to.push_back(value);
  }

  const po::variables_map& map_;
};

Result<void> read_tasks(const Reader& in, Options& to) {
  const int sources = in.has("csv") + in.has("trace") + (in.has("tasks") || in.has("task-seconds"));
  if (sources != 1)
    return fail(
        "the tasks are missing, or given twice (expected --tasks N and --task-seconds TIME, or --csv FILE, "
        "or "
        "--trace FOLDER)");
  for (const auto& [option, needed] : {std::pair("column", "csv"), std::pair("seed", "task-seconds")})
    if (in.has(option) && !in.has(needed))
      return fail(std::string("--") + option + ": is an option of --" + needed + ", which is not given");
  if (in.has("column") && in.text("column").empty())
    return fail("--column: the name is empty (expected the title of a column, or its number from 1)");
  to.csv = in.text("csv");
  to.column = in.text("column");
  to.trace = in.text("trace");
  if (in.has("csv") || in.has("trace")) return {};
  for (const char* needed : {"tasks", "task-seconds"})
    if (!in.has(needed)) return fail(std::string("--") + needed + " is missing");
  const auto tasks = whole_number("--tasks", in.text("tasks"), most_tasks);
  if (!tasks) return tl::unexpected(tasks.error());
  to.tasks = *tasks;
  auto drawn = drawn_from(in.text("task-seconds"));
  if (!drawn) return tl::unexpected(drawn.error());
  if (in.has("seed")) {
    const auto seed = read_number<std::uint64_t>(in.text("seed"));
    if (!seed) return wrong("--seed", in.text("seed"), "a whole number from 0");
    drawn->seed = *seed;
  }
  to.drawn = *drawn;
  return {};
}

Result<void> read_messages(const Reader& in, Question& to) {
  int protocol = 0, dealing = 0;
  if (const auto read = in.word("protocol", {"deal", "request"}, protocol); !read) return read;
  if (const auto read = in.word("dealing", {"scattered", "cyclic", "block"}, dealing); !read) return read;
  to.job.protocol = static_cast<Protocol>(protocol);
  to.dealing = static_cast<strategies::Dealing>(dealing);
  if (to.job.protocol == Protocol::request) to.job.bytes = {.header = 24, .result = 0};
  for (const auto& [option, value] :
       {std::pair("task-bytes", &to.job.bytes.task), std::pair("input-bytes", &to.job.bytes.input),
        std::pair("result-header", &to.job.bytes.header), std::pair("result-bytes", &to.job.bytes.result)})
    if (const auto read = in.size(option, *value); !read) return read;
  if (const auto read = in.time("master-seconds", to.job.master_seconds); !read) return read;
  if (const auto read = in.time("probe", to.probe); !read) return read;
  if (to.probe <= 0) return wrong("--probe", in.text("probe"), "a time above 0");
  return {};
}

Result<void> read_ways(const Reader& in, Options& to) {
  std::vector<int> rules{static_cast<int>(advice::Rule::self)}, chunks{1}, masters{1}, prefetches{1};
  if (const auto read = in.words("rule", advice::rule_names(), rules); !read) return read;
  if (const auto read = in.counts("chunk", most_tasks, chunks); !read) return read;
  if (const auto read = in.counts("masters", most_ranks, masters); !read) return read;
  if (const auto read = in.counts("prefetch", 1000, prefetches); !read) return read;
  const auto given = [&](const char* option, bool used, const std::string& by) -> Result<void> {
    if (!in.has(option) || used) return {};
    return fail(std::string("--") + option + ": is an option of " + by + ", which is not given");
  };
  const bool several = std::any_of(masters.begin(), masters.end(), [](int n) { return n > 1; });
  const bool fsc = std::count(rules.begin(), rules.end(), static_cast<int>(advice::Rule::fsc)) > 0;
  const bool weighted = std::count(rules.begin(), rules.end(), static_cast<int>(advice::Rule::weighted)) > 0;
  if (const auto good = given("dealing", several, "--masters 2 and more"); !good) return good;
  if (const auto good = given("probe", weighted, "--rule weighted"); !good) return good;
  for (const char* option : {"overhead", "deviation"}) {
    if (const auto good = given(option, fsc, "--rule fsc"); !good) return good;
    if (fsc && !in.has(option)) return fail("--rule fsc needs --overhead and --deviation");
  }
  if (const auto read = in.time("overhead", to.question.costs.overhead); !read) return read;
  if (const auto read = in.time("deviation", to.question.costs.deviation); !read) return read;
  for (const int rule : rules)
    for (const int chunk : chunks)
      for (const int count : masters)
        for (const int prefetch : prefetches)
          to.ways.push_back({static_cast<advice::Rule>(rule), chunk, count, prefetch});
  return {};
}

Result<void> read_ranks(const Reader& in, Options& to) {
  if (in.has("step")) {
    const auto step = whole_number("--step", in.text("step"), most_ranks);
    if (!step) return tl::unexpected(step.error());
    to.step = *step;
  }
  if (!in.has("ranks")) return {};
  auto ranks = parse_ranks(in.text("ranks"), to.step);
  if (!ranks) return tl::unexpected(ranks.error());
  to.ranks = std::move(*ranks);
  return {};
}

// All options except --help.
Result<Options> from_line(const CommandLine& line) {
  if (!line.words.empty())
    return fail("unexpected word \"" + line.words.front() +
                "\": a farm has no program (expected options only)");
  Options options;
  const Reader in(line.options);
  if (!in.has("target")) return fail("--target is missing");
  options.target = in.text("target");
  options.search = in.has("search");
  options.json = in.text("json");
  options.picture = in.text("picture");
  options.heat_map = in.text("heat-map");
  options.log_level = in.text("log-level");
  if (const auto named = names_files(line.options, {"json", "picture", "heat-map", "csv", "trace"}); !named)
    return tl::unexpected(named.error());
  for (const auto& read : {read_tasks(in, options), read_messages(in, options.question),
                           read_ways(in, options), read_ranks(in, options)})
    if (!read) return tl::unexpected(read.error());
  return options;
}

}  // namespace

Result<Options> parse_options(const std::vector<std::string>& args) {
  return options_from<Options>(args, description(), from_line);
}

std::string help() {
  std::ostringstream text;
  text << "Usage: emu farm --target FILE --tasks N --task-seconds TIME [--ranks 2..64] [--chunk 1,2,4,8] "
          "[OPTIONS]\n"
          "Predicts how long masters and slaves take for N tasks on the target, without a program: for each "
          "number\n"
          "of ranks and each size of chunks, which is best, and why more ranks do not help. The messages are "
          "those\n"
          "of apps/mase or apps/loops, and so are the times, to the picosecond.\n\n"
       << description()
       << "\nExit code: 0; 1 if the picture could not be drawn or the farm never ends with some number of "
          "ranks; 2 "
          "if\nnothing was predicted because of wrong input.\n";
  return text.str();
}

}  // namespace emu::app::farms
