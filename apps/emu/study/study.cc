// emu study: runs a program with many numbers of ranks, finds the best, and says why more do not help.
#include <spdlog/spdlog.h>

#include <cstdio>
#include <iostream>
#include <optional>
#include <set>
#include <string>

#include "base/units.h"
#include "common/log.h"
#include "common/output.h"
#include "common/terminal.h"
#include "common/trace_folder.h"
#include "launch/rank_numbers.h"
#include "launch/run_once.h"
#include "report/curve.h"
#include "report/trace_report.h"
#include "study/curve_runs.h"
#include "study/job.h"
#include "study/options.h"
#include "study/page.h"
#include "study/report.h"
#include "study/run_warnings.h"
#include "study/schedule.h"
#include "verbs.h"

namespace emu::app {
namespace {

using namespace studies;  // NOLINT: this is its main file

Result<void> write_file(const std::string& path, const std::string& text) {
  return path.empty() ? Result<void>() : write_text(text, path);
}

// The curve with the least time of all; nothing if no run was good.
std::optional<std::size_t> best_curve(const Study& study) {
  std::optional<std::size_t> best;
  double least = 0;
  for (std::size_t i = 0; i < study.curves.size(); ++i) {
    const auto found = optimum(study.curves[i]);
    if (!found || (best && found->point->seconds() >= least)) continue;
    best = i;
    least = found->point->seconds();
  }
  return best;
}

// Runs the optimum once more, recorded, and writes the page. The result is the signal that stopped it, or 0.
Result<int> write_report(const Job& job, const TemporaryFolder& folder) {
  const auto best = best_curve(job.study);
  if (!best) return fail("--report: no page was written, since no run was good");
  PreparedRun plan = job.plan;
  plan.ranks = optimum(job.study.curves[*best])->point->ranks;
  plan.options.programs = with_ranks(job.options.run.programs, plan.ranks);
  plan.options.trace = folder.file("trace");
  if (!job.study.curves[*best].variation.values.empty())
    plan.target = write_target(job.targets[*best], folder);
  if (const auto prepared = prepare_recording(plan.options.trace); !prepared)
    return tl::unexpected(prepared.error());
  const RunOutcome outcome = run_once(plan, folder, counted(plan.ranks, "rank") + " once more, ");
  if (outcome.interrupted) return outcome.interrupted;
  if (!outcome.run) return fail("--report: " + outcome.failure);
  auto report = TraceReport::read(plan.options.trace);
  if (!report) return tl::unexpected(report.error());
  for (const std::string& note : report->notes()) spdlog::warn("{}", note);
  report->add_study(to_json(job.study));
  const auto written = report->write_page(job.options.report);
  if (!written) return tl::unexpected(written.error());
  return 0;
}

// Each warning once, of the first target whose runs have it.
void say_warnings(const Study& study) {
  std::set<std::string> said;
  for (const Curve& curve : study.curves)
    for (const RunWarning& warning : curve.warnings)
      if (said.insert(warning.key).second) spdlog::warn("{}", in_words(warning));
}

int publish(const Job& job) {
  const Study& study = job.study;
  const nlohmann::ordered_json json = to_json(study);
  if (job.options.json != "-")
    std::cout << '\n'
              << table(study) << '\n'
              << curve_as_text(json, columns()) << '\n'
              << verdict_text(study) << std::flush;
  say_warnings(study);
  const std::string html = job.options.html.empty() ? "" : page(study, curve_as_svg(json, 0));
  const auto drawn = job.options.picture.empty() ? Result<void>() : draw_curve(json, job.options.picture);
  int code = 0;
  for (const auto& written :
       {write_file(job.options.json, json_text(json)), write_file(job.options.html, html), drawn}) {
    if (written) continue;
    print_error(written.error().message);
    code = 1;
  }
  for (const Curve& curve : study.curves)
    for (const Point& point : curve.points)
      if (!point.good()) code = 1;
  return code;
}

// The result is the signal that stopped it, or 0.
int run_all(Job& job, const TemporaryFolder& folder) {
  Schedule schedule(job.study.ranks, job.study.search, static_cast<int>(job.study.curves.size()));
  Runner runner(job, folder);
  for (std::size_t i = 0; i < job.study.curves.size(); ++i) {
    int signal = run_curve(job, i, folder, schedule, runner);
    if (signal == 0) signal = run_corners(job, i, folder, runner);
    job.study.curves[i].warnings = run_warnings(job.study.curves[i], job.plan);
    if (signal != 0) return signal;
  }
  return 0;
}

int execute(Job& job) {
  const auto folder = TemporaryFolder::create();
  if (!folder) {
    print_error(folder.error().message);
    return 2;
  }
  if (const int signal = run_all(job, *folder)) {
    std::fprintf(stderr, "emu: stopped; the same command goes on from here\n");
    return 128 + signal;
  }
  const int code = publish(job);
  if (!job.options.report.empty()) {
    const auto reported = write_report(job, *folder);
    if (!reported) print_error(reported.error().message);
    if (!reported || *reported) return reported ? 128 + *reported : 1;
  }
  for (const Store& store : job.stores) store.finish();
  return code;
}

}  // namespace

int study(const std::vector<std::string>& args) {
  auto options = parse_options(args);
  if (!options) {
    print_error(options.error().message);
    std::fputs("See emu study --help.\n", stderr);
    return 2;
  }
  if (options->help) {
    std::cout << help();
    return 0;
  }
  if (const auto log = start_log(options->run.log_level); !log) {
    print_error(log.error().message);
    return 2;
  }
  auto job = prepare(std::move(*options));
  if (!job) {
    print_error(job.error().message);
    return 2;
  }
  return execute(*job);
}

}  // namespace emu::app
