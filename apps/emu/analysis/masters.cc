#include "analysis/masters.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace emu::analysis {
namespace {

using Tasks = std::vector<const Task*>;

// `dealt`: in order of time. `own`: tasks of the rank for other masters, in order of time.
std::vector<Reign> reigns_of(const Tasks& dealt, const Tasks& own) {
  std::vector<Reign> reigns;
  auto next_own = own.begin();
  for (const Task* task : dealt) {
    bool interrupted = false;
    for (; next_own != own.end() && (*next_own)->begun < task->taken; ++next_own) interrupted = true;
    if (reigns.empty() || interrupted) reigns.push_back({task->taken, task->dealt});
    Reign& reign = reigns.back();
    ++reign.tasks;
    reign.until = std::max(reign.until, task->dealt);
    if (task->collected.is_never()) continue;
    const bool before_own = next_own == own.end() || task->collected < (*next_own)->begun;
    if (before_own) reign.until = std::max(reign.until, task->collected);
  }
  return reigns;
}

void count(Master& master, const Task& task) {
  ++master.tasks;
  master.service += task.service();
  master.longest_service = std::max(master.longest_service, task.service());
  master.work += task.work;
  if (!task.answered) return;
  ++master.answered;
  master.queued += task.queued();
  master.longest_queued = std::max(master.longest_queued, task.queued());
  master.round_trip += task.returned - task.asked - task.queued() - task.work;
}

// Requests and results. A result that requests a further task is a single call.
std::vector<Call> calls_of(const Tasks& tasks) {
  std::map<std::pair<int, std::uint64_t>, Call> messages;  // by slave and sequence
  for (const Task* task : tasks) {
    if (task->answered) messages[{task->slave, task->request}] = {task->arrived, task->taken};
    if (!task->collected.is_never())
      messages[{task->slave, task->result}] = {task->result_arrived, task->collected};
  }
  std::vector<Call> calls;
  calls.reserve(messages.size());
  for (const auto& [message, call] : messages) calls.push_back(call);
  std::sort(calls.begin(), calls.end(), [](const Call& a, const Call& b) {
    return std::pair(a.arrived, a.taken) < std::pair(b.arrived, b.taken);
  });
  return calls;
}

Master master_of(int rank, const Tasks& by_slave, const Tasks& own, const Spans& waiting) {
  Master master;
  master.rank = rank;
  std::set<int> slaves;
  for (const Task* task : by_slave) {
    slaves.insert(task->slave);
    count(master, *task);
  }
  master.slaves = static_cast<int>(slaves.size());
  master.calls = calls_of(by_slave);
  Tasks in_order = by_slave;
  std::stable_sort(in_order.begin(), in_order.end(),
                   [](const Task* a, const Task* b) { return a->taken < b->taken; });
  master.reigns = reigns_of(in_order, own);
  for (const Reign& reign : master.reigns) {
    master.length += reign.until - reign.from;
    master.waiting += waiting.within(reign.from, reign.until);
  }
  return master;
}

double share_of_waiting(const record::RankSummary& rank, double total) {
  return total > 0 ? (rank.time.wait + rank.time.poll).seconds() / total : 0;
}

// True if the rank is hardly ever free, and the others wait most of the time: then the rank limits the speed, however
// much it computes. Without meaning for two ranks.
bool saturated(const record::RunSummary& run, const record::RankSummary& rank) {
  constexpr double hardly = 0.1, most = 0.5;
  const double total = run.predicted().seconds();
  if (run.ranks.size() < 3 || share_of_waiting(rank, total) > hardly) return false;
  return std::all_of(run.ranks.begin(), run.ranks.end(), [&](const record::RankSummary& other) {
    return &other == &rank ||
           share_of_waiting(other, total) + (total - other.finish.seconds()) / total > most;
  });
}

}  // namespace

double Master::slaves_at_a_time() const {
  return length > Interval() ? attached.seconds() / length.seconds() : slaves;
}

Interval Master::saturating_work() const {
  if (tasks == 0) return {};
  const double cycle = slaves_at_a_time() * busy().seconds() / static_cast<double>(tasks);
  const double trip = answered ? round_trip.seconds() / static_cast<double>(answered) : 0;
  return Interval::seconds(std::max(0.0, cycle - trip));
}

std::optional<Interval> Master::break_even_work() const {
  const double others = slaves_at_a_time() - 1;
  if (slaves < 2 || others <= 0 || answered == 0) return {};
  const double trip = round_trip.seconds() / static_cast<double>(answered);
  return std::max(Interval::seconds(service.seconds() / static_cast<double>(tasks)),
                  Interval::seconds(trip / others));
}

std::vector<Master> masters_of(const std::vector<Task>& tasks, const std::vector<Spans>& waiting) {
  std::map<int, Tasks> dealt, done;
  for (const Task& task : tasks) {
    dealt[task.master].push_back(&task);
    done[task.slave].push_back(&task);
  }
  std::vector<Master> masters;
  masters.reserve(dealt.size());
  for (const auto& [rank, by_slave] : dealt)
    masters.push_back(master_of(rank, by_slave, done[rank], waiting[static_cast<std::size_t>(rank)]));
  // A slave belongs to a master from the first request of consecutive tasks to the last result.
  for (const auto& [slave, own] : done) {
    for (auto first = own.begin(); first != own.end();) {
      auto last = first;
      while (last + 1 != own.end() && (*(last + 1))->master == (*first)->master) ++last;
      const auto master = std::find_if(masters.begin(), masters.end(),
                                       [&](const Master& m) { return m.rank == (*first)->master; });
      master->attached += (*last)->returned - ((*first)->answered ? (*first)->asked : (*first)->taken);
      first = last + 1;
    }
  }
  return masters;
}

std::vector<Slave> slaves_of(const std::vector<Task>& tasks) {
  std::vector<Slave> slaves;
  for (const Task& task : tasks) {
    if (slaves.empty() || slaves.back().rank != task.slave) slaves.push_back({task.slave});
    Slave& slave = slaves.back();
    ++slave.tasks;
    slave.work += task.work;
    slave.longest_work = std::max(slave.longest_work, task.work);
    slave.idle += task.idle;
    slave.longest_idle = std::max(slave.longest_idle, task.idle);
    if (std::find(slave.masters.begin(), slave.masters.end(), task.master) == slave.masters.end())
      slave.masters.push_back(task.master);
  }
  return slaves;
}

std::vector<QueueBin> queue_over_time(const Master& master, Interval bin, std::size_t bins) {
  std::vector<std::pair<Instant, int>> changes;
  for (const Call& call : master.calls) {
    if (call.taken <= call.arrived) continue;
    changes.emplace_back(call.arrived, 1);
    changes.emplace_back(call.taken, -1);
  }
  std::sort(changes.begin(), changes.end());  // at one instant, departing slaves come first
  std::vector<QueueBin> queue(bins);
  int waiting = 0;
  std::size_t next = 0;
  for (std::size_t i = 0; i < bins; ++i) {
    const Instant begin = Instant::start() + bin * static_cast<std::int64_t>(i), end = begin + bin;
    Instant at = begin;
    double sum = 0;
    queue[i].most = waiting;
    for (; next < changes.size() && changes[next].first < end; ++next) {
      sum += waiting * (changes[next].first - at).seconds();
      at = changes[next].first;
      waiting += changes[next].second;
      queue[i].most = std::max(queue[i].most, waiting);
    }
    queue[i].average = (sum + waiting * (end - at).seconds()) / bin.seconds();
  }
  return queue;
}

std::optional<OneMaster> only_master(const record::RunSummary& run) {
  const auto ranks = static_cast<int>(run.ranks.size());
  if (ranks < 2) return {};
  // Of two ranks with equally many sends, the one with less computation is the master.
  const auto most = std::max_element(run.ranks.begin(), run.ranks.end(), [](const auto& a, const auto& b) {
    if (std::abs(a.messages_sent - b.messages_sent) > 1) return a.messages_sent < b.messages_sent;
    return a.time.compute > b.time.compute;
  });
  OneMaster job;
  job.rank = static_cast<int>(most - run.ranks.begin());
  job.slaves = ranks - 1;
  std::int64_t result_bytes = 0, busiest = 0;
  for (const record::RankSummary& rank : run.ranks) {
    if (&rank == &*most) continue;
    job.results += rank.messages_sent;
    result_bytes += rank.bytes_sent;
    busiest = std::max(busiest, rank.messages_sent);
    job.slaves_work += rank.time.compute.seconds();
  }
  job.tasks = most->messages_sent;
  job.master_work = most->time.compute.seconds();
  const bool deals = job.results > 0 && job.tasks >= 0.9 * static_cast<double>(job.results) &&
                     job.tasks <= 1.1 * static_cast<double>(job.results) + job.slaves;
  const bool alone = ranks == 2 || busiest <= 0.75 * static_cast<double>(job.tasks);
  const bool computes_less = job.master_work * far_less < job.slaves_work;
  if (!deals || !alone || !(computes_less || saturated(run, *most))) return {};
  job.result_bytes = static_cast<double>(result_bytes) / static_cast<double>(job.results);
  job.task_bytes = static_cast<double>(most->bytes_sent) / static_cast<double>(job.tasks);
  return job;
}

}  // namespace emu::analysis
