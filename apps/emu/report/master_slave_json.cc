#include "report/master_slave_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/units.h"
#include "common/table.h"
#include "report/picoseconds_json.h"

namespace emu::app {
namespace {

using Json = nlohmann::ordered_json;
using analysis::Task;

// The steps from the request of a task to the task, which add up exactly to the difference of the instants.
Json waiting_json(const analysis::TaskTable& table) {
  analysis::ProcessorTime there, queue, service, back, late, total;
  for (const Task& task : table.tasks) {
    if (!task.answered) continue;
    there += task.arrived - task.asked;
    queue += task.queued();
    service += task.service();
    back += task.ready - task.dealt;
    late += task.begun - task.ready;
    total += task.begun - task.asked;
  }
  return {{"request_travels", picoseconds_json(there)}, {"queue", picoseconds_json(queue)},
          {"service", picoseconds_json(service)},       {"task_travels", picoseconds_json(back)},
          {"task_lies", picoseconds_json(late)},        {"total", picoseconds_json(total)}};
}

Json master_json(const analysis::Master& master) {
  const auto break_even = master.break_even_work();
  Json json = {{"rank", master.rank},
               {"tasks", master.tasks},
               {"answered", master.answered},
               {"slaves", master.slaves},
               {"slaves_at_a_time", master.slaves_at_a_time()},
               {"length", master.length.picoseconds()},
               {"busy", master.busy().picoseconds()},
               {"waiting", master.waiting.picoseconds()},
               {"service", master.service.picoseconds()},
               {"longest_service", master.longest_service.picoseconds()},
               {"queued", picoseconds_json(master.queued)},
               {"longest_queued", master.longest_queued.picoseconds()},
               {"round_trip", picoseconds_json(master.round_trip)},
               {"work", picoseconds_json(master.work)},
               {"saturating_work", master.saturating_work().picoseconds()},
               {"break_even_work", break_even ? Json(break_even->picoseconds()) : Json()},
               {"reigns", Json::array()}};
  for (const analysis::Reign& reign : master.reigns)
    json["reigns"].push_back(
        {{"from", reign.from.picoseconds()}, {"until", reign.until.picoseconds()}, {"tasks", reign.tasks}});
  return json;
}

Json slave_json(const analysis::Slave& slave) {
  return {{"rank", slave.rank},
          {"tasks", slave.tasks},
          {"work", slave.work.picoseconds()},
          {"longest_work", slave.longest_work.picoseconds()},
          {"idle", slave.idle.picoseconds()},
          {"longest_idle", slave.longest_idle.picoseconds()},
          {"masters", slave.masters}};
}

std::string mean(analysis::ProcessorTime sum, std::int64_t n) {
  return n == 0 ? "-" : format(sum.each(n), 4);
}

}  // namespace

Json master_slave_json(const analysis::TaskTable& table) {
  if (table.tasks.empty()) return nullptr;
  analysis::ProcessorTime work, idle;
  std::int64_t answered = 0;
  for (const Task& task : table.tasks) {
    work += task.work;
    idle += task.idle;
    answered += task.answered;
  }
  Json json = {{"tasks", table.tasks.size()},    {"answered", answered},
               {"work", picoseconds_json(work)}, {"idle", picoseconds_json(idle)},
               {"waiting", waiting_json(table)}, {"masters", Json::array()},
               {"slaves", Json::array()}};
  for (const analysis::Master& master : table.masters) json["masters"].push_back(master_json(master));
  for (const analysis::Slave& slave : table.slaves) json["slaves"].push_back(slave_json(slave));
  return json;
}

namespace {

Table::Row master_row(const analysis::Master& m) {
  const auto break_even = m.break_even_work();
  const double busy = m.length > Interval() ? 100 * m.busy().seconds() / m.length.seconds() : 0;
  return {std::to_string(m.rank),         std::to_string(m.tasks),
          std::to_string(m.slaves),       fmt::format("{:.1f} %", busy),
          mean(m.service, m.tasks),       mean(m.queued, m.answered),
          format(m.saturating_work(), 4), break_even ? format(*break_even, 4) : "-"};
}

Table::Row slave_row(const analysis::Slave& s) {
  std::string masters;
  for (int master : s.masters) masters += (masters.empty() ? "" : " ") + std::to_string(master);
  return {std::to_string(s.rank),
          std::to_string(s.tasks),
          format(s.work, 4),
          mean(s.work, s.tasks),
          format(s.idle, 4),
          mean(s.idle, s.tasks),
          masters};
}

}  // namespace

std::string master_slave_table(const analysis::TaskTable& table) {
  if (table.tasks.empty()) return "";
  constexpr std::size_t shown = 16;
  using enum Table::Align;
  Table masters({{"master", left, 8, 0},
                 {"tasks", right, 9},
                 {"slaves", right, 7},
                 {"busy", right, 9},
                 {"service", right, 12},
                 {"queued", right, 12},
                 {"saturating", right, 12},
                 {"break-even", right, 12}});
  for (std::size_t i = 0; i < std::min(shown, table.masters.size()); ++i)
    masters.add(master_row(table.masters[i]));
  Table slaves({{"slave", left, 8, 0},
                {"tasks", right, 9},
                {"work", right, 17},
                {"of a task", right, 12},
                {"idle", right, 12},
                {"before each", right, 12},
                {"masters", left, 0, 2}});
  for (std::size_t i = 0; i < std::min(shown, table.slaves.size()); ++i)
    slaves.add(slave_row(table.slaves[i]));
  std::string text = "\n" + masters.text() + slaves.text();
  if (std::max(table.slaves.size(), table.masters.size()) > shown)
    text += "... and more; the page and the JSON have them all\n";
  return text +
         "service: from taking a request until the task has left; queued: what a request waits for that; "
         "saturating:\n"
         "tasks of less work keep the slaves waiting; break-even: tasks of less work the master would do "
         "sooner "
         "itself\n";
}

std::string task_lines(const analysis::TaskTable& table) {
  std::string text =
      "slave,master,asked,arrived,taken,dealt,ready,begun,received,done,returned,work,idle,bytes,result_"
      "bytes\n";
  for (const Task& t : table.tasks) {
    const auto asked =
        t.answered ? fmt::format("{},{}", t.asked.picoseconds(), t.arrived.picoseconds()) : ",";
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", t.slave, t.master, asked,
                        t.taken.picoseconds(), t.dealt.picoseconds(), t.ready.picoseconds(),
                        t.begun.picoseconds(), t.received.picoseconds(), t.done.picoseconds(),
                        t.returned.picoseconds(), t.work.picoseconds(), t.idle.picoseconds(), t.bytes,
                        t.result_bytes);
  }
  return text;
}

}  // namespace emu::app
