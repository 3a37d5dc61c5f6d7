#include "report/trace_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"
#include "common/html.h"
#include "common/in_words.h"
#include "common/output.h"
#include "common/progress.h"
#include "common/resources.h"
#include "common/table.h"
#include "report/heat_map.h"
#include "report/master_slave_json.h"
#include "report/profile_json.h"
#include "report/run_table.h"
#include "report/task_map.h"

namespace emu::app {

extern const char page_template[];  // page/page.html

namespace {

constexpr std::size_t longest_name = 30;  // limit in the table

constexpr auto replace_bytes = nlohmann::ordered_json::error_handler_t::replace;

// A page remains below 5 MB: the length of rows is limited by the number of ranks.
std::size_t bins_for(std::size_t ranks) {
  return std::clamp<std::size_t>(200'000 / std::max<std::size_t>(1, ranks), 200, 10'000);
}

void add_rows(const analysis::IntervalProfile& interval, int depth, Table& table) {
  const auto sum = interval.sum();
  const std::string name = std::string(static_cast<std::size_t>(2 * depth), ' ') + interval.name;
  const double total = std::max(interval.total().seconds(), 1e-12);
  table.add({name.substr(0, longest_name), std::to_string(interval.instances), format(interval.longest(), 4),
             percent(interval.efficiency()), percent(sum.insufficient_parallelism.seconds() / total),
             percent(sum.communication().seconds() / total), percent(interval.idle().seconds() / total)});
  for (const analysis::IntervalProfile& inside : interval.inside) add_rows(inside, depth + 1, table);
}

// The ranks whose memory caused the times of one-sided operations, in descending order.
std::string memory_table(const nlohmann::ordered_json& profile) {
  if (!profile.contains("memory")) return "";
  constexpr std::size_t shown = 8;
  auto rows = profile["memory"].get<std::vector<nlohmann::ordered_json>>();
  const auto time = [](const nlohmann::ordered_json& row) {
    return row["overhead"].get<std::int64_t>() + row["waited"].get<std::int64_t>();
  };
  std::stable_sort(rows.begin(), rows.end(), [&](const auto& a, const auto& b) { return time(a) > time(b); });
  double all = 1e-12;
  for (const auto& rank : profile["per_rank"]) all += rank["finish"].get<double>();
  using enum Table::Align;
  Table table({{"memory of", left, 10, 0},
               {"operations", right, 11},
               {"overhead", right, 12},
               {"waited", right, 12},
               {"of all time", right, 12}});
  for (std::size_t i = 0; i < std::min(shown, rows.size()); ++i) {
    const auto interval = [&](const char* key) {
      return format(Interval::picoseconds(rows[i][key].get<std::int64_t>()), 4);
    };
    table.add({"rank " + std::to_string(rows[i]["rank"].get<int>()),
               std::to_string(rows[i]["operations"].get<std::int64_t>()), interval("overhead"),
               interval("waited"), percent(static_cast<double>(time(rows[i])) / all)});
  }
  return "\n" + table.text() + (rows.size() > shown ? "... and more; the JSON has them all\n" : "") +
         "overhead of, and waiting for the results of, what ranks do to that memory by one-sided "
         "operations\n";
}

// Use of all resources, times in picoseconds; only for the busiest ones over time.
nlohmann::ordered_json resources_json(const record::RunSummary& run) {
  constexpr std::size_t drawn = 24;
  auto json = nlohmann::ordered_json::array();
  for (const record::ResourceUse* use : busiest(run, run.resources.size())) {
    nlohmann::ordered_json row = {{"name", use->name},
                                  {"bytes", use->bytes},
                                  {"messages", use->messages},
                                  {"busy", use->busy.picoseconds()}};
    if (use->longest > 0) row["most_messages_at_once"] = use->longest;
    if (use->most_by >= 0) row["most_bytes_from_rank"] = use->most_by;
    if (json.size() < drawn) {
      row["stretch"] = use->stretch.picoseconds();
      for (const Interval busy : use->load) row["load"].push_back(busy.picoseconds());
    }
    json.push_back(std::move(row));
  }
  return json;
}

}  // namespace

Result<TraceReport> TraceReport::read(const std::string& trace) {
  auto folder = analysis::Folder::open(trace);
  if (!folder) return tl::unexpected(folder.error());
  constexpr std::uint64_t passes = 4;
  Bar bar("reading the trace", folder->bytes() * passes);
  folder->watch([&](std::uint64_t bytes) { bar.advance(bytes); });
  const auto history = analysis::read_history(*folder);
  if (!history) return tl::unexpected(history.error());
  auto intervals = analysis::read_profile(*folder, *history);
  if (!intervals) return tl::unexpected(intervals.error());
  const auto timeline = analysis::read_timeline(*folder, *history, bins_for(history->ranks.size()));
  if (!timeline) return tl::unexpected(timeline.error());
  auto tasks = analysis::read_tasks(*folder, *history);
  if (!tasks) return tl::unexpected(tasks.error());
  auto summary = folder->summary();
  if (!summary) return tl::unexpected(summary.error());
  const auto path = analysis::critical_path(*history, history->last());
  TraceReport report;
  report.profile_ = profile_json(*folder, *history, *intervals, path);
  report.summary_ = std::move(*summary);
  if (report.summary_) report.profile_["resources"] = resources_json(*report.summary_);
  report.timeline_ = timeline_json(*timeline, path);
  report.profile_["master_slave"] = master_slave_json(*tasks);
  report.task_map_ = task_map_json(*tasks, history->end(), history->ranks.size());
  report.intervals_ = std::move(*intervals);
  report.tasks_ = std::move(*tasks);
  return report;
}

std::vector<std::string> TraceReport::notes() const {
  return profile_["notes"].get<std::vector<std::string>>();
}

std::string TraceReport::table() const {
  using enum Table::Align;
  Table table({{"interval", left, longest_name, 0},
               {"instances", right, 9},
               {"longest", right, 12},
               {"productive", right, 11},
               {"unshared", right, 11},
               {"communic.", right, 11},
               {"idle", right, 11}});
  add_rows(intervals_, 0, table);
  return table.text() + "unshared: waiting while one rank alone computes; shares are of ranks x longest\n" +
         memory_table(profile_) + (summary_ ? resource_table(*summary_) : "") + master_slave_table(tasks_);
}

Result<void> TraceReport::write_json(const std::string& path) const {
  return write_text(profile_.dump(2, ' ', false, replace_bytes) + "\n", path);
}

Result<void> TraceReport::write_tasks(const std::string& path) const {
  return write_text(task_lines(tasks_), path);
}

Result<void> TraceReport::write_page(const std::string& path) const {
  std::string page = page_template;
  nlohmann::ordered_json data = profile_;
  data["timeline"] = timeline_;
  data["task_map"] = task_map_;
  data["study"] = study_;
  if (!study_.is_null()) {
    data["curve"] = pictures_as_svg(study_, profile_["ranks"]);
    data["runs"] = run_table_as_html(study_);
  }
  for (const record::Cause& cause : record::causes)
    data["causes"][cause.name] = {{"words", cause.words}, {"color", cause.color}};
  const std::string mark = "@DATA@";
  page.replace(page.find(mark), mark.size(), html_json(data.dump(-1, ' ', false, replace_bytes)));
  return write_text(page, path);
}

}  // namespace emu::app
