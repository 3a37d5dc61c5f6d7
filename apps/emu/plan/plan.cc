// emu plan: hosts for a run that is too large for this one.
#include <fmt/format.h>

#include "base/units.h"
#include "common/command_line.h"
#include "common/installation.h"
#include "common/log.h"
#include "common/output.h"
#include "plan/options.h"
#include "plan/pilot.h"
#include "program/braces.h"
#include "target/target.h"
#include "verbs.h"

namespace emu::app::capacity {
namespace {

// Default costs: apps/mase on two cores of a virtual AMD EPYC, rounded up. Memory and messages: pilots of 16 and 64
// ranks, 0.456 MiB a rank, with page tables and the kernel's part, and 4.49 us a message. Start and end: 4,096 ranks
// took 1.19 ms of CPU time each; 64 ranks took 1.6 ms each, since the start of MPICH is a part of it.
constexpr Costs usual{.ranks = 64,
                      .cpu_seconds_per_rank = 0.0012,
                      .cpu_seconds_per_message = 4.5e-6,
                      .bytes_per_rank = 0.5 * (1 << 20)};
// Share of a host's memory for its ranks; the rest is for the system.
constexpr double share_of_memory = 0.9;

struct Findings {
  Costs costs = usual;
  double messages = 0;
  std::string source;  // origin of the costs, in words
  int interrupted = 0;
};

Result<PreparedRun> pilot_plan(const Options& o, int ranks) {
  RunOptions run = o.run;
  run.ranks = ranks;
  run.programs = with_ranks(run.programs, ranks);
  auto plan = prepare_run(run);
  if (plan && plan->schedule)
    return fail(run.programs.front().name +
                " is a program that is data, whose ranks are no processes: emu run plays it on this host");
  return plan;
}

Result<Findings> run_pilots(const Options& o) {
  const auto folder = TemporaryFolder::create();
  if (!folder) return tl::unexpected(folder.error());
  Findings findings;
  Sample samples[2];
  for (std::size_t i = 0; i < 2; ++i) {
    const auto plan = pilot_plan(o, o.pilot[i]);
    if (!plan) return tl::unexpected(plan.error());
    const auto measured = measure(*plan, *folder);
    if (!measured) return tl::unexpected(measured.error());
    findings.interrupted = measured->interrupted;
    if (findings.interrupted) return findings;
    samples[i] = measured->sample;
  }
  findings.costs = costs_of(samples[0], samples[1], usual);
  findings.messages = messages_of(samples[0], samples[1], o.ranks);
  findings.source = fmt::format("measured here with {} and {} ranks", o.pilot[0], o.pilot[1]);
  return findings;
}

Host usable(const Options& o) { return {o.host.bytes * share_of_memory, o.host.cores}; }

Result<Findings> find(const Options& o) {
  Findings findings;
  findings.source = "of a virtual AMD EPYC with 2 cores";
  if (!o.run.programs.empty()) {
    auto measured = run_pilots(o);
    if (!measured || measured->interrupted) return measured;
    findings = std::move(*measured);
  } else if (!o.costs.empty()) {
    const auto read = read_costs(o.costs);
    if (!read) return tl::unexpected(read.error());
    findings.costs = *read;
    findings.source = "from " + o.costs;
  }
  if (o.messages) findings.messages = *o.messages;
  if (o.messages_per_second) findings.costs.cpu_seconds_per_message = 1 / *o.messages_per_second;
  if (o.bytes_per_rank) findings.costs.bytes_per_rank = *o.bytes_per_rank;
  return findings;
}

// With up to 2 more significant digits than are reliable.
std::string seconds(double s) {
  if (s < 120) return fmt::format("{:.3g} s", s);
  if (s < 7200) return fmt::format("{:.3g} min", s / 60);
  return fmt::format("{:.4g} h", s / 3600);
}
std::string bytes(double b) {
  return b < (1 << 30) ? fmt::format("{:.3g} MiB", b / (1 << 20)) : fmt::format("{:.4g} GiB", b / (1 << 30));
}

void print(const Options& o, const Findings& f, const Need& n) {
  fmt::print(
      "{} ranks, {:.3g} messages\n"
      "  costs      a rank {} of memory and {} of CPU time, a message {:.3g} us ({})\n"
      "  hosts      {} with {} of memory and {} cores each; {} ranks on a host\n"
      "  memory     {} on a host, {} in all\n"
      "  CPU time   {}: {} to start, {} for messages\n"
      "  wall time  {} if all cores have work all the time; {} if ranks only ever wait for each other\n",
      o.ranks, f.messages, bytes(f.costs.bytes_per_rank), seconds(f.costs.cpu_seconds_per_rank),
      f.costs.cpu_seconds_per_message * 1e6, f.source, n.hosts, bytes(o.host.bytes), o.host.cores,
      n.ranks_per_host, bytes(n.bytes_per_host), bytes(n.bytes), seconds(n.cpu_seconds()),
      seconds(n.cpu_seconds_start), seconds(n.cpu_seconds_messages), seconds(n.wall_seconds_least),
      seconds(n.wall_seconds_most));
}

// Checks that are possible before a pilot run.
Result<void> check(const Options& o) {
  const auto path = target_path(o.run.target);
  if (!path) return tl::unexpected(path.error());
  const auto target = target::load(*path);
  if (!target) return tl::unexpected(target.error());
  if (const auto fitting = target::fits(*target, static_cast<int>(o.ranks), *path); !fitting) return fitting;
  if (const auto writable = can_write({{"--json", o.json}}, {{"the target", *path}}); !writable)
    return writable;
  for (std::size_t i = 0; i < 2 && !o.run.programs.empty(); ++i)
    if (const auto plan = pilot_plan(o, o.pilot[i]); !plan) return tl::unexpected(plan.error());
  return {};
}

}  // namespace
}  // namespace emu::app::capacity

namespace emu::app {

int plan(const std::vector<std::string>& args) {
  using namespace capacity;
  const auto options = parse_options(args);
  if (const auto code = ended_by_options("plan", options, help)) return *code;
  if (const auto log = start_log(options->run.log_level); !log) return refuse(log.error());
  if (const auto good = check(*options); !good) return refuse(good.error());
  const auto findings = find(*options);
  if (!findings) return refuse(findings.error(), options->run.programs.empty() ? 2 : 1);
  if (findings->interrupted) return 128 + findings->interrupted;
  const Job job{options->ranks, findings->messages};
  const auto needed = need(job, findings->costs, usable(*options));
  if (!needed) return refuse(needed.error());
  if (options->json != "-") print(*options, *findings, *needed);
  if (options->json.empty()) return 0;
  const auto written = write_text(to_json(job, findings->costs, options->host, *needed), options->json);
  return written ? 0 : refuse(written.error(), 1);
}

}  // namespace emu::app
