#include "study/runs/recorded_points.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <filesystem>
#include <system_error>

#include "base/units.h"
#include "common/trace_folder.h"
#include "launch/end_on_signal.h"
#include "launch/run_once.h"
#include "program/braces.h"
#include "report/trace_report.h"
#include "study/json.h"
#include "study/verdict.h"

namespace emu::app::studies {
namespace {

namespace fs = std::filesystem;

std::vector<Request> good_points(const Study& study) {
  std::vector<Request> points;
  for (std::size_t i = 0; i < study.curves.size(); ++i)
    for (const Point& point : study.curves[i].points)
      if (point.good()) points.push_back({i, point.ranks});
  return points;
}

std::string words_of(const Study& study, const Request& request) {
  const std::string label = study.curves[request.curve].label();
  return counted(request.ranks, "rank") + (label.empty() ? "" : " with " + label);
}

fs::path file_of(const Job& job, const Request& request) {
  const std::string curve = job.study.curves.size() == 1 ? "" : fmt::format("curve-{}-", request.curve + 1);
  return fs::path(job.options.reports) / fmt::format("{}ranks-{}.html", curve, request.ranks);
}

}  // namespace

Result<int> record_point(const Job& job, const Request& request, const std::string& option,
                         const std::string& path, const TemporaryFolder& folder,
                         nlohmann::ordered_json study) {
  const Curve& curve = job.study.curves[request.curve];
  PreparedRun plan = job.plan;
  plan.ranks = request.ranks;
  plan.options.programs = with_values(job.options.run.programs, values_of(curve.setting, plan.ranks));
  plan.options.environment = environment_of(curve.setting, job.options.grid.has_value());
  plan.options.trace = folder.file("trace");
  if (!curve.variation.values.empty() || job.options.grid)
    plan.target = write_target(job.targets[request.curve], folder);
  if (const auto prepared = prepare_recording(plan.options.trace); !prepared)
    return tl::unexpected(prepared.error());
  const RunOutcome outcome = run_once(plan, folder, words_of(job.study, request) + " once more, ");
  if (outcome.interrupted) return outcome.interrupted;
  if (!outcome.run) return fail(option + ": " + outcome.failure);
  if (const auto recorded = check_recording(*outcome.run, plan.options.trace); !recorded)
    return fail(option + ": " + recorded.error().message);
  const EndOnSignal end(folder);
  auto report = TraceReport::read(plan.options.trace);
  if (!report) return tl::unexpected(report.error());
  for (const std::string& note : report->notes()) spdlog::warn("{}", note);
  if (!study.is_null()) report->add_study(std::move(study));
  const auto written = report->write_page(path);
  std::error_code ignored;
  fs::remove_all(plan.options.trace, ignored);
  if (!written) return tl::unexpected(written.error());
  return 0;
}

Result<int> record_optimum(const Job& job, const TemporaryFolder& folder) {
  const auto best = best_curve(job.study, 0, job.study.curves.size());
  if (!best) return fail("--report: no page was written, since no run was good");
  return record_point(job, {*best, optimum(job.study.curves[*best])->point->ranks}, "--report",
                      job.options.report, folder, with_reports(job, to_json(job.study), job.options.report));
}

Result<int> record_points(const Job& job, const TemporaryFolder& folder) {
  for (const Request& request : good_points(job.study)) {
    const auto recorded = record_point(job, request, "--reports", file_of(job, request), folder);
    if (!recorded || *recorded) return recorded;
  }
  return 0;
}

nlohmann::ordered_json with_reports(const Job& job, nlohmann::ordered_json study, const std::string& page) {
  if (job.options.reports.empty()) return study;
  std::error_code ignored;
  const fs::path from = fs::absolute(page, ignored).parent_path();
  const std::vector<Request> good = good_points(job.study);
  auto next = good.begin();
  const auto add = [&](nlohmann::ordered_json& points) {
    for (nlohmann::ordered_json& point : points)
      if (point.contains("predicted_seconds"))
        point["report"] = fs::absolute(file_of(job, *next++), ignored).lexically_proximate(from).string();
  };
  if (!study.contains("variations"))
    add(study["points"]);
  else
    for (nlohmann::ordered_json& variation : study["variations"]) add(variation["points"]);
  return study;
}

}  // namespace emu::app::studies
