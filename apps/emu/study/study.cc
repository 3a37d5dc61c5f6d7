// emu study: runs a program with many numbers of ranks, finds the best, and explains why more do not help.
#include "study/study.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "common/command_line.h"
#include "common/log.h"
#include "common/output.h"
#include "common/terminal.h"
#include "report/curve.h"
#include "report/heat_map.h"
#include "study/json.h"
#include "study/options.h"
#include "study/page.h"
#include "study/runs/curve_runs.h"
#include "study/runs/job.h"
#include "study/runs/recorded_points.h"
#include "study/runs/run_warnings.h"
#include "study/schedule.h"
#include "study/verdict.h"
#include "verbs.h"

namespace emu::app::studies {
namespace {

Result<void> write_file(const std::string& path, const std::string& text) {
  return path.empty() ? Result<void>() : write_text(text, path);
}

// Writes each warning once, for the first target whose runs have it.
void say_warnings(const Study& study) {
  std::set<std::string> said;
  for (const Curve& curve : study.curves)
    for (const RunWarning& warning : curve.warnings)
      if (said.insert(warning.key).second) spdlog::warn("{}", in_words(warning));
}

// Heat maps if times vary over two dimensions, otherwise the curve.
std::string as_text(const nlohmann::ordered_json& study) {
  std::string text;
  for (const HeatMap& map : heat_maps_of(study))
    text += (text.empty() ? "" : "\n") + map.title + "\n" + heat_map_as_text(map, columns());
  return text.empty() ? curve_as_text(study, columns()) : text;
}

// The map with the least time.
Result<void> draw_best_map(const nlohmann::ordered_json& study, const std::string& path) {
  const std::vector<HeatMap> maps = heat_maps_of(study);
  if (maps.empty()) return fail(path + ": no heat map: no run was good");
  return draw_heat_map(
      *std::min_element(maps.begin(), maps.end(),
                        [](const HeatMap& a, const HeatMap& b) { return a.best.seconds < b.best.seconds; }),
      path);
}

int publish(const Job& job) {
  const Study& study = job.study;
  const nlohmann::ordered_json json = to_json(study);
  if (!on_standard_output({job.options.json, job.options.html, job.options.report}))
    std::cout << '\n' << table(study) << '\n' << as_text(json) << '\n' << verdict_text(study) << std::flush;
  say_warnings(study);
  const std::string html = job.options.html.empty() ? ""
                                                    : page(study, with_reports(job, json, job.options.html),
                                                           pictures_as_svg(json, 0));
  const auto drawn = job.options.picture.empty() ? Result<void>() : draw_curve(json, job.options.picture);
  const auto map = job.options.heat_map.empty() ? Result<void>() : draw_best_map(json, job.options.heat_map);
  int code = 0;
  for (const auto& written :
       {write_file(job.options.json, json_text(json)), write_file(job.options.html, html), drawn, map}) {
    if (written) continue;
    print_error(written.error().message);
    code = 1;
  }
  for (const Curve& curve : study.curves)
    for (const Point& point : curve.points)
      if (!point.good()) code = 1;
  return code;
}

// Returns the signal that stopped it, or 0.
int run_all(Job& job, const TemporaryFolder& folder) {
  Schedule schedule(job.study);
  Runner runner(job, folder);
  const std::size_t settings = job.study.settings();
  for (std::size_t variation = 0; variation < job.study.variations(); ++variation) {
    int signal = run_variation(job, variation, folder, schedule, runner);
    const auto best = best_curve(job.study, variation * settings, settings);
    if (signal == 0 && best) signal = run_corners(job, *best, folder, runner);
    for (std::size_t i = 0; i < settings; ++i) {
      Curve& curve = job.study.curves[variation * settings + i];
      curve.warnings = run_warnings(curve, job.plan);
    }
    if (signal != 0) return signal;
  }
  return 0;
}

int execute(Job& job) {
  const auto folder = TemporaryFolder::create();
  if (!folder) return refuse(folder.error());
  if (job.options.dry_run) {
    const int signal = dry_run(job, *folder);
    return signal ? 128 + signal : 0;
  }
  if (const int signal = run_all(job, *folder)) {
    std::fprintf(stderr, "emu: stopped; the same command continues from here\n");
    return 128 + signal;
  }
  const int code = publish(job);
  for (const auto& [file, record] :
       {std::pair(job.options.report, &record_optimum), std::pair(job.options.reports, &record_points)}) {
    const auto reported = file.empty() ? Result<int>(0) : record(job, *folder);
    if (!reported) print_error(reported.error().message);
    if (!reported || *reported) return reported ? 128 + *reported : 1;
  }
  for (const Store& store : job.stores) store.finish();
  return code;
}

}  // namespace
}  // namespace emu::app::studies

namespace emu::app {

int study(const std::vector<std::string>& args) {
  using namespace studies;
  auto options = parse_options(args);
  if (const auto code = ended_by_options("study", options, help)) return *code;
  if (const auto log = start_log(options->run.log_level); !log) return refuse(log.error());
  auto job = prepare(std::move(*options));
  if (!job) return refuse(job.error());
  return execute(*job);
}

}  // namespace emu::app
