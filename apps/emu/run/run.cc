// emu run: checks everything that can be checked, starts the program
// under mpirun or plays the schedule, and reports the record.
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>

#include "common/command_line.h"
#include "common/environment.h"
#include "common/log.h"
#include "common/progress.h"
#include "common/temporary.h"
#include "common/trace_folder.h"
#include "launch/end_on_signal.h"
#include "launch/prepared_run.h"
#include "report/trace_report.h"
#include "run/prediction.h"
#include "schedule/source.h"
#include "target/target.h"
#include "verbs.h"

namespace emu::app::runs {
namespace {

// `started`: rank 0 completed MPI_Init with libemu.
int no_record(const PreparedRun& plan, const Ending& ending, bool started, const std::string& room) {
  if (ending.interrupted) return 128 + ending.interrupted;
  print_error(room.empty() ? why_no_record(plan, ending.code, started) : room);
  return ending.code != 0 ? ending.code : 1;
}

// Writes the page of the trace.
bool write_page(const PreparedRun& plan) {
  const auto made = TraceReport::read(plan.options.trace);
  if (!made) {
    print_error(made.error().message);
    return false;
  }
  for (const std::string& note : made->notes()) spdlog::warn("{}", note);
  const auto written = made->write_page(plan.options.report);
  if (!written) print_error(written.error().message);
  return written.has_value();
}

// Reports the cost of the measurements themselves.
void say_meter(const record::RunSummary& run) {
  std::int64_t readings = 0, taken = 0;
  std::vector<std::int64_t> asking, glancing;
  for (const record::RankSummary& rank : run.ranks) {
    readings += rank.doubts.readings;
    taken += rank.doubts.taken_off;
    asking.push_back(rank.doubts.asking);
    glancing.push_back(rank.doubts.glancing);
  }
  if (readings == 0) return;
  const auto [least, most] = std::minmax_element(asking.begin(), asking.end());
  const auto [least_glance, most_glance] = std::minmax_element(glancing.begin(), glancing.end());
  spdlog::debug(
      "the meter: to read the thread's CPU time takes {} to {} ns, as measured at start, and {} to {} ns "
      "where the kernel "
      "need not be asked (0: it always is); {} readings, for which {} ns each were taken off",
      *least, *most, *least_glance, *most_glance, readings, taken / readings);
}

int report(const PreparedRun& plan, const Ending& ending, const record::RunSummary& run, double host_seconds,
           const HostLoad& host) {
  const Prediction prediction{names_of(plan.options.programs), run, host_seconds, plan.uncertainties,
                              warnings(run, {!plan.declared && !plan.schedule, host, plan.uncalibrated,
                                             plan.uncalibrated_values, plan.cold})};
  std::fprintf(stderr, "emu: %s\n", one_line(prediction).c_str());
  std::fprintf(stderr, "emu: %s\n", made_of(prediction).c_str());
  if (plan.declared && !plan.schedule && !run.computes()) std::fprintf(stderr, "emu: %s\n", nothing_declared);
  for (const Warning& warning : prediction.warnings) spdlog::warn("{}", warning.text);
  say_meter(run);
  if (!plan.options.json.empty()) {
    if (const auto written = write_json(prediction, plan.options.json); !written)
      return refuse(written.error(), ending.code != 0 ? ending.code : 1);
  }
  const auto recorded = check_recording(run, plan.options.trace);
  if (!recorded) print_error(recorded.error().message);
  if ((!plan.options.report.empty() && !write_page(plan)) || !recorded)
    return ending.code != 0 ? ending.code : 1;
  if (ending.code != 0) spdlog::warn("{} ended with exit code {}", prediction.program, ending.code);
  return ending.code;
}

// Plays a schedule, a recorded program or a skeleton in this process.
int play(const PreparedRun& plan) {
  const auto target = target::load(plan.target);
  if (!target) return refuse(target.error(), 2);
  const auto source = schedules::open(*plan.schedule, *target);
  if (!source) return refuse(source.error(), 2);
  const auto begin = std::chrono::steady_clock::now();
  const auto run = (*source)->play(*target, plan.options.trace);
  const std::chrono::duration<double> host = std::chrono::steady_clock::now() - begin;
  if (!run) return refuse(run.error(), 1);
  if (const std::string record = environment().record; !record.empty())
    if (const auto written = record::write(*run, record); !written) return refuse(written.error(), 1);
  if (const std::string& trace = plan.options.trace; !trace.empty() && !run->resources.empty())
    if (const auto written = record::write(*run, record::summary_of_trace(trace)); !written)
      return refuse(written.error(), 1);
  return report(plan, Ending(), *run, host.count(), HostLoad());
}

int execute(PreparedRun plan) {
  const auto folder = TemporaryFolder::create();
  if (!folder) return refuse(folder.error(), 2);
  if (!plan.options.report.empty() && plan.options.trace.empty()) plan.options.trace = folder->file("trace");
  if (!plan.options.trace.empty()) {
    if (const auto prepared = prepare_recording(plan.options.trace); !prepared)
      return refuse(prepared.error(), 2);
  }
  if (plan.schedule) {
    const EndOnSignal end(*folder);
    return play(plan);
  }
  if (!plan.declared && plan.ranks > 1) plan.cold = find_cold_cores();
  const std::string record = folder->file("record"), status = folder->file("status");
  const HostLoadWatch host_load;
  const auto begin = std::chrono::steady_clock::now();
  ProgressLine line(status);
  const auto ending = launch(command(plan, record, status), [&] { line.update(); });
  line.clear();
  const EndOnSignal end(*folder);
  const std::chrono::duration<double> host = std::chrono::steady_clock::now() - begin;
  if (!ending) return refuse(ending.error());
  if (!std::filesystem::exists(record))
    return no_record(plan, *ending, std::filesystem::exists(status), no_room(folder->path()));
  const auto run = record::read(record);
  if (!run) {
    const std::string room = no_room(folder->path());
    print_error(room.empty() ? run.error().message : room);
    return ending->code != 0 ? ending->code : 1;
  }
  return report(plan, *ending, *run, host.count(), host_load.since());
}

}  // namespace
}  // namespace emu::app::runs

namespace emu::app {

int run(const std::vector<std::string>& args) {
  using namespace runs;
  const auto options = parse_run_options(args);
  if (const auto code = ended_by_options("run", options, run_help)) return *code;
  if (const auto log = start_log(options->log_level); !log) return refuse(log.error());
  const auto plan = prepare_run(*options);
  if (!plan) return refuse(plan.error());
  spdlog::debug("{} ranks of {} on {}", plan->ranks, words_of(plan->options.programs), plan->target.string());
  return execute(*plan);
}

}  // namespace emu::app
