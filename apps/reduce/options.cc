#include "options.h"

#include <algorithm>

#include "base/number.h"
#include "base/units.h"
#include "risk.h"

namespace reduce {
namespace {

namespace po = command_line::po;
using command_line::Given;
using command_line::value;
using emu::Result;

constexpr std::int64_t most_bytes = std::int64_t{1} << 30;  // in memory: the size of a message fits into int

Result<void> read_algorithms(const Given& given, std::vector<Algorithm>& to) {
  if (!given.count("algorithms")) return {};
  const std::string text = given["algorithms"].as<std::string>();
  to.clear();
  for (const std::string& part : command_line::parts(text)) {
    const auto& names = algorithm_names();
    const auto found = std::find(names.begin(), names.end(), part);
    if (found == names.end())
      return command_line::wrong("algorithms", text,
                                 "some of task, binomial, rabenseifner and mpi, with commas between");
    to.push_back(static_cast<Algorithm>(found - names.begin()));
  }
  return {};
}

Result<void> read_sizes(const Given& given, std::int32_t scale, std::vector<std::int64_t>& to) {
  if (given.count("sizes")) to.clear();
  const std::string text = given.count("sizes") ? given["sizes"].as<std::string>() : "1MiB";
  for (const std::string& part : command_line::parts(text)) {
    const auto size = emu::parse_bytes(part);
    const std::int64_t unit = std::int64_t{scale} * static_cast<std::int64_t>(sizeof(Element));
    if (!size || *size < unit || *size % unit != 0 || *size / scale > most_bytes) {
      return command_line::wrong(
          "sizes", text,
          "sizes like 128KiB, multiples of " + std::to_string(unit) + " bytes, up to 1 GiB in memory");
    }
    if (given.count("sizes")) to.push_back(*size);
  }
  return {};
}

Result<void> read_failure(const Given& given, int ranks, Options& to) {
  if (!given.count("fail")) return {};
  const std::string text = given["fail"].as<std::string>();
  const std::vector<std::string> parts = command_line::parts(text, '@');
  const auto worker = emu::read_number<std::int32_t>(parts.front());
  const auto at = parts.size() == 2 ? command_line::seconds(parts[1]) : std::nullopt;
  if (!worker || !at || *worker < 0 || *worker >= ranks) {
    return command_line::wrong(
        "fail", text, "R@TIME: a rank from 0 to " + std::to_string(ranks - 1) + " and a time like 1.5s");
  }
  to.victim = *worker;
  to.fails_at = *at;
  return {};
}

Result<void> read_risk(const Given& given, int ranks, std::vector<int>& to) {
  if (!given.count("risk")) return {};
  auto risky = ranks_at_risk(given["risk"].as<std::string>(), ranks);
  if (!risky) return tl::unexpected(risky.error());
  to = std::move(*risky);
  return {};
}

Result<void> check_together(const Given& given, const Options& options) {
  const bool only_task = options.algorithms == std::vector<Algorithm>{Algorithm::task};
  if (given.count("fail") && !only_task)
    return emu::fail("--fail: only --algorithms task survives a failure");
  const bool trees = std::any_of(options.algorithms.begin(), options.algorithms.end(), [](Algorithm one) {
    return one == Algorithm::binomial || one == Algorithm::rabenseifner;
  });
  if (options.operation == Operator::affine && trees)
    return emu::fail("--operation affine: binomial and rabenseifner do not keep the order of ranks");
  if (given.count("stored") && given.count("fail"))
    return emu::fail("--stored: the inputs that failed ranks had are unknown; expected a run without --fail");
  if (options.shrink && (!only_task || !options.by_errors))
    return emu::fail(
        "--shrink: expected --algorithms task and --detect errors, by which MPI knows who has failed");
  if (options.heartbeat <= 0) return emu::fail("--heartbeat: expected a time above 0");
  if (options.time_limit <= options.heartbeat)
    return emu::fail("--time-limit: expected a longer time than --heartbeat's");
  return {};
}

}  // namespace

const std::vector<std::string>& algorithm_names() {
  static const std::vector<std::string> names{"task", "binomial", "rabenseifner", "mpi"};
  return names;
}

void add_options(po::options_description& options) {
  auto add = options.add_options();
  add("algorithms", value("A,A,..."),
      "task: by tasks that a dealer deals, which survive failures; binomial, rabenseifner: MPICH's "
      "algorithms for "
      "MPI_Reduce, "
      "of messages; mpi: MPI_Reduce itself (task)");
  add("sizes", value("SIZE,..."), "sizes of the vectors, such as 128KiB (1MiB)");
  add("at-once", value("K"), "reductions at once; those of MPI one after another (1)");
  add("repeat", value("N"), "number of repetitions (1)");
  add("root", value("R"), "the rank that gets the results (0)");
  add("heir", value("R"), "task: the rank that gets them if the root fails (the one after the root)");
  add("copies", value("N"), "task: number of ranks that have a copy of each piece of an input (2)");
  add("both", "task: the heir also prints its results, in case the root fails at the very end");
  add("leave-out", "task: continue without the inputs of ranks that have failed");
  add("operation", value("OP"),
      "sum, max, user: a function of the program's own, or affine: one that does not commute (sum)");
  add("cost-per-byte", value("TIME"),
      "declare this time per byte that is combined, on the reference CPU (0)");
  add("scale", value("S"),
      "a byte in memory counts as S bytes: for targets whose times per byte are S times as long (1)");
  add("overlap", value("TIME"), "task: work of this length during the reductions (0)");
  add("heartbeat", value("TIME"), "task: a rank that is silent for this time is asked for an answer (1s)");
  add("time-limit", value("TIME"), "task: a rank that is silent for this time has failed (10s)");
  add("detect", value("HOW"),
      "task: heartbeat: a silent rank has failed; errors: a rank has failed that MPI reports (on_failure = "
      "\"error\") "
      "(heartbeat)");
  add("fail", value("R@TIME"), "task: rank R neither sends nor receives from TIME on");
  add("risk", value("R,R,...|FILE"),
      "task: ranks that are likely to fail, whose inputs are stored first; or a history: a file with the "
      "name of a "
      "node that has failed in each line");
  add("shrink",
      "task, --detect errors: when a rank has failed, reduce the next time in a communicator that "
      "MPIX_Comm_shrink "
      "makes");
  add("stored",
      "task: add to the timings, for each rank, when as many ranks as --copies had a copy of its inputs; "
      "without failures");
  add("timings", value("FILE"),
      "write the times: lines of algorithm, bytes, number at once, repetition, seconds since the "
      "start when "
      "the reductions began, seconds for them, \"right\" or \"lost\"");
}

Result<void> read_options(const Given& given, int ranks, Options& to) {
  int operation = 0;
  int detect = 0;
  Result<void> read = command_line::all({
      read_algorithms(given, to.algorithms),
      command_line::read_count(given, "scale", 1, 1 << 20, to.scale),
      read_sizes(given, to.scale, to.sizes),
      command_line::read_count(given, "at-once", 1, 1000, to.at_once),
      command_line::read_count(given, "repeat", 1, 1000000, to.repeat),
      command_line::read_count(given, "root", 0, ranks - 1, to.root),
      command_line::read_count(given, "heir", -1, ranks - 1, to.heir),
      command_line::read_count(given, "copies", 1, 100, to.copies),
      command_line::read_choice(given, "detect", {"heartbeat", "errors"}, detect),
      command_line::read_choice(given, "operation", {"sum", "max", "user", "affine"}, operation),
      command_line::read_seconds(given, "cost-per-byte", to.cost_per_byte),
      command_line::read_seconds(given, "overlap", to.overlap),
      command_line::read_seconds(given, "heartbeat", to.heartbeat),
      command_line::read_seconds(given, "time-limit", to.time_limit),
      read_failure(given, ranks, to),
      read_risk(given, ranks, to.risky),
      command_line::read_text(given, "timings", to.timings),
  });
  to.operation = static_cast<Operator>(operation);
  to.by_errors = detect == 1;
  to.leave_out = given.count("leave-out") != 0;
  to.both = given.count("both") != 0;
  to.stored = given.count("stored") != 0;
  to.shrink = given.count("shrink") != 0;
  if (read) read = check_together(given, to);
  return read;
}

}  // namespace reduce
