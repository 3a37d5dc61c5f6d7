#include "study/runner.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "launch/rank_numbers.h"

namespace emu::app::studies {
namespace {

// Of all runs under way: each rank takes some memory.
constexpr int most_ranks_at_once = 4096;

// This process's.
std::vector<int> allowed_cores() {
  std::vector<int> cores;
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &allowed)) cores.push_back(core);
  return cores;
}

// Ranks whose work is declared need one core, whatever they do; those whose work is measured one each.
int default_jobs(const Job& job, bool declared, int cores) {
  if (job.options.jobs) return std::min(*job.options.jobs, cores);
  return declared ? cores : std::max(1, cores / job.study.ranks.back());
}

// How often each number of ranks runs on that target: as asked, or else once where compute is declared, three times where it is
// measured.
int repeats(const Options& options, bool declared) {
  if (options.repeat) return options.repeat;
  return declared ? 1 : 3;
}

}  // namespace

Runner::Runner(const Job& job, const TemporaryFolder& folder) : job_(job), folder_(folder) {}

void Runner::use(const Curve& curve, PreparedRun plan, Store& store) {
  runs_.clear();
  const bool declared = curve.target.compute == target::Compute::declared;
  repeats_ = repeats(job_.options, declared);
  plan_ = std::move(plan);
  store_ = &store;
  const std::vector<int> cores = allowed_cores();
  const int jobs = std::max(1, default_jobs(job_, declared, static_cast<int>(cores.size())));
  cores_.assign(static_cast<std::size_t>(jobs), {});
  if (jobs == 1) return;
  const std::size_t share = cores.size() / cores_.size();
  for (std::size_t i = 0; i < cores_.size(); ++i)
    cores_[i].assign(cores.begin() + static_cast<std::ptrdiff_t>(i * share),
                     cores.begin() + static_cast<std::ptrdiff_t>((i + 1) * share));
  if (declared) plan_.options.cores = static_cast<int>(share);
}

Runner::Run* Runner::find(int ranks, int repeat) {
  const auto found = std::find_if(runs_.begin(), runs_.end(),
                                  [&](const Run& run) { return run.ranks == ranks && run.repeat == repeat; });
  return found == runs_.end() ? nullptr : &*found;
}

std::optional<std::size_t> Runner::free_place(int ranks) const {
  std::vector<bool> taken(cores_.size());
  int others = 0;
  for (const Run& run : runs_) {
    if (!run.under_way) continue;
    taken[run.place] = true;
    others += run.ranks;
  }
  if (others > 0 && others + ranks > most_ranks_at_once) return {};
  const auto found = std::find(taken.begin(), taken.end(), false);
  if (found == taken.end()) return {};
  return static_cast<std::size_t>(found - taken.begin());
}

void Runner::begin(int ranks, int repeat, std::size_t place) {
  const bool alone = std::none_of(runs_.begin(), runs_.end(), [](const Run& run) { return !!run.under_way; });
  if (alone) store_->before_run();
  PreparedRun plan = plan_;
  plan.ranks = ranks;
  plan.options.programs = with_ranks(job_.options.run.programs, ranks);
  plan.only_cores = cores_[place];
  const std::string files = folder_.file(fmt::format("run-{}-", begun_++));
  runs_.push_back({ranks, repeat, place, {}, {}, std::make_unique<ProgramRun>(plan, files, signals_), {}});
}

void Runner::begin_next(const std::vector<int>& next) {
  for (const int ranks : next)
    for (int i = 0; i < repeats_; ++i) {
      if (find(ranks, i) || store_->find(ranks, i)) continue;
      const auto place = free_place(ranks);
      if (!place) return;
      begin(ranks, i, *place);
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
    store_->after_run();
    run.outcome = std::move(*outcome);
  }
  line.update();
  // A key on the terminal has reached the program too, which may have ended by it before this process looked.
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
  store_->after_run();
  return first;
}

int Runner::end_by_late_signal() {
  siginfo_t late{};
  late.si_signo = signals_.taken_up();
  return late.si_signo ? end_all(late) : 0;
}

int Runner::run(Point& point, const std::vector<int>& next, const std::string& before) {
  if (const int late = end_by_late_signal()) return late;
  for (int i = 0; i < repeats_ && point.failure.empty(); ++i) {
    if (auto kept = find(point.ranks, i) ? std::nullopt : store_->find(point.ranks, i)) {
      point.kept_for = std::max(point.kept_for, kept->age);
      point.runs.push_back(std::move(kept->run));
      continue;
    }
    if (const int signal = finish(point.ranks, i, next, before)) return signal;
    Run* const run = find(point.ranks, i);
    point.host = {std::max(point.host.stolen, run->host.stolen),
                  std::max(point.host.throttled, run->host.throttled)};
    point.host_seconds += run->outcome.host_seconds;
    if (run->outcome.run) {
      // Only what was asked for: how far others came by now is the host's matter.
      store_->keep(point.ranks, i, run->outcome.record);
      point.runs.push_back(std::move(*run->outcome.run));
    } else {
      point.failure = run->outcome.failure;
    }
    std::error_code ignored;
    std::filesystem::remove(run->outcome.record, ignored);
    runs_.erase(runs_.begin() + (run - runs_.data()));
  }
  return 0;
}

int Runner::finish(int ranks, int repeat, const std::vector<int>& next, const std::string& before) {
  for (ProgressLine line("", before); !find(ranks, repeat);) {
    if (const auto place = free_place(ranks))
      begin(ranks, repeat, *place);
    else if (const int signal = step(line))
      return signal;
  }
  const auto& under_way = [&]() -> auto& { return find(ranks, repeat)->under_way; };
  if (!under_way()) return 0;
  for (ProgressLine line(under_way()->status(), before); under_way();) {
    begin_next(next);
    if (const int signal = step(line)) return signal;
  }
  return 0;
}

}  // namespace emu::app::studies
