#include "options.h"

#include <cmath>

#include "base/number.h"

namespace loops {
namespace {

using emu::advice::rule_names;
namespace po = command_line::po;
using command_line::Given;
using command_line::value;
using emu::Result;

constexpr std::int32_t most_iterations = 100'000'000;

Result<void> read_weights(const Given& given, int slaves, std::vector<double>& to) {
  if (!given.count("weights")) return {};
  const std::string text = given["weights"].as<std::string>();
  for (const std::string& part : command_line::parts(text)) {
    const auto weight = emu::read_number<double>(part);
    if (weight && std::isfinite(*weight) && *weight > 0) to.push_back(*weight);
  }
  if (static_cast<int>(to.size()) != slaves || command_line::parts(text).size() != to.size()) {
    return command_line::wrong("weights", text,
                               std::to_string(slaves) + " numbers above 0, one for each slave");
  }
  return {};
}

Result<void> check_together(const Given& given, Rule rule, Counter counter) {
  if (counter == Counter::one_sided && emu::advice::needs_times(rule))
    return emu::fail("--counter one-sided excludes --rule " + rule_names()[static_cast<std::size_t>(rule)] +
                     ", whose chunks depend on the rank that gets them");
  for (const char* option : {"overhead", "deviation"}) {
    if (given.count(option) != (rule == Rule::fsc ? 1 : 0))
      return emu::fail(rule == Rule::fsc ? std::string("--rule fsc needs --overhead and --deviation")
                                         : std::string("--") + option + " is an option of --rule fsc");
  }
  for (const char* option : {"iterations", "cost", "mean"}) {
    if (given.count("costs") && given.count(option))
      return emu::fail(std::string("--costs and --") + option + " exclude each other");
  }
  for (const char* option : {"weights", "probe"}) {
    if (given.count(option) && rule != Rule::weighted)
      return emu::fail(std::string("--") + option + " is an option of --rule weighted");
  }
  return {};
}

}  // namespace

void add_options(po::options_description& options) {
  auto add = options.add_options();
  add("rule", value("RULE"),
      "chunk sizes by rule: static, self, guided, factoring, trapezoid, weighted (factoring), adaptive "
      "(weighted factoring), fsc (of fixed size), mfsc, af (adaptive factoring), awf-b, awf-c, awf-d, "
      "awf-e, or advised: the best by the prediction of emu_advise (self)");
  add("counter", value("KIND"),
      "origin of the chunks: master, or one-sided, a counter at rank 0 from which the others draw (master)");
  add("iterations", value("N"), "number of iterations of the loop (10000)");
  add("cost", value("KIND"), "cost of iterations: constant, increasing or bimodal (constant)");
  add("mean", value("TIME"),
      "mean cost of an iteration on the reference CPU, in seconds or with a unit (1ms)");
  add("costs", value("FILE"),
      "one cost per line, in seconds or with a unit; instead of --iterations, --cost and --mean");
  add("weights", value("W,W,..."), "weighted: the slaves' speeds, one number above 0 for each slave");
  add("probe", value("TIME"),
      "weighted, without --weights: work by which each slave's speed is found first (10ms)");
  add("overhead", value("TIME"), "fsc: cost of dealing a chunk");
  add("deviation", value("TIME"), "fsc: standard deviation of the cost of an iteration");
  add("chunks", value("FILE"), "write the rank of each chunk: lines of first iteration, number, rank");
}

Result<void> read_options(const Given& given, int ranks, Options& to) {
  to.plan.probe = 0.01;
  int rule = static_cast<int>(to.plan.rule);
  int distribution = 0, counter = 0;
  const Result<void> read = command_line::all({
      command_line::read_choice(given, "rule", rule_names(), rule),
      command_line::read_choice(given, "counter", {"master", "one-sided"}, counter),
      command_line::read_count(given, "iterations", 1, most_iterations, to.iterations),
      command_line::read_choice(given, "cost", {"constant", "increasing", "bimodal"}, distribution),
      command_line::read_seconds(given, "mean", to.mean),
      command_line::read_text(given, "costs", to.costs),
      read_weights(given, ranks - 1, to.plan.weights),
      command_line::read_seconds(given, "probe", to.plan.probe),
      command_line::read_seconds(given, "overhead", to.plan.costs.overhead),
      command_line::read_seconds(given, "deviation", to.plan.costs.deviation),
      command_line::read_text(given, "chunks", to.chunks),
      check_together(given, static_cast<Rule>(rule), static_cast<Counter>(counter)),
  });
  to.plan.counter = static_cast<Counter>(counter);
  to.plan.rule = static_cast<Rule>(rule);
  to.distribution = static_cast<Distribution>(distribution);
  return read;
}

}  // namespace loops
