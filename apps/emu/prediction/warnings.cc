#include "prediction/warnings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "base/units.h"
#include "prediction/uncertainty.h"

namespace emu::app {
namespace {

using record::Doubts;
using record::RankSummary;

std::string rounded_percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

std::string seconds(std::int64_t nanoseconds) {
  return format(Interval::seconds(static_cast<double>(nanoseconds) / 1e9));
}

// "rank 3", "ranks 0, 1 and 5 more", "all 64 ranks"
std::string name(const std::vector<int>& ranks, std::size_t all) {
  if (ranks.size() == all && all > 1) return "all " + std::to_string(all) + " ranks";
  std::string text = (ranks.size() == 1 ? "rank " : "ranks ") + std::to_string(ranks[0]);
  constexpr std::size_t named = 4;
  for (std::size_t i = 1; i < ranks.size() && i < named; ++i) text += ", " + std::to_string(ranks[i]);
  if (ranks.size() > named) text += " and " + std::to_string(ranks.size() - named) + " more";
  return text;
}

class Finder {
 public:
  explicit Finder(const record::RunSummary& run) : run_(run) {}

  std::vector<int> ranks(const std::function<bool(const RankSummary&)>& doubtful) const {
    std::vector<int> result;
    for (std::size_t i = 0; i < run_.ranks.size(); ++i)
      if (doubtful(run_.ranks[i])) result.push_back(static_cast<int>(i));
    return result;
  }
  std::int64_t sum(std::int64_t Doubts::*count) const {
    std::int64_t all = 0;
    for (const RankSummary& rank : run_.ranks) all += rank.doubts.*count;
    return all;
  }
  // Adds a warning with the sentence `text(who)` about the ranks for which `doubtful` is true, if any.
  void add(const char* key, const std::function<bool(const RankSummary&)>& doubtful,
           const std::function<std::string(const std::string& who)>& text) {
    std::vector<int> who = ranks(doubtful);
    if (who.empty()) return;
    std::string named = name(who, run_.ranks.size());
    found_.push_back({key, text(named), std::move(who)});
  }
  void add_for_all(const char* key, std::string text) { found_.push_back({key, std::move(text), {}}); }
  std::vector<Warning> found() && { return std::move(found_); }

 private:
  const record::RunSummary& run_;
  std::vector<Warning> found_;
};

void polls(Finder& finder, const record::RunSummary& run) {
  double most = 0;
  for (const RankSummary& rank : run.ranks)
    if (rank.finish > Instant::start())
      most = std::max(most, rank.time.poll.seconds() / (rank.finish - Instant::start()).seconds());
  finder.add(
      "polls", [](const RankSummary& r) { return r.time.poll * 2 > r.finish - Instant::start(); },
      [&](const std::string& who) {
        return fmt::format(
            "{} spent up to {} of the time asking in vain, or for the time, so the prediction depends on "
            "network.poll.fixed: measure the cost of such a call on the target, or let the program wait "
            "(MPI_Wait, "
            "MPI_Probe, MPI_Recv)",
            who, rounded_percent(most));
      });
}

// Warnings about measured work.
void measuring(Finder& finder, const record::RunSummary& run, const HostLoad& host, const ColdCores& cold) {
  const std::int64_t switches = finder.sum(&Doubts::switches), cpu = finder.sum(&Doubts::cpu);
  // One in 20 ms: the caches belonged to another process for longer than the switch itself takes.
  const auto often = [](std::int64_t times, std::int64_t nanoseconds) {
    return times >= 10 && times * 20'000'000 > nanoseconds;
  };
  if (often(switches, cpu))
    finder.add(
        "oversubscribed", [&](const RankSummary& r) { return often(r.doubts.switches, r.doubts.cpu); },
        [&](const std::string& who) {
          return fmt::format(
              "{} shared cores with other processes ({} times one took over), so measured work may be too "
              "long: let "
              "nothing else run, use a host with more cores, or declare the work with emu_compute",
              who, switches);
        });
  const bool long_enough = cpu > 100'000'000;  // the host reports in ticks
  if (host.stolen > 0.02 && long_enough)
    finder.add_for_all(
        "stolen",
        fmt::format("another guest of the same machine had {} of this one's processors, so measured "
                    "work may be too long: run again when it is quiet, and compare",
                    rounded_percent(host.stolen)));
  if (host.throttled > 0.01 * static_cast<double>(cpu) / 1e9 && host.throttled > 0.01)
    finder.add_for_all(
        "throttled",
        fmt::format("a limit on CPU time stopped the ranks for {}, so measured work may be too long: "
                    "run with a higher limit (cpu.max of the control group)",
                    format(Interval::seconds(host.throttled))));
  const bool waits = std::any_of(run.ranks.begin(), run.ranks.end(),
                                 [](const RankSummary& r) { return r.time.wait > Interval(); });
  if (cold.factor >= noticeably_cold && waits && long_enough)
    finder.add_for_all(
        "cold-cores",
        fmt::format(
            "a core of this host that has been idle does the next work {} more slowly, as measured at "
            "start{}{}, so work that follows a wait may be measured too long: let all ranks share one "
            "core (--cores 1), which is never idle then, or declare the work with emu_compute",
            rounded_percent(cold.factor - 1),
            cold.reason.empty() ? ", although idle cores are kept awake"
                                : ", and idle cores are not kept awake: ",
            cold.reason));
}

void threads(Finder& finder) {
  // A library's own threads may do little work.
  const auto others = [](const RankSummary& r) {
    return r.doubts.other_cpu > 10'000'000 && r.doubts.other_cpu * 100 > r.doubts.cpu;
  };
  finder.add("threads", others, [&](const std::string& who) {
    return fmt::format(
        "other threads of {} worked for {} while MPI calls were under way, which does not count: let them "
        "rest "
        "during calls (OMP_WAIT_POLICY=passive), use one thread per rank (OMP_NUM_THREADS=1), or declare the "
        "work with emu_compute",
        who, seconds(finder.sum(&Doubts::other_cpu)));
  });
}

void order_of_threads(Finder& finder) {
  finder.add(
      "thread-order", [](const RankSummary& r) { return r.doubts.callers > 1; },
      [](const std::string& who) {
        return fmt::format(
            "several threads of {} called MPI (MPI_THREAD_MULTIPLE): the host decides their order, so "
            "predictions may differ between runs: repeat the run and compare, or let one thread call MPI",
            who);
      });
  finder.add(
      "thread-ran-on", [](const RankSummary& r) { return r.doubts.ran_on > 0; },
      [](const std::string& who) {
        return fmt::format(
            "a thread of {} used a second of CPU time or more without calling MPI, while others waited for "
            "it and nothing was declared: libemu assumed that it spins, and that it computes as long; if it "
            "worked, declare the work with emu_compute",
            who);
      });
}

void of_the_host(Finder& finder) {
  finder.add(
      "sleeps", [](const RankSummary& r) { return r.doubts.sleeps > 0; },
      [&](const std::string& who) {
        return fmt::format(
            "{} slept {} times, for {}, by this host's clock (--host-clocks), and virtual time did not "
            "advance: "
            "without "
            "that option it advances as long",
            who, finder.sum(&Doubts::sleeps), seconds(finder.sum(&Doubts::slept)));
      });
  finder.add(
      "host-clock", [](const RankSummary& r) { return r.doubts.host_clocks > 0; },
      [](const std::string& who) {
        return who +
               " read clocks of this host (CPU time, or any with --host-clocks); results that depend on them "
               "are those of this host: use MPI_Wtime";
      });
  finder.add(
      "random-seed", [](const RankSummary& r) { return r.doubts.random > 0 || r.doubts.dated_seeds > 0; },
      [](const std::string& who) {
        return who +
               " took random numbers, or their seed, from this host or the date, so runs differ: give the "
               "program a fixed seed, or make several runs";
      });
}

void algorithms(Finder& finder) {
  finder.add(
      "algorithms", [](const RankSummary& r) { return r.doubts.other_algorithms > 0; },
      [&](const std::string& who) {
        return fmt::format(
            "{} reduced {} times by an operation that does not commute, so MPICH's algorithm was used "
            "instead of the algorithm in [collectives]: if the order of the operands does not matter, create "
            "the operation as commutative (MPI_Op_create)",
            who, finder.sum(&Doubts::other_algorithms));
      });
}

void shared_memory(Finder& finder) {
  finder.add(
      "shared-memory", [](const RankSummary& r) { return r.doubts.shared_windows > 0; },
      [](const std::string& who) {
        return who +
               " shared memory with other ranks (MPI_Win_allocate_shared), and where compute is measured "
               "loads and stores there have no order in virtual time: let a message, a barrier, or a lock of "
               "the window follow stores for other ranks, or declare compute";
      });
  finder.add(
      "spinning", [](const RankSummary& r) { return r.doubts.spun > 0; },
      [&](const std::string& who) {
        return fmt::format(
            "{} shared memory with other ranks and computed for a second without a call of MPI or a "
            "declaration "
            "({} times that or, after the first time, 50 ms), while others waited: assumed to wait for a "
            "store by another rank, so the next call came no sooner than the store; let such a loop call "
            "MPI_Win_sync, or declare the work",
            who, finder.sum(&Doubts::spun));
      });
}

void children(Finder& finder, bool measured) {
  const std::int64_t all = finder.sum(&Doubts::children), lost = finder.sum(&Doubts::lost_children);
  finder.add(
      "children", [](const RankSummary& r) { return r.doubts.children > 0; },
      [&](const std::string& who) {
        const std::string started =
            fmt::format("{} started {} process{} (fork, popen, system)", who, all, all == 1 ? "" : "es");
        if (!measured)
          return started +
                 ", whose work does not count on a target that counts declared work only: declare it with "
                 "emu_compute where the program waits for them";
        if (lost > 0)
          return fmt::format(
              "{}, and the CPU time of {} of them does not count: let the thread that calls MPI wait for "
              "them before "
              "MPI_Finalize, or declare their work with emu_compute",
              started, lost);
        return fmt::format(
            "{}: their CPU time, {}, counts where the program waited for them, but their waiting does not "
            "count: if it was long, declare it with emu_compute",
            started, seconds(finder.sum(&Doubts::child_cpu)));
      });
}

void ends(Finder& finder) {
  finder.add(
      "unfinalized", [](const RankSummary& r) { return r.doubts.unfinalized > 0; },
      [](const std::string& who) {
        return who +
               " exited without MPI_Finalize, and the prediction is up to there: natively other ranks may be "
               "killed "
               "meanwhile, so let the program call it";
      });
}

void storage(Finder& finder) {
  finder.add(
      "storage", [](const RankSummary& r) { return r.doubts.files > 0; },
      [](const std::string& who) {
        return who +
               " used files, and the target has no [storage], so a plain disk was assumed (1 "
               "ms, "
               "100 MB/s): describe it in [storage]";
      });
}

void links(Finder& finder, const std::vector<std::string>& uncalibrated) {
  if (uncalibrated.empty()) return;
  finder.add_for_all(
      "links", fmt::format("never calibrated, unlike the rest of the target: {}; run emu calibrate "
                           "between such nodes (behind --: -hosts A,B), and write the result into [[link]]",
                           fmt::join(uncalibrated, ", ")));
}

// Values without an interval, in a target with intervals, on which the predicted time depends.
void values(Finder& finder, const record::RunSummary& run,
            const std::map<std::string, double>& uncalibrated) {
  const double predicted = (run.predicted() - Instant::start()).seconds();
  std::vector<std::string> found;
  for (const Derivative& derivative : derivatives(run)) {
    const auto value = uncalibrated.find(derivative.key);
    if (value == uncalibrated.end() || derivative.value * value->second < 0.01 * predicted) continue;
    if (predicted <= 0) continue;
    found.push_back(fmt::format("{} ({} of the predicted time)", derivative.key,
                                rounded_percent(derivative.value * value->second / predicted)));
  }
  if (found.empty()) return;
  finder.add_for_all(
      "values",
      fmt::format(
          "without an interval, unlike other values of the target, so the prediction's interval is too "
          "narrow: {}; take what emu calibrate writes, or write an interval (\"+- 2%\") behind the value",
          fmt::join(found, ", ")));
}

}  // namespace

std::vector<Warning> warnings(const record::RunSummary& run, const Circumstances& circumstances) {
  Finder finder(run);
  polls(finder, run);
  const int last = run.last();
  const bool computes = last >= 0 && run.ranks[static_cast<std::size_t>(last)].path.compute.seconds() * 100 >
                                         (run.predicted() - Instant::start()).seconds();
  if (circumstances.measured && computes) measuring(finder, run, circumstances.host, circumstances.cold);
  if (circumstances.measured) threads(finder);
  order_of_threads(finder);
  of_the_host(finder);
  children(finder, circumstances.measured);
  ends(finder);
  storage(finder);
  algorithms(finder);
  shared_memory(finder);
  links(finder, circumstances.uncalibrated);
  values(finder, run, circumstances.uncalibrated_values);
  return std::move(finder).found();
}

}  // namespace emu::app
