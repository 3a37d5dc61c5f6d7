#include "report/task_map.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "report/picture.h"

namespace emu::app {
namespace {

using Json = nlohmann::ordered_json;
using analysis::Task;

constexpr std::size_t most_single_tasks = 10'000;  // with more tasks the page shows bins
constexpr std::size_t most_letters = 400'000;      // of all rows of bins together
constexpr std::size_t most_queue_bins = 20'000;    // of all masters together

std::map<int, int> places(const analysis::TaskTable& table) {
  std::map<int, int> places;
  for (const analysis::Master& master : table.masters)
    places.emplace(master.rank, static_cast<int>(places.size()));
  return places;
}

// The tasks of each slave, five numbers each: the index of its master; the time from the end of the preceding task to
// its arrival; the time from there to the sending of the result; its work; the idle time before it.
Json single_tasks(const analysis::TaskTable& table, const std::map<int, int>& masters) {
  Json rows = Json::array();
  int slave = -1;
  Instant last;
  for (const Task& task : table.tasks) {
    if (task.slave != slave) {
      rows.push_back({{"rank", task.slave}, {"tasks", Json::array()}});
      slave = task.slave;
      last = Instant::start();
    }
    for (std::int64_t n :
         {static_cast<std::int64_t>(masters.at(task.master)), (task.received - last).picoseconds(),
          (task.done - task.received).picoseconds(), task.work.picoseconds(), task.idle.picoseconds()})
      rows.back()["tasks"].push_back(n);
    last = task.done;
  }
  return rows;
}

// One slave's tasks over time.
class Row {
 public:
  Row(Interval bin, std::size_t bins) : bin_(bin.picoseconds()), bins_(bins) {}

  void add(const Task& task, int master) {
    ++bin(task.received).begun;
    for (std::int64_t at = task.received.picoseconds(); at < task.done.picoseconds();) {
      const std::int64_t end = std::min(task.done.picoseconds(), (at / bin_ + 1) * bin_);
      Bin& b = bin(Instant::from_picoseconds(at));
      b.working += end - at;
      b.master = master;
      at = end;
    }
  }
  // Three letters for each bin: the fraction of the time in tasks, the index
  // of the master of the last task, and the number of tasks that begin.
  std::string letters() const {
    std::string text;
    for (const Bin& b : bins_) {
      text += letter(static_cast<double>(b.working) / static_cast<double>(bin_));
      text += letter_of(b.master);
      text += letter_of(b.begun);
    }
    return text;
  }

 private:
  struct Bin {
    std::int64_t working = 0;
    int master = 0, begun = 0;
  };
  Bin& bin(Instant t) {
    return bins_[std::min(bins_.size() - 1, static_cast<std::size_t>(t.picoseconds() / bin_))];
  }

  const std::int64_t bin_;
  std::vector<Bin> bins_;
};

Json binned_tasks(const analysis::TaskTable& table, const std::map<int, int>& masters, Interval bin,
                  std::size_t bins) {
  Json rows = Json::array();
  for (auto first = table.tasks.begin(); first != table.tasks.end();) {
    Row row(bin, bins);
    auto task = first;
    for (; task != table.tasks.end() && task->slave == first->slave; ++task)
      row.add(*task, masters.at(task->master));
    rows.push_back({{"rank", first->slave}, {"bins", row.letters()}});
    first = task;
  }
  return rows;
}

Interval bin_of(Instant finish, std::size_t bins) {
  const auto n = static_cast<std::int64_t>(bins);
  return Interval::picoseconds(std::max<std::int64_t>(1, (finish.picoseconds() + n - 1) / n));
}

Json queues(const analysis::TaskTable& table, Instant finish) {
  const std::size_t bins = std::clamp<std::size_t>(most_queue_bins / table.masters.size(), 50, 1000);
  const Interval bin = bin_of(finish, bins);
  Json json = {{"bin", bin.picoseconds()}, {"masters", Json::array()}};
  for (const analysis::Master& master : table.masters) {
    Json one = {{"rank", master.rank}, {"average", Json::array()}, {"most", Json::array()}};
    for (const analysis::QueueBin& b : analysis::queue_over_time(master, bin, bins)) {
      one["average"].push_back(std::round(b.average * 100) / 100);
      one["most"].push_back(b.most);
    }
    json["masters"].push_back(std::move(one));
  }
  return json;
}

// The number of tasks in each class; upper bounds are 1, 2, 5, 10, ... The first class contains those with the value
// 0.
Json histogram(const analysis::TaskTable& table, Interval Task::*part) {
  std::map<std::int64_t, std::int64_t> classes;
  for (const Task& task : table.tasks) {
    std::int64_t bound = 0, power = 1;
    for (int step = 0; bound < (task.*part).picoseconds(); step = (step + 1) % 3) {
      bound = power * (step == 0 ? 1 : step == 1 ? 2 : 5);
      if (step == 2) power *= 10;
    }
    ++classes[bound];
  }
  Json json = Json::array();
  for (const auto& [bound, tasks] : classes) json.push_back({bound, tasks});
  return json;
}

Json longest_waits(const analysis::TaskTable& table) {
  std::vector<const Task*> tasks;
  for (const Task& task : table.tasks) tasks.push_back(&task);
  const std::size_t shown = std::min<std::size_t>(20, tasks.size());
  std::partial_sort(tasks.begin(), tasks.begin() + static_cast<std::ptrdiff_t>(shown), tasks.end(),
                    [](const Task* a, const Task* b) { return a->idle > b->idle; });
  Json json = Json::array();
  for (std::size_t i = 0; i < shown; ++i) {
    const Task& t = *tasks[i];
    Json one = {{"slave", t.slave},
                {"master", t.master},
                {"received", t.received.picoseconds()},
                {"work", t.work.picoseconds()},
                {"idle", t.idle.picoseconds()}};
    if (t.answered) one["queued"] = t.queued().picoseconds();
    one["service"] = t.service().picoseconds();
    json.push_back(std::move(one));
  }
  return json;
}

}  // namespace

Json task_map_json(const analysis::TaskTable& table, Instant finish, std::size_t ranks) {
  if (table.tasks.empty()) return nullptr;
  const std::map<int, int> masters = places(table);
  Json json = {{"masters", Json::array()}};
  for (const auto& [rank, place] : masters) json["masters"].push_back(rank);
  if (table.tasks.size() <= most_single_tasks) {
    json["rows"] = single_tasks(table, masters);
  } else {
    const std::size_t bins = std::clamp<std::size_t>(most_letters / 3 / ranks, 100, 4000);
    const Interval bin = bin_of(finish, bins);
    json["bin"] = bin.picoseconds();
    json["rows"] = binned_tasks(table, masters, bin, bins);
  }
  json["queues"] = queues(table, finish);
  json["work"] = histogram(table, &Task::work);
  json["idle"] = histogram(table, &Task::idle);
  json["longest_waits"] = longest_waits(table);
  return json;
}

}  // namespace emu::app
