#include "analysis/tasks.h"

#include <algorithm>
#include <map>

namespace emu::analysis {
namespace {

using Indices = std::vector<std::uint32_t>;

// A rank that deals fewer tasks is not a master.
constexpr int fewest_tasks = 2;

// Number of exchanges to each side that are examined with one.
constexpr std::size_t around = 2;

// The middle value, or the lower one of two.
Interval median(std::vector<Interval> values) {
  if (values.empty()) return {};
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Typical computation of a rank in its exchanges with a peer, around one of them; `some`: only of exchanges with
// computation.
Interval typical(const std::vector<Exchange>& exchanges, const Indices& with_peer, std::size_t from,
                 std::size_t until, bool some = false) {
  std::vector<Interval> computed;
  for (std::size_t i = from; i < std::min(until, with_peer.size()); ++i)
    if (!some || exchanges[with_peer[i]].computed > Interval())
      computed.push_back(exchanges[with_peer[i]].computed);
  return median(std::move(computed));
}

class Finder {
 public:
  Finder(const Exchanges& exchanges, const History& history) : exchanges_(exchanges), history_(history) {
    with_.resize(exchanges.ranks.size());
    for (std::size_t rank = 0; rank < exchanges.ranks.size(); ++rank)
      for (std::size_t i = 0; i < exchanges.ranks[rank].size(); ++i)
        with_[rank][exchanges.ranks[rank][i].peer].push_back(static_cast<std::uint32_t>(i));
  }

  std::vector<Task> tasks(int slave) const {
    std::vector<Task> tasks;
    const auto rank = static_cast<std::size_t>(slave);
    for (const auto& [master, own] : with_[rank]) {
      if (master == slave || static_cast<std::size_t>(master) >= with_.size()) continue;
      const auto other = with_[static_cast<std::size_t>(master)].find(slave);
      if (other == with_[static_cast<std::size_t>(master)].end()) continue;
      for (std::size_t i = 0; i < own.size(); ++i)
        if (is_task(rank, own, i, static_cast<std::size_t>(master), other->second))
          add(slave, exchanges_.ranks[rank][own[i]], tasks);
    }
    std::sort(tasks.begin(), tasks.end(), [](const Task& a, const Task& b) { return a.done < b.done; });
    return tasks;
  }

 private:
  bool is_task(std::size_t slave, const Indices& own, std::size_t i, std::size_t master,
               const Indices& masters) const {
    const std::vector<Exchange>& served = exchanges_.ranks[master];
    const Exchange& exchange = exchanges_.ranks[slave][own[i]];
    if (exchange.own == Interval()) return false;
    const auto after = static_cast<std::size_t>(
        std::partition_point(masters.begin(), masters.end(),
                             [&](std::uint32_t n) { return served[n].received < exchange.received; }) -
        masters.begin());
    const Interval masters_work = typical(served, masters, after - std::min(after, around), after + around);
    const std::vector<Exchange>& done = exchanges_.ranks[slave];
    const std::size_t from = i - std::min(i, around), until = i + around + 1;
    return masters_work * far_less < exchange.own &&
           masters_work * far_less < typical(done, own, from, until, true) &&
           masters_work <= typical(done, own, from, until) * far_less;
  }

  void add(int slave, const Exchange& exchange, std::vector<Task>& tasks) const {
    const auto& sent = history_.ranks[static_cast<std::size_t>(slave)].sent;
    const auto& dealt = history_.ranks[static_cast<std::size_t>(exchange.peer)].sent;
    if (exchange.in >= dealt.size() || exchange.data >= dealt.size() || exchange.out >= sent.size()) return;
    Task task;
    task.slave = slave;
    task.master = exchange.peer;
    task.dealt = dealt[exchange.data].left;
    task.ready = dealt[exchange.data].arrival;
    task.begun = exchange.begun;
    task.received = exchange.received;
    task.done = exchange.ended;
    task.returned = sent[exchange.out].left;
    task.result_arrived = sent[exchange.out].arrival;
    task.collected = exchanges_.taken[static_cast<std::size_t>(slave)][exchange.out];
    task.taken = dealt[exchange.in].begin;
    task.work = exchange.own;
    task.idle = exchange.waited_before;  // since the start
    task.idle_until_end = exchange.waited_after;
    task.result = exchange.out;
    task.bytes = exchange.bytes_in;
    task.result_bytes = exchange.bytes_out;
    // The master's exchange in which it dealt the task.
    const std::vector<Exchange>& served = exchanges_.ranks[static_cast<std::size_t>(exchange.peer)];
    const auto answer = std::partition_point(served.begin(), served.end(),
                                             [&](const Exchange& t) { return t.out < exchange.in; });
    if (answer != served.end() && answer->out == exchange.in && answer->peer == slave &&
        answer->in < sent.size()) {
      task.answered = true;
      task.request = answer->in;
      task.asked = sent[answer->in].left;
      task.arrived = sent[answer->in].arrival;
      task.taken = answer->taken;
    }
    tasks.push_back(task);
  }

  const Exchanges& exchanges_;
  const History& history_;
  std::vector<std::map<int, Indices>> with_;  // by rank and peer
};

}  // namespace

TaskTable find_tasks(const Exchanges& exchanges, const History& history) {
  TaskTable table;
  const Finder finder(exchanges, history);
  std::map<int, int> dealt;  // by master
  for (int rank = 0; rank < static_cast<int>(exchanges.ranks.size()); ++rank)
    for (const Task& task : finder.tasks(rank)) {
      table.tasks.push_back(task);
      ++dealt[task.master];
    }
  std::erase_if(table.tasks, [&](const Task& task) { return dealt[task.master] < fewest_tasks; });
  // A task may begin before the end of another one, which belongs to another master.
  int slave = -1;
  Interval counted;
  for (Task& task : table.tasks) {
    if (task.slave != slave) counted = Interval();
    slave = task.slave;
    task.idle = std::max(Interval(), task.idle - counted);
    counted = std::max(counted, task.idle_until_end);
  }
  table.masters = masters_of(table.tasks, exchanges.waiting);
  table.slaves = slaves_of(table.tasks);
  return table;
}

Result<TaskTable> read_tasks(const Folder& folder, const History& history) {
  const auto exchanges = read_exchanges(folder, history);
  if (!exchanges) return tl::unexpected(exchanges.error());
  return find_tasks(*exchanges, history);
}

}  // namespace emu::analysis
