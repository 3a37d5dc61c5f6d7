#include "report/master_slave_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "base/units.h"

namespace emu::app {
namespace {

using Json = nlohmann::ordered_json;
using analysis::Task;

// Between what asked for a task and the task, step by step: it adds up to the instants' distance exactly.
Json waiting_json(const analysis::TaskTable& table) {
  Interval there, queue, service, back, late, total;
  for (const Task& task : table.tasks) {
    if (!task.answered) continue;
    there += task.arrived - task.asked;
    queue += task.queued();
    service += task.service();
    back += task.ready - task.dealt;
    late += task.begun - task.ready;
    total += task.begun - task.asked;
  }
  return {{"request_travels", there.picoseconds()}, {"queue", queue.picoseconds()},
          {"service", service.picoseconds()},       {"task_travels", back.picoseconds()},
          {"task_lies", late.picoseconds()},        {"total", total.picoseconds()}};
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
               {"queued", master.queued.picoseconds()},
               {"longest_queued", master.longest_queued.picoseconds()},
               {"round_trip", master.round_trip.picoseconds()},
               {"work", master.work.picoseconds()},
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

std::string mean(Interval sum, std::int64_t n) {
  return n == 0 ? "-" : format(Interval::picoseconds(sum.picoseconds() / n), 4);
}

}  // namespace

Json master_slave_json(const analysis::TaskTable& table) {
  if (table.tasks.empty()) return nullptr;
  Interval work, idle;
  std::int64_t answered = 0;
  for (const Task& task : table.tasks) {
    work += task.work;
    idle += task.idle;
    answered += task.answered;
  }
  Json json = {{"tasks", table.tasks.size()}, {"answered", answered},           {"work", work.picoseconds()},
               {"idle", idle.picoseconds()},  {"waiting", waiting_json(table)}, {"masters", Json::array()},
               {"slaves", Json::array()}};
  for (const analysis::Master& master : table.masters) json["masters"].push_back(master_json(master));
  for (const analysis::Slave& slave : table.slaves) json["slaves"].push_back(slave_json(slave));
  return json;
}

namespace {

template <class... Values>
std::string line(const char* form, Values... values) {
  char text[200];
  std::snprintf(text, sizeof text, form, values...);
  return text;
}

std::string master_line(const analysis::Master& m) {
  const auto break_even = m.break_even_work();
  const double busy = m.length > Interval() ? 100 * m.busy().seconds() / m.length.seconds() : 0;
  return line("%-8d %9lld %7d %7.1f %% %12s %12s %12s %12s\n", m.rank, static_cast<long long>(m.tasks),
              m.slaves, busy, mean(m.service, m.tasks).c_str(), mean(m.queued, m.answered).c_str(),
              format(m.saturating_work(), 4).c_str(), break_even ? format(*break_even, 4).c_str() : "-");
}

std::string slave_line(const analysis::Slave& s) {
  std::string masters;
  for (int master : s.masters) masters += (masters.empty() ? "" : " ") + std::to_string(master);
  return line("%-8d %9lld %17s %12s %12s %12s  %s\n", s.rank, static_cast<long long>(s.tasks),
              format(s.work, 4).c_str(), mean(s.work, s.tasks).c_str(), format(s.idle, 4).c_str(),
              mean(s.idle, s.tasks).c_str(), masters.c_str());
}

}  // namespace

std::string master_slave_table(const analysis::TaskTable& table) {
  if (table.tasks.empty()) return "";
  constexpr std::size_t shown = 16;
  std::string text = line("\n%-8s %9s %7s %9s %12s %12s %12s %12s\n", "master", "tasks", "slaves", "busy",
                          "service", "queued", "saturating", "break-even");
  for (std::size_t i = 0; i < std::min(shown, table.masters.size()); ++i)
    text += master_line(table.masters[i]);
  text += line("%-8s %9s %17s %12s %12s %12s  %s\n", "slave", "tasks", "work", "of a task", "idle",
               "before each", "masters");
  for (std::size_t i = 0; i < std::min(shown, table.slaves.size()); ++i) text += slave_line(table.slaves[i]);
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
