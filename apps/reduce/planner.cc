#include "planner.h"

#include <algorithm>

namespace reduce {

Planner::Reduction& Planner::reduction(int number) {
  const auto [found, first] = reductions_.try_emplace(number);
  if (first) {
    found->second.next_partial = workers_;
    ++open_;
    // Nobody has the input of a worker that failed before.
    if (!failed_.empty()) complete(number, none);
  }
  return found->second;
}

void Planner::heard(int worker, const Report& report) {
  if (failed_before(worker)) return;
  switch (report.kind) {
    case Report::stored:
      reduction(report.reduction).stored.insert((worker + workers_ - 1) % workers_);
      return begin_when_stored(report.reduction);
    case Report::ready:
      last_[worker] = report.seconds;
      return given(report.reduction, worker, report.root);
    case Report::done:
      return done(worker, report);
    case Report::dropped:
      return dropped(worker, report);
    default:
      return;
  }
}

void Planner::begin_when_stored(int number) {
  Reduction& r = reduction(number);
  if (r.over || r.begun) return;
  for (int input = 0; input < workers_; ++input)
    if (!r.stored.contains(input) && !failed_before(holder_of_copy(input))) return;
  r.begun = true;
  for (int worker = 0; worker < workers_; ++worker)
    if (!failed_before(worker)) tell_(worker, {Order::begin, number, none, none, none, none});
  // Those that failed while inputs were stored.
  for (int worker : failed_) give_for(number, worker);
}

void Planner::given(int number, int worker, int root) {
  Reduction& r = reduction(number);
  if (r.over) return;
  r.root = root;
  if (failed_before(root)) return complete(number, none);
  r.given.insert(worker);
  r.partials[worker] = {worker, {worker}};
  r.ready.push_back(worker);
  pair(number);
}

// The input of a worker that failed before it made it ready.
void Planner::give_for(int number, int worker) {
  Reduction& r = reduction(number);
  if (r.over || !r.given.insert(worker).second) return;
  r.partials[worker] = {worker, {worker}};
  rebuild(number, worker);
}

// --- pairs

void Planner::pair(int number) {
  Reduction& r = reduction(number);
  while (!r.over && r.ready.size() >= 2) {
    const int a = r.ready[0];
    const int b = r.ready[1];
    r.ready.erase(r.ready.begin(), r.ready.begin() + 2);
    combine(number, a, b);
  }
  if (!r.over && r.ready.size() == 1 && r.tasks.empty() && static_cast<int>(r.given.size()) == workers_)
    finish(number);
}

// The faster of the two owners, by what its last task took, gets the other's partial result.
void Planner::combine(int number, int a, int b) {
  Reduction& r = reduction(number);
  const int owner_a = r.partials[a].owner;
  const int owner_b = r.partials[b].owner;
  if (last_[owner_b] < last_[owner_a]) std::swap(a, b);
  Task task{number, r.partials[a].owner, r.partials[b].owner, a, b, r.next_partial++, false};
  const int id = next_task_++;
  tasks_[id] = task;
  r.tasks.insert(id);
  tell_(task.executor, {Order::combine, number, id, task.sender, task.kept, task.result});
  tell_(task.sender, {Order::send, number, id, task.executor, task.sent, none});
}

// All inputs are in one partial result: that goes to the root.
void Planner::finish(int number) {
  Reduction& r = reduction(number);
  const int last = r.ready.front();
  const int owner = r.partials[last].owner;
  if (owner == r.root) return complete(number, last);
  r.ready.clear();
  const int id = next_task_++;
  tasks_[id] = {number, r.root, owner, none, last, r.next_partial++, false};
  r.tasks.insert(id);
  tell_(r.root, {Order::receive, number, id, owner, none, tasks_[id].result});
  tell_(owner, {Order::send, number, id, r.root, last, none});
}

void Planner::complete(int number, int partial) {
  Reduction& r = reductions_[number];
  --open_;
  for (int id : r.tasks) tasks_.erase(id);
  r = Reduction{.over = true, .next_partial = r.next_partial};
  for (int worker = 0; worker < workers_; ++worker)
    if (!failed_before(worker)) tell_(worker, {Order::complete, number, none, none, partial, none});
}

void Planner::done(int worker, const Report& report) {
  const auto found = tasks_.find(report.task);
  if (found == tasks_.end() || found->second.executor != worker) return;
  const Task task = found->second;
  tasks_.erase(found);
  Reduction& r = reduction(task.reduction);
  r.tasks.erase(report.task);
  Partial result{worker, std::move(r.partials[task.sent].inputs)};
  if (task.kept != none) {
    last_[worker] = report.seconds;
    const std::vector<int>& kept = r.partials[task.kept].inputs;
    result.inputs.insert(result.inputs.end(), kept.begin(), kept.end());
    r.partials.erase(task.kept);
  }
  r.partials.erase(task.sent);
  r.partials[task.result] = std::move(result);
  r.ready.push_back(task.result);
  pair(task.reduction);
}

// --- failures

void Planner::failed(int worker) {
  if (!failed_.insert(worker).second) return;
  std::vector<int> open;
  for (const auto& [number, r] : reductions_)
    if (!r.over) open.push_back(number);
  for (int number : open) {
    Reduction& r = reduction(number);
    if (r.root == worker) {  // nobody wants the result
      complete(number, none);
      continue;
    }
    if (!r.begun) {
      if (!r.stored.contains(worker))
        complete(number, none);  // its input was nowhere else
      else
        begin_when_stored(number);
      continue;
    }
    give_for(number, worker);
    if (!r.over) lose_tasks(number, worker);
    if (!r.over) lose_partials(number, worker);
    if (!r.over) pair(number);
  }
}

void Planner::lose_tasks(int number, int worker) {
  Reduction& r = reduction(number);
  const std::vector<int> tasks(r.tasks.begin(), r.tasks.end());
  for (int id : tasks) {
    Task& task = tasks_[id];
    if (task.executor == worker) {
      // The sender has its partial result still, unless it failed before; that of the executor is lost with
      // it.
      const Task lost = task;
      tasks_.erase(id);
      r.tasks.erase(id);
      if (lost.dropping || lost.sender == worker) {
        rebuild(number, lost.sent);
      } else {
        tell_(lost.sender, {Order::drop, number, id, worker, none, none});
        r.ready.push_back(lost.sent);
      }
      if (!r.over && lost.kept != none) rebuild(number, lost.kept);
    } else if (task.sender == worker && !task.dropping) {
      // It may have arrived: the executor says "dropped" if not, and "done" has come before that if so.
      task.dropping = true;
      tell_(task.executor, {Order::drop, number, id, worker, none, none});
    }
    if (r.over) return;
  }
}

void Planner::dropped(int worker, const Report& report) {
  const auto found = tasks_.find(report.task);
  if (found == tasks_.end() || found->second.executor != worker) return;
  const Task task = found->second;
  tasks_.erase(found);
  Reduction& r = reduction(task.reduction);
  r.tasks.erase(report.task);
  if (task.kept != none) r.ready.push_back(task.kept);
  rebuild(task.reduction, task.sent);
  if (!r.over) pair(task.reduction);
}

void Planner::lose_partials(int number, int worker) {
  Reduction& r = reduction(number);
  const std::deque<int> ready = r.ready;
  for (int partial : ready) {
    if (r.over || r.partials[partial].owner != worker) continue;
    r.ready.erase(std::find(r.ready.begin(), r.ready.end(), partial));
    rebuild(number, partial);
  }
}

void Planner::rebuild(int number, int partial) {
  Reduction& r = reduction(number);
  const std::vector<int> inputs = std::move(r.partials[partial].inputs);
  r.partials.erase(partial);
  for (int input : inputs) {
    const int holder = !failed_before(input) ? input : holder_of_copy(input);
    if (failed_before(holder)) return complete(number, none);
    r.partials[input] = {holder, {input}};
    r.ready.push_back(input);
  }
}

}  // namespace reduce
