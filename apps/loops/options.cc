#include "options.h"

#include <cmath>
#include <sstream>

#include "command_line/command_line.h"

namespace loops {
namespace {

namespace po = command_line::po;
using command_line::Given;
using emu::Result;

constexpr std::int32_t most_iterations = 100'000'000;

po::options_description description() {
  const auto text = [](const char* name) { return po::value<std::string>()->value_name(name); };
  po::options_description options("Options");
  auto add = options.add_options();
  add("help,h", "show this text");
  add("rule", text("RULE"),
      "how large the chunks are: static, self, guided, factoring, trapezoid, weighted (factoring) or "
      "adaptive "
      "(weighted factoring) (self)");
  add("iterations", text("N"), "of the loop (10000)");
  add("cost", text("KIND"), "what iterations cost: constant, increasing or bimodal (constant)");
  add("mean", text("TIME"),
      "mean cost of an iteration on the reference CPU, in seconds or with a unit (1ms)");
  add("costs", text("FILE"), "instead of these three: one cost per line, in seconds or with a unit");
  add("weights", text("W,W,..."), "weighted: the slaves' speeds, one number above 0 for each slave");
  add("probe", text("TIME"),
      "weighted, without --weights: work by which each slave's speed is found first (10ms)");
  add("chunks", text("FILE"), "write which rank got which chunk: lines of first iteration, number, rank");
  return options;
}

Result<void> read_weights(const Given& given, int slaves, std::vector<double>& to) {
  if (!given.count("weights")) return {};
  const std::string text = given["weights"].as<std::string>();
  for (const std::string& part : command_line::parts(text)) {
    const auto weight = command_line::number<double>(part);
    if (weight && std::isfinite(*weight) && *weight > 0) to.push_back(*weight);
  }
  if (static_cast<int>(to.size()) != slaves || command_line::parts(text).size() != to.size()) {
    return command_line::wrong("weights", text,
                               std::to_string(slaves) + " numbers above 0, one for each slave");
  }
  return {};
}

Result<void> check_together(const Given& given, Rule rule) {
  for (const char* option : {"iterations", "cost", "mean"}) {
    if (given.count("costs") && given.count(option))
      return emu::fail(std::string("--costs says what --") + option + " would: give one of them");
  }
  for (const char* option : {"weights", "probe"}) {
    if (given.count(option) && rule != Rule::weighted)
      return emu::fail(std::string("--") + option + " is an option of --rule weighted");
  }
  return {};
}

}  // namespace

std::string help() {
  std::ostringstream text;
  text << "Usage: mpirun -n RANKS loops [OPTIONS]\n"
          "Runs the iterations of a loop on all ranks but 0, which deals them in chunks to whoever asks. "
          "Natively\n"
          "an iteration computes for as long as it costs.\n\n"
       << description();
  return text.str();
}

Result<Options> read_options(int argc, char** argv, int ranks) {
  const Result<Given> parsed = command_line::parse(argc, argv, description());
  if (!parsed) return tl::make_unexpected(parsed.error());
  const Given& given = *parsed;
  Options options;
  options.help = given.count("help");
  options.plan.probe = 0.01;
  int rule = static_cast<int>(options.plan.rule);
  int distribution = 0;
  const Result<void> read = command_line::all({
      command_line::read_choice(given, "rule", rule_names(), rule),
      command_line::read_count(given, "iterations", 1, most_iterations, options.iterations),
      command_line::read_choice(given, "cost", {"constant", "increasing", "bimodal"}, distribution),
      command_line::read_seconds(given, "mean", options.mean),
      command_line::read_text(given, "costs", options.costs),
      read_weights(given, ranks - 1, options.plan.weights),
      command_line::read_seconds(given, "probe", options.plan.probe),
      command_line::read_text(given, "chunks", options.chunks),
      check_together(given, static_cast<Rule>(rule)),
  });
  if (!read) return tl::make_unexpected(read.error());
  options.plan.rule = static_cast<Rule>(rule);
  options.distribution = static_cast<Distribution>(distribution);
  return options;
}

}  // namespace loops
