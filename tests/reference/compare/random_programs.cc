// Thousands of random programs, run by the sequential simulator and, with the library, by MPI: every operation must
// return the same answer at the same picosecond.
#include <unistd.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <span>

#include "reference/compare/chain.h"
#include "reference/compare/concurrent.h"
#include "reference/compare/derivatives.h"
#include "reference/compare/launch.h"
#include "reference/compare/measured.h"
#include "reference/compare/traces.h"
#include "reference/program/kinds.h"

namespace {

using namespace emu;
using namespace emu::reference;

struct Options {
  std::string player;
  std::string mpirun = "mpirun";
  std::string folder;  // of the runs' files
  std::uint64_t seed = 1;
  std::uint64_t first = 1;
  std::uint64_t programs = 2000;
  std::uint64_t chain = 15;
  int ranks = 0;
  int jitter = 0;
  int seconds = 120;
  bool verbose = false;
  bool explain = false;
  bool derivatives = false;
  bool failures = false;
  bool noticed = false;
  bool measured = false;
  bool shared = false;
  bool threads = false;
  bool concurrent = false;
};

struct Totals {
  std::uint64_t programs = 0;
  std::int64_t deadlocks = 0, endless = 0;
  Coverage coverage;
  DerivativeCounts derivatives{};
  std::int64_t traced_down = 0;  // ranks with a trace whose node was down for a time
};

// Cancels of sends are not in traces.
bool traced(const Chain& chain) { return chain.batch.seed % 2 == 0 && !chain.batch.cancels; }

// A chain run by MPI, and the files of this run.
struct Played {
  Ended ended;
  std::string record, logs;
  std::string trace;  // a folder; empty: there is none
};

// `how`: additional arguments of the player; may be empty.
Played play(const Chain& chain, const Options& options, const std::string& how, bool trace) {
  const std::string name = std::to_string(chain.batch.seed), base = options.folder + "/" + name;
  const std::string target = base + ".toml", skip = base + ".skip";
  Played played{
      .record = base + ".record", .logs = base + ".log", .trace = trace ? base + ".trace" : std::string()};
  std::ofstream(target) << target_file(chain.batch.cluster, name);
  for (const File& file : profile_files(chain.batch.cluster, name))
    std::ofstream(options.folder + "/" + file.name) << file.text;
  {
    std::ofstream list(skip);
    for (std::uint64_t seed : chain.skipped) list << seed << '\n';
  }
  for (int rank = 0; rank < chain.batch.ranks; ++rank)
    std::filesystem::remove(played.logs + "." + std::to_string(rank));
  std::filesystem::remove(played.record);
  std::map<std::string, std::string> environment = {{"EMU_TARGET", target},
                                                    {"EMU_RECORD", played.record},
                                                    {"EMU_CANCEL_SENDS", chain.batch.cancels ? "1" : "0"}};
  if (trace) {
    std::filesystem::create_directory(played.trace);
    environment["EMU_TRACE"] = played.trace;
  }
  if (options.jitter > 0) environment["EMU_JITTER"] = std::to_string(options.jitter);
  std::vector<std::string> command = {options.mpirun,
                                      "-n",
                                      std::to_string(chain.batch.ranks),
                                      options.player,
                                      std::to_string(chain.batch.seed),
                                      std::to_string(chain.first),
                                      std::to_string(chain.count),
                                      skip,
                                      played.logs};
  if (!how.empty()) command.push_back(how);
  played.ended = launch(command, environment, options.seconds);
  return played;
}

// Adds the end of the run to the differences.
void add_end(Difference& difference, const Ended& ended, const Options& options) {
  if (ended.timed_out)
    difference.text += "mpirun had to be ended after " + std::to_string(options.seconds) + " s\n";
  else if (ended.code != 0)
    difference.text += "mpirun's exit code is " + std::to_string(ended.code) + "\n";
}

// Returns nothing if the chain ran as expected, otherwise a report.
std::optional<Difference> run(const Chain& chain, const Options& options, double& seconds,
                              DerivativeCounts& derivatives) {
  const Played played = play(chain, options,
                             chain.noticing    ? "noticing"
                             : options.threads ? "threads"
                                               : "",
                             traced(chain));
  const Ended& ended = played.ended;
  seconds = ended.seconds;
  std::optional<Difference> difference = compare(chain, played.logs);
  if (!difference && !chain.ends) {
    if (ended.code != 0 && !ended.timed_out) return std::nullopt;
    return Difference{chain.first, "all operations as expected, but no deadlock was reported\n"};
  }
  // The library may report sends that are never received, and reports when no rank is left.
  const bool none_left =
      std::all_of(chain.finish.begin(), chain.finish.end(), [](auto& r) { return r.failed; });
  if (!difference && (chain.leftover || none_left) && ended.code != 0 && !ended.timed_out)
    return std::nullopt;
  if (!difference && ended.code != 0) difference = Difference{chain.first, "all operations as expected\n"};
  if (difference) {
    add_end(*difference, ended, options);
    return difference;
  }
  const auto summary = record::read(played.record);
  if (!summary) return Difference{chain.first, summary.error().message + "\n"};
  if (auto different = compare(chain, *summary)) return different;
  if (traced(chain))
    if (auto different = compare_trace(chain, *summary, played.trace)) return different;
  return compare_paths(chain, *summary, options.derivatives ? &derivatives : nullptr);
}

std::string command(const Options& options, const Batch& batch, std::uint64_t first, std::uint64_t count) {
  std::string text = "random_programs --player " + options.player + " --seed " + std::to_string(batch.seed) +
                     " --ranks " + std::to_string(batch.ranks) + " --first " + std::to_string(first) +
                     " --programs " + std::to_string(count) + " --chain " + std::to_string(count);
  if (options.derivatives) text += " --derivatives";
  if (options.jitter > 0) text += " --host-delays " + std::to_string(options.jitter);
  if (options.threads) text += " --threads";
  if (options.concurrent) text += " --concurrent";
  return text;
}

// Reports the error, and the command that repeats it: with the single program, if that fails alone too.
void report(const Chain& chain, const Difference& difference, const Options& options) {
  std::printf("DIFFERENT: %s\n%s", describe(chain.batch).c_str(), difference.text.c_str());
  const std::uint64_t program = std::max(difference.program, chain.first);
  std::uint64_t first = chain.first;
  if (program > chain.first) {
    double seconds = 0;
    DerivativeCounts derivatives{};
    if (run(simulate(chain.batch, program, 1), options, seconds, derivatives)) first = program;
    std::printf("%s\n", first == program ? "It is so when this program runs alone:"
                                         : "Alone, this program ran as expected; with those before it:");
  } else {
    std::printf("Again by:\n");
  }
  std::printf("  %s\n", command(options, chain.batch, first, program - first + 1).c_str());
}

void add(Totals& totals, const Chain& chain) {
  totals.programs += chain.programs.size() - 1;
  totals.deadlocks += chain.deadlocks;
  totals.endless += chain.endless;
  for (const Kind& kind : kinds) totals.coverage.*kind.count += chain.coverage.*kind.count;
  for (const Kind& kind : growth_kinds) totals.coverage.*kind.count += chain.coverage.*kind.count;
  for (const record::RankSummary& rank : chain.finish)
    totals.traced_down += traced(chain) && rank.time.down > Interval();
}

// False if a kind of event never occurred, in a run that is long enough for it.
bool summarize(const Totals& totals, const Options& options) {
  std::printf("%llu programs as expected; not played: %lld that deadlock, %lld that poll for too long\n",
              static_cast<unsigned long long>(totals.programs), static_cast<long long>(totals.deadlocks),
              static_cast<long long>(totals.endless));
  bool all =
      all_met(totals.coverage, kinds) && (options.derivatives || all_met(totals.coverage, growth_kinds));
  std::printf("%10lld ranks with a trace whose node was down for a time\n",
              static_cast<long long>(totals.traced_down));
  all = all && totals.traced_down > 0;
  const auto derivatives = [&](std::int64_t count, const std::string& which) {
    std::printf("%10lld derivatives %s\n", static_cast<long long>(count), which.c_str());
    all = all && count > 0;
  };
  for (std::size_t i = 0; options.derivatives && i < parameter_count; ++i)
    derivatives(totals.derivatives.by[i], std::string("by ") + parameter_names[i]);
  if (options.derivatives) derivatives(totals.derivatives.changing, "on targets that change with time");
  if (options.derivatives) derivatives(totals.derivatives.polled, "of what was found by polling");
  if (all || (options.programs < 500 && !options.derivatives)) return true;
  std::printf("not everything was covered\n");
  return false;
}

int run_all(const Options& options) {
  Totals totals;
  std::uint64_t batch_seed = options.seed;
  for (std::uint64_t done = 0; done < options.programs; ++batch_seed) {
    const std::uint64_t count = std::min(options.chain, options.programs - done);
    Batch batch = make_batch(batch_seed, options.ranks);
    if (options.derivatives) break_ties(batch);
    const Chain chain = simulate(batch, options.first, count);
    if (options.explain) explain(chain);
    double seconds = 0;
    if (const auto difference = run(chain, options, seconds, totals.derivatives)) {
      report(chain, *difference, options);
      std::printf("The files of the run are in %s\n", options.folder.c_str());
      return 1;
    }
    if (options.verbose) std::printf("%s: %.2f s\n", describe(chain.batch).c_str(), seconds);
    add(totals, chain);
    done += count;
  }
  return summarize(totals, options) ? 0 : 1;
}

int run_failures(const Options& options) {
  const auto kinds = options.noticed ? std::span<const Kind>(noticed_kinds) : failure_kinds;
  Totals totals;
  std::uint64_t played = 0;
  for (std::uint64_t i = 0; i < options.programs; ++i) {
    const Batch batch = make_batch(options.seed + i, options.ranks);
    const auto chain =
        options.noticed ? simulate_noticing(batch, options.first) : simulate_failing(batch, options.first);
    if (!chain) continue;
    if (options.explain) explain(*chain);
    double seconds = 0;
    if (const auto difference = run(*chain, options, seconds, totals.derivatives)) {
      std::printf(
          "DIFFERENT: %s\n%sAgain by: %s --programs 1 --seed %llu --first %llu\nThe files of the run are in "
          "%s\n",
          describe(chain->batch).c_str(), difference->text.c_str(),
          options.noticed ? "--noticed" : "--failures", static_cast<unsigned long long>(chain->batch.seed),
          static_cast<unsigned long long>(options.first), options.folder.c_str());
      return 1;
    }
    ++played;
    for (const Kind& kind : kinds) totals.coverage.*kind.count += chain->coverage.*kind.count;
  }
  std::printf("%llu programs as expected\n", static_cast<unsigned long long>(played));
  return all_met(totals.coverage, kinds) || options.programs < (options.noticed ? 50 : 20) ? 0 : 1;
}

// Runs programs that work, then simulates them with the measured work.
int run_measured(const Options& options) {
  Totals totals;
  std::uint64_t batch_seed = options.seed;
  for (std::uint64_t done = 0; done < options.programs; ++batch_seed) {
    const std::uint64_t count = std::min(options.chain, options.programs - done);
    Chain chain = unplayed(measuring(make_batch(batch_seed, options.ranks)), options.first, count);
    const Played played = play(chain, options, "measured", true);
    std::optional<Difference> difference;
    if (played.ended.code != 0)
      difference = Difference{chain.first, "it did not end well\n"};
    else
      difference = compare_measured(chain, played.logs, played.trace);
    if (difference) {
      add_end(*difference, played.ended, options);
      std::printf("DIFFERENT: %s\n%sThe files of the run are in %s\n", describe(chain.batch).c_str(),
                  difference->text.c_str(), options.folder.c_str());
      return 1;
    }
    if (options.verbose) std::printf("%s: %.2f s\n", describe(chain.batch).c_str(), played.ended.seconds);
    totals.programs += count;
    for (const Kind& kind : measured_kinds) totals.coverage.*kind.count += chain.coverage.*kind.count;
    done += count;
  }
  std::printf("%llu programs as expected\n", static_cast<unsigned long long>(totals.programs));
  return all_met(totals.coverage, measured_kinds) || options.programs < 100 ? 0 : 1;
}

// Runs programs of threads that play at the same time.
int run_concurrent(const Options& options) {
  Totals totals;
  std::uint64_t batch_seed = options.seed;
  for (std::uint64_t done = 0; done < options.programs; ++batch_seed) {
    const std::uint64_t count = std::min(options.chain, options.programs - done);
    const std::vector<Chain> threads =
        simulate_concurrent(make_batch(batch_seed, options.ranks), options.first, count);
    const Chain& chain = threads.front();
    const Played played = play(chain, options, "concurrent", false);
    std::optional<Difference> difference;
    if (played.ended.code != 0) difference = Difference{chain.first, "it did not end well\n"};
    if (!difference) difference = compare_concurrent(threads, played.logs);
    if (difference) {
      add_end(*difference, played.ended, options);
      std::printf("DIFFERENT: %s\n%sAgain by:\n  %s\nThe files of the run are in %s\n",
                  describe(chain.batch).c_str(), difference->text.c_str(),
                  command(options, chain.batch, options.first, count).c_str(), options.folder.c_str());
      return 1;
    }
    if (options.verbose) std::printf("%s: %.2f s\n", describe(chain.batch).c_str(), played.ended.seconds);
    totals.programs += chain.programs.size();
    totals.deadlocks += chain.deadlocks;
    for (const Chain& thread : threads)
      for (const Kind& kind : concurrent_kinds) totals.coverage.*kind.count += thread.coverage.*kind.count;
    done += count;
  }
  std::printf("%llu programs of each thread as expected; not played: %lld\n",
              static_cast<unsigned long long>(totals.programs), static_cast<long long>(totals.deadlocks));
  return all_met(totals.coverage, concurrent_kinds) || options.programs < 100 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  namespace po = boost::program_options;
  Options o;
  po::options_description description("Random programs under the simulator and under the library");
  description.add_options()("help", "this text")("player", po::value(&o.player)->required(),
                                                 "the program that plays them")(
      "mpirun", po::value(&o.mpirun), "what starts it")("programs", po::value(&o.programs),
                                                        "how many, those that deadlock included")(
      "seed", po::value(&o.seed), "of the first batch; the following ones have the following numbers")(
      "first", po::value(&o.first), "number of the first program of each batch")(
      "chain", po::value(&o.chain), "programs of a batch, played one after the other")(
      "ranks", po::value(&o.ranks), "2 to 8 at random if it is not given")(
      "host-delays", po::value(&o.jitter)->implicit_value(50),
      "greatest length of random real delays, in microseconds")("seconds", po::value(&o.seconds),
                                                                "that one batch may take")(
      "explain", po::bool_switch(&o.explain),
      "print what is expected, operation by operation, before each batch")(
      "derivatives", po::bool_switch(&o.derivatives),
      "compare the derivatives of all finishes; takes short chains to meet some")(
      "failures", po::bool_switch(&o.failures), "one program of each batch, while nodes fail")(
      "noticed", po::bool_switch(&o.noticed),
      "... which operations of the others notice, so that they go on")(
      "measured", po::bool_switch(&o.measured), "programs that work in place of declaring it")(
      "threads", po::bool_switch(&o.threads), "two threads of each rank play in turn")(
      "concurrent", po::bool_switch(&o.concurrent),
      "two threads of each rank play a program each, at the same time")(
      "shared", po::bool_switch(&o.shared), "messages share cards, memory and links")(
      "verbose", po::bool_switch(&o.verbose), "a line for each batch");
  try {
    po::variables_map values;
    po::store(po::parse_command_line(argc, argv, description), values);
    if (values.count("help")) {
      std::cout << description;
      return 0;
    }
    po::notify(values);
    if (o.shared) o.seed += shared_seeds;
  } catch (const po::error& e) {
    std::cerr << e.what() << '\n' << description;
    return 2;
  }
  char folder[] = "/tmp/emu-random-XXXXXX";
  if (!mkdtemp(folder)) {
    std::perror(folder);
    return 2;
  }
  o.folder = folder;
  const int code = o.measured                ? run_measured(o)
                   : o.concurrent            ? run_concurrent(o)
                   : o.failures || o.noticed ? run_failures(o)
                                             : run_all(o);
  if (code == 0) std::filesystem::remove_all(o.folder);
  return code;
}
