#include "study/runs/runner.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <utility>

#include "program/braces.h"
#include "study/runs/metric.h"

namespace emu::app::studies {
namespace {

// Greatest number of ranks of all concurrent runs: each rank takes some memory.
constexpr int most_ranks_at_once = 4096;

// The cores of this process.
std::vector<int> allowed_cores() {
  std::vector<int> cores;
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &allowed)) cores.push_back(core);
  return cores;
}

// Ranks with declared work need one core in all; ranks with measured work need one each.
int default_jobs(const Job& job, bool declared, int cores) {
  if (job.options.jobs) return std::min(*job.options.jobs, cores);
  const int threads =
      job.options.grid && !job.options.grid->threads.empty() ? job.options.grid->threads.back() : 1;
  return declared ? cores : std::max(1, cores / (job.study.ranks.back() * threads));
}

// Number of runs for each number of ranks on that target: as requested,
// or else one with declared compute, three with measured compute.
int times_each(const Options& options, bool declared) {
  if (options.repeat) return options.repeat;
  return declared ? 1 : 3;
}

}  // namespace

Runner::Runner(const Job& job, const TemporaryFolder& folder) : job_(job), folder_(folder) {}

void Runner::begin(const target::Target& target) {
  runs_.clear();
  tracks_.clear();
  share_.reset();
  const bool declared = target.compute == target::Compute::declared;
  repeats_ = times_each(job_.options, declared);
  const std::vector<int> cores = allowed_cores();
  const int jobs = std::max(1, default_jobs(job_, declared, static_cast<int>(cores.size())));
  cores_.assign(static_cast<std::size_t>(jobs), {});
  if (jobs == 1) return;
  const std::size_t share = cores.size() / cores_.size();
  for (std::size_t i = 0; i < cores_.size(); ++i)
    cores_[i].assign(cores.begin() + static_cast<std::ptrdiff_t>(i * share),
                     cores.begin() + static_cast<std::ptrdiff_t>((i + 1) * share));
  if (declared) share_ = static_cast<int>(share);
}

std::size_t Runner::add(const Curve& curve, PreparedRun plan, Store& store) {
  if (share_) plan.options.cores = share_;
  plan.options.environment = environment_of(curve.setting, job_.options.grid.has_value());
  tracks_.push_back({curve.setting, std::move(plan), store});
  return tracks_.size() - 1;
}

Runner::Run* Runner::find(Place place, int repeat) {
  const auto found = std::find_if(runs_.begin(), runs_.end(),
                                  [&](const Run& run) { return run.place == place && run.repeat == repeat; });
  return found == runs_.end() ? nullptr : &*found;
}

std::optional<std::size_t> Runner::free_cores(int ranks) const {
  std::vector<bool> taken(cores_.size());
  int others = 0;
  for (const Run& run : runs_) {
    if (!run.under_way) continue;
    taken[run.cores] = true;
    others += run.place.ranks;
  }
  if (others > 0 && others + ranks > most_ranks_at_once) return {};
  const auto found = std::find(taken.begin(), taken.end(), false);
  if (found == taken.end()) return {};
  return static_cast<std::size_t>(found - taken.begin());
}

void Runner::start(Place place, int repeat, std::size_t cores) {
  const bool alone = std::none_of(runs_.begin(), runs_.end(), [](const Run& run) { return !!run.under_way; });
  if (alone)
    for (Track& track : tracks_) track.store.before_run();
  const Track& track = tracks_[place.track];
  PreparedRun plan = track.plan;
  plan.ranks = place.ranks;
  plan.options.programs = with_values(job_.options.run.programs, values_of(track.setting, place.ranks));
  plan.only_cores = cores_[cores];
  const std::string files = folder_.file(fmt::format("run-{}-", begun_++));
  runs_.push_back({place, repeat, cores, {}, {}, std::make_unique<ProgramRun>(plan, files, signals_), {}});
}

void Runner::start_next(const std::vector<Place>& next) {
  for (const Place place : next)
    for (int i = 0; i < repeats_; ++i) {
      if (find(place, i) || tracks_[place.track].store.find(place.ranks, i)) continue;
      const auto cores = free_cores(place.ranks);
      if (!cores) return;
      start(place, i, *cores);
    }
}

int Runner::step(ProgressLine& line) {
  bool some = false;
  for (Run& run : runs_) {
    if (!run.under_way) continue;
    auto outcome = run.under_way->look();
    if (!outcome) continue;
    some = true;
    run.host = run.watch.since();
    run.under_way.reset();
    after_run();
    run.outcome = std::move(*outcome);
  }
  line.update();
  // A signal from the terminal has reached the program too, which may have ended by it before this process checked.
  if (some) return end_by_late_signal();
  if (const auto signal = signals_.wait()) return end_all(*signal);
  return 0;
}

int Runner::end_all(siginfo_t signal) {
  const int first = signal.si_signo;
  for (Run& run : runs_)
    if (run.under_way) run.under_way->interrupt(signal);
  const auto under_way = [&] {
    bool some = false;
    for (Run& run : runs_) {
      if (run.under_way && run.under_way->look()) run.under_way.reset();
      some = some || run.under_way;
    }
    return some;
  };
  while (under_way()) {
    const auto next = signals_.wait();
    if (!next) continue;
    for (Run& run : runs_)
      if (run.under_way) run.under_way->interrupt(*next);
  }
  after_run();
  return first;
}

int Runner::end_by_late_signal() {
  siginfo_t late{};
  late.si_signo = signals_.taken_up();
  return late.si_signo ? end_all(late) : 0;
}

void Runner::after_run() {
  for (Track& track : tracks_) track.store.after_run();
}

void Runner::take(Run& run, Point& point) {
  point.host = {std::max(point.host.stolen, run.host.stolen),
                std::max(point.host.throttled, run.host.throttled)};
  point.host_seconds += run.outcome.host_seconds;
  if (run.outcome.run) {
    const auto metric = job_.options.metric.empty()
                            ? std::nullopt
                            : metric_of(run.outcome.output, std::regex(job_.options.metric));
    if (metric) point.metrics.push_back(*metric);
    // Only requested runs: the progress of others depends on the host.
    tracks_[run.place.track].store.keep(run.place.ranks, run.repeat, run.outcome.record,
                                        run.outcome.host_seconds, metric);
    point.runs.push_back(std::move(*run.outcome.run));
  } else {
    point.failure = run.outcome.failure;
  }
  std::error_code ignored;
  for (const std::string& file : {run.outcome.record, run.outcome.output})
    std::filesystem::remove(file, ignored);
}

int Runner::run(Point& point, Place place, const std::vector<Place>& next, const std::string& before) {
  if (const int late = end_by_late_signal()) return late;
  for (int i = 0; i < repeats_ && point.failure.empty(); ++i) {
    const Store& store = tracks_[place.track].store;
    if (auto kept = find(place, i) ? std::nullopt : store.find(place.ranks, i)) {
      point.kept_for = std::max(point.kept_for, kept->age);
      point.kept_host_seconds += kept->host_seconds;
      point.runs.push_back(std::move(kept->run));
      if (kept->metric) point.metrics.push_back(*kept->metric);
      continue;
    }
    if (const int signal = finish(place, i, next, before)) return signal;
    Run* const run = find(place, i);
    take(*run, point);
    runs_.erase(runs_.begin() + (run - runs_.data()));
  }
  return 0;
}

int Runner::finish(Place place, int repeat, const std::vector<Place>& next, const std::string& before) {
  for (ProgressLine line("", before); !find(place, repeat);) {
    if (const auto cores = free_cores(place.ranks))
      start(place, repeat, *cores);
    else if (const int signal = step(line))
      return signal;
  }
  const auto& under_way = [&]() -> auto& { return find(place, repeat)->under_way; };
  if (!under_way()) return 0;
  for (ProgressLine line(under_way()->status(), before); under_way();) {
    start_next(next);
    if (const int signal = step(line)) return signal;
  }
  return 0;
}

}  // namespace emu::app::studies
