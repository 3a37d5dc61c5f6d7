// emu study: runs a program with many numbers of ranks, finds the best, and says why more do not help.
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "base/units.h"
#include "common/installation.h"
#include "common/log.h"
#include "common/output.h"
#include "common/trace_folder.h"
#include "launch/loaded.h"
#include "launch/prepared_run.h"
#include "launch/rank_numbers.h"
#include "launch/run_once.h"
#include "report/curve.h"
#include "report/trace_report.h"
#include "study/corner.h"
#include "study/options.h"
#include "study/page.h"
#include "study/report.h"
#include "study/schedule.h"
#include "study/store.h"
#include "target/target.h"
#include "verbs.h"

namespace emu::app {
namespace {

using namespace studies;  // NOLINT: this is its main file

// Everything that is run, known to be in order.
struct Job {
  Options options;
  PreparedRun plan;                      // for the most ranks
  std::vector<target::Sources> targets;  // one for each variation
  Study study;
  std::vector<Store> stores;  // of the curves that were begun
};

// The targets of all variations, and the curves that are to be filled.
Result<void> add_targets(Job& job) {
  const std::string origin = job.plan.target;
  target::Sources sources;
  if (const auto read = target::load(origin, &sources); !read) return tl::unexpected(read.error());
  for (const Variation& variation : job.options.variations) {
    const auto text = apply(variation, sources.text, origin);
    if (!text) return tl::unexpected(text.error());
    const target::Sources changed{*text, sources.files};
    const std::string label = variation.label();
    const std::string name = label.empty() ? origin : origin + " with " + label;
    const auto target = target::parse(changed, name);
    if (!target) return label.empty() ? tl::unexpected(target.error()) : without_lines(target.error(), name);
    if (const auto fitting = target::fits(*target, job.study.ranks.back(), name); !fitting)
      return label.empty() ? tl::unexpected(fitting.error()) : without_lines(fitting.error(), name);
    job.targets.push_back(changed);
    job.study.curves.push_back({variation, *target, {}});
    // It does not count then.
    if (target->compute == target::Compute::declared)
      job.study.curves.back().target.uncertainties.erase("host_speed");
  }
  return {};
}

Result<Job> prepare(Options options) {
  Job job;
  RunOptions first = options.run;
  if (!options.ranks.empty()) first.ranks = options.ranks.back();
  first.arguments = with_ranks(first.arguments, first.ranks.value_or(1));
  auto plan = prepare_run(first);
  if (!plan) return tl::unexpected(plan.error());
  job.plan = std::move(*plan);
  if (options.ranks.empty()) {
    auto ranks =
        parse_ranks(fmt::format("{}..{}", std::min(2, job.plan.ranks), job.plan.ranks), options.step);
    if (!ranks) return tl::unexpected(ranks.error());
    options.ranks = std::move(*ranks);
  }
  job.study.program = options.run.program;
  job.study.arguments = options.run.arguments;
  job.study.ranks = options.ranks;
  job.study.search = options.search;
  job.options = std::move(options);
  if (const auto added = add_targets(job); !added) return tl::unexpected(added.error());
  for (const auto& [option, file] :
       {std::pair("--json", job.options.json), std::pair("--html", job.options.html),
        std::pair("--picture", job.options.picture), std::pair("--report", job.options.report)})
    if (const auto writable = can_write(file, option); !writable) return tl::unexpected(writable.error());
  return job;
}

Identity identity(const Job& job, const target::Sources& target) {
  Identity identity;
  identity.program = job.plan.program;
  identity.arguments = job.options.run.arguments;
  identity.target = target.text;
  for (const auto& [name, text] : target.files) identity.target += "\nfile " + name + "\n" + text;
  identity.options = job.options.run.mpirun;
  identity.options.push_back(job.plan.preload);
  if (job.options.run.host_clocks) identity.options.push_back("--host-clocks");
  identity.add_surroundings();
  // Scripts and static programs have none that could be told.
  if (const auto loaded = loaded_by(job.plan.program)) identity.libraries = loaded->paths;
  if (const auto shim = shim_path(); shim && !job.plan.preload.empty())
    identity.libraries.push_back(shim->string());
  return identity;
}

// `position`: "[ 3/12] "; `left`: ", about 20 s left".
void say(const Curve& curve, const Point& point, const std::string& position, const std::string& left) {
  const std::string label = curve.variation.label();
  const std::string here = point.host_seconds > 0
                               ? format(Interval::seconds(point.host_seconds), 2) + " here"
                               : "known already, " + format(Interval::seconds(point.kept_for), 2) + " old";
  const std::string what = point.good()
                               ? format(Interval::seconds(point.seconds()), 5) + " predicted; " + here + left
                               : point.failure;
  std::fprintf(stderr, "emu: %s%s%s: %s\n", position.c_str(), label.empty() ? "" : (label + ", ").c_str(),
               counted(point.ranks, "rank").c_str(), what.c_str());
}

// Runs one number of ranks as often as asked. The result is the signal that stopped it, or 0.
int run_point(const Job& job, const PreparedRun& base, Store& store, const TemporaryFolder& folder,
              int repeats, const std::string& before, Point& point) {
  PreparedRun plan = base;
  plan.ranks = point.ranks;
  plan.options.arguments = with_ranks(job.options.run.arguments, point.ranks);
  for (int i = 0; i < repeats; ++i) {
    if (auto kept = store.find(point.ranks, i)) {
      point.kept_for = std::max(point.kept_for, kept->age);
      point.runs.push_back(std::move(kept->run));
      continue;
    }
    store.before_run();
    RunOutcome outcome = run_once(plan, folder, before);
    store.after_run();
    if (outcome.interrupted) return outcome.interrupted;
    point.host_seconds += outcome.host_seconds;
    if (!outcome.run) {
      point.failure = outcome.failure;
      return 0;
    }
    store.keep(point.ranks, i, outcome.record);
    point.runs.push_back(std::move(*outcome.run));
  }
  return 0;
}

// A target that is in no file, for the ranks to read. The files that it names lie beside it by their names
// there, so deep that names may begin with some "..".
std::string write_target(const target::Sources& sources, const TemporaryFolder& folder) {
  namespace fs = std::filesystem;
  const fs::path place = folder.file("target/1/2/3/4/5/6/7/8");
  const auto write = [](const fs::path& path, const std::string& text) {
    std::error_code ignored;
    fs::create_directories(path.parent_path(), ignored);
    std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
  };
  for (const auto& [name, text] : sources.files)
    if (fs::path(name).is_relative()) write((place / name).lexically_normal(), text);
  write(place / "target.toml", sources.text);
  return place / "target.toml";
}

int repeats(const Options& options, const target::Target& target) {
  if (options.repeat) return options.repeat;
  return target.compute == target::Compute::measured ? 3 : 1;
}

void insert(std::vector<Point>& points, Point point) {
  const auto place = std::lower_bound(points.begin(), points.end(), point.ranks,
                                      [](const Point& p, int ranks) { return p.ranks < ranks; });
  points.insert(place, std::move(point));
}

// Fills one curve. The result is the signal that stopped it, or 0.
int run_curve(Job& job, std::size_t index, const TemporaryFolder& folder, Schedule& schedule) {
  Curve& curve = job.study.curves[index];
  PreparedRun plan = job.plan;
  if (!curve.variation.values.empty()) {
    plan.target = write_target(job.targets[index], folder);
  }
  Store& store = job.stores.emplace_back(identity(job, job.targets[index]), job.options.reuse);
  if (store.left() > 0)
    std::fprintf(stderr, "emu: goes on with what a study that was stopped left: %s\n",
                 counted(store.left(), "run").c_str());
  while (const auto next = schedule.next(curve)) {
    Point point;
    point.ranks = *next;
    const std::string before = schedule.bar() + counted(point.ranks, "rank") + ", ";
    const int count = repeats(job.options, curve.target);
    if (const int signal = run_point(job, plan, store, folder, count, before, point)) return signal;
    schedule.done(point.host_seconds);
    say(curve, point, schedule.position(), schedule.time_left());
    insert(curve.points, std::move(point));
  }
  return 0;
}

// Parts of a curve again, with values of the target at ends of their intervals.
class CornerRuns {
 public:
  CornerRuns(Job& job, std::size_t index, Corner& corner, const TemporaryFolder& folder)
      : job_(job), curve_(job.study.curves[index]), corner_(corner), folder_(folder), plan_(job.plan) {}

  // Makes the target. Failure if its values are no good there.
  Result<void> prepare(target::Sources sources) {
    const auto text = moved(corner_.ends, sources.text, job_.plan.target);
    if (!text) return tl::unexpected(text.error());
    sources.text = *text;
    const auto target = target::parse(sources, job_.plan.target);
    if (!target) return without_lines(target.error(), job_.plan.target);
    plan_.target = write_target(sources, folder_);
    store_ = &job_.stores.emplace_back(identity(job_, sources), job_.options.reuse);
    return {};
  }

  // The result is the signal that stopped it, or 0.
  int run(int ranks) {
    Point point;
    point.ranks = ranks;
    const std::string position = corner_.more ? "[more ranks?] " : "[fewer ranks?] ";
    const std::string before = position + counted(ranks, "rank") + ", ";
    const int count = repeats(job_.options, curve_.target);
    if (const int signal = run_point(job_, plan_, *store_, folder_, count, before, point)) return signal;
    say(curve_, point, position, "");
    insert(corner_.points, std::move(point));
    return 0;
  }

 private:
  Job& job_;
  const Curve& curve_;
  Corner& corner_;
  const TemporaryFolder& folder_;
  PreparedRun plan_;
  Store* store_ = nullptr;
};

// First the optimum and the number of ranks that comes nearest: if values do the opposite there, it begins again at their
// other ends, once. Then the ends that mean most to a master. The result is the signal that stopped it, or 0.
int run_corner(Job& job, std::size_t index, bool more, const TemporaryFolder& folder) {
  Curve& curve = job.study.curves[index];
  const auto towards = direction(curve, more);
  if (!towards) return 0;
  const int best = optimum(curve)->point->ranks;
  Corner corner{more, towards->ends, {}};
  for (bool again = false;; again = true) {
    CornerRuns runs(job, index, corner, folder);
    if (const auto prepared = runs.prepare(job.targets[index]); !prepared) {
      spdlog::warn("where the optimum can lie is not checked: at the ends of the intervals of its values {}",
                   prepared.error().message);
      return 0;
    }
    for (const int ranks : {best, towards->ranks})
      if (const int signal = runs.run(ranks)) return signal;
    const Point &first = corner.points.front(), &second = corner.points.back();
    if (!again && first.good() && second.good()) {
      const Ends ends =
          turned(corner.ends, more ? second : first, more ? first : second, curve.target.uncertainties);
      if (ends != corner.ends) {
        corner = {more, ends, {}};
        continue;
      }
    }
    while (const auto next = next_of_corner(curve, corner, job.study.ranks, job.study.search))
      if (const int signal = runs.run(*next)) return signal;
    break;
  }
  curve.corners.push_back(std::move(corner));
  Corner master{more, of_a_master(curve.target.uncertainties, more), {}};
  if (master.ends == curve.corners.back().ends) return 0;
  CornerRuns runs(job, index, master, folder);
  if (!runs.prepare(job.targets[index])) return 0;  // as warned of above
  while (const auto next = next_of_corner(curve, master, job.study.ranks, job.study.search))
    if (const int signal = runs.run(*next)) return signal;
  curve.corners.push_back(std::move(master));
  return 0;
}

// Whether the optimum lies elsewhere with other values of the target. The result is the signal that stopped it, or 0.
int run_corners(Job& job, std::size_t index, const TemporaryFolder& folder) {
  if (job.options.first_order || job.study.curves[index].target.uncertainties.empty()) return 0;
  for (const bool more : {false, true})
    if (const int signal = run_corner(job, index, more, folder)) return signal;
  return 0;
}

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
  if (!best) return fail("--report: there is no page, since no run was good");
  PreparedRun plan = job.plan;
  plan.ranks = optimum(job.study.curves[*best])->point->ranks;
  plan.options.arguments = with_ranks(job.options.run.arguments, plan.ranks);
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

// Columns of the terminal, or as many as a file may have.
int columns() {
  winsize size{};
  if (!::isatty(STDOUT_FILENO) || ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return 100;
  return std::clamp<int>(size.ws_col, 60, 120);
}

int publish(const Job& job) {
  const Study& study = job.study;
  const nlohmann::ordered_json json = to_json(study);
  if (job.options.json != "-")
    std::cout << '\n'
              << table(study) << '\n'
              << curve_as_text(json, columns()) << '\n'
              << verdict_text(study) << std::flush;
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

int execute(Job& job) {
  const auto folder = TemporaryFolder::create();
  if (!folder) {
    print_error(folder.error().message);
    return 2;
  }
  Schedule schedule(job.study.ranks, job.study.search, static_cast<int>(job.study.curves.size()));
  for (std::size_t i = 0; i < job.study.curves.size(); ++i) {
    int signal = run_curve(job, i, *folder, schedule);
    if (signal == 0) signal = run_corners(job, i, *folder);
    if (signal != 0) {
      std::fprintf(stderr, "emu: stopped; the same command goes on from here\n");
      return 128 + signal;
    }
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
