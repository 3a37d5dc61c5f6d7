#include "skeleton/fold/farm.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace emu::skeleton {
namespace {

constexpr std::size_t head = 3;  // numbers in the list before the tasks' work

// A range of a rank's events.
struct Stretch {
  std::size_t begin = 0, end = 0;
};

struct Tags {
  std::int32_t comm = world, master = 0, task = 0, result = 0;
  std::int32_t stop = 0;  // tag of the message that ends the tasks
  bool asks = false;      // a slave requests its first task
};

const Call& call_at(const RankTrace& trace, std::size_t event) { return trace.calls[trace.call[event]]; }

bool deals(const Call& call, const Tags& tags) {
  return is_blocking_send(call.function) && call.comm == tags.comm &&
         (call.tag == tags.task || call.tag == tags.stop);
}
bool collects(const Call& call, const Tags& tags) {
  return call.function == Function::recv && call.peer == any && call.source >= 0 && call.comm == tags.comm &&
         (call.tag == tags.result || call.tag == any);
}

// The farm of which a rank may be the master, by the first result that the rank answers with a task.
std::optional<Tags> tags_of(const RankTrace& trace) {
  for (std::size_t i = 0; i + 1 < trace.size(); ++i) {
    const Call& result = call_at(trace, i);
    const Call& task = call_at(trace, i + 1);
    if (result.function == Function::recv && result.peer == any && is_blocking_send(task.function) &&
        result.source == task.peer && result.comm == task.comm && result.comm == world) {
      Tags tags{result.comm, trace.rank, task.tag, result.tag, task.tag};
      // A master that deals first sends to all slaves before it receives.
      tags.asks = i == 0 || !deals(call_at(trace, i - 1), tags);
      for (std::size_t k = i; k < trace.size(); ++k)
        if (const Call& last = call_at(trace, k); is_blocking_send(last.function) && last.comm == tags.comm)
          tags.stop = last.tag;
      return tags;
    }
  }
  return {};
}

// The ranges between the first and the last event of consecutive events for which `belongs` is true.
template <class Belongs>
std::vector<Stretch> stretches(const RankTrace& trace, Belongs belongs) {
  std::vector<Stretch> result;
  for (std::size_t i = 0; i < trace.size();) {
    if (!belongs(call_at(trace, i))) {
      ++i;
      continue;
    }
    const std::size_t begin = i;
    while (i < trace.size() && belongs(call_at(trace, i))) ++i;
    result.push_back({begin, i});
  }
  return result;
}

// One farm: a range of events on each rank.
class FarmFolding {
 public:
  FarmFolding(const Recording& recording, const Tags& tags, std::vector<Stretch> of_rank)
      : recording_(recording), tags_(tags), of_rank_(std::move(of_rank)) {}

  // The call that represents the farm; nothing if tasks and results do not match.
  std::optional<Call> call() {
    std::vector<std::vector<double>> works(of_rank_.size());
    for (std::size_t rank = 0; rank < of_rank_.size(); ++rank)
      if (static_cast<std::int32_t>(rank) != tags_.master && !look_at_slave(rank, works[rank])) return {};
    std::vector<double> dealt;
    if (!look_at_master(works, dealt)) return {};
    const auto tasks = static_cast<double>(dealt.size());
    Call call;
    call.function = Function::farm;
    call.comm = tags_.comm;
    call.peer = tags_.master;
    call.tag = tags_.task;
    call.source_tag = tags_.result;
    call.slot = tags_.asks ? 1 : 0;
    call.bytes = static_cast<std::int64_t>(std::llround(task_bytes_ / static_cast<double>(sent_)));
    call.list = {static_cast<std::int64_t>(dealt.size()),
                 static_cast<std::int64_t>(std::llround(result_bytes_ / tasks)),
                 static_cast<std::int64_t>(std::llround(1e12 * master_work_ / tasks))};
    append_phases(std::move(dealt), call.list);
    return call;
  }

 private:
  // A slave repeatedly receives a task and sends a result, and finally receives a message
  // that is not a task. If it requests its first task, it does so by a message like a result.
  bool look_at_slave(std::size_t rank, std::vector<double>& works) {
    const RankTrace& trace = recording_.ranks[rank];
    const Stretch& stretch = of_rank_[rank];
    const std::size_t begin = stretch.begin + (tags_.asks ? 1 : 0);
    if (begin >= stretch.end || (stretch.end - begin) % 2 == 0) return false;
    if (tags_.asks && !is_blocking_send(call_at(trace, stretch.begin).function)) return false;
    for (std::size_t i = begin; i < stretch.end; ++i) {
      const Call& call = call_at(trace, i);
      const bool receives = (i - begin) % 2 == 0;
      if (receives != (call.function == Function::recv)) return false;
      if (receives) continue;
      works.push_back(static_cast<double>(trace.work[i]));
      result_bytes_ += static_cast<double>(call.bytes);
    }
    return true;
  }

  // The n-th task that a slave was dealt is the n-th that it did.
  bool look_at_master(const std::vector<std::vector<double>>& works, std::vector<double>& dealt) {
    const auto master = static_cast<std::size_t>(tags_.master);
    const RankTrace& trace = recording_.ranks[master];
    std::vector<std::size_t> next(works.size());
    std::size_t collected = 0, all = 0;
    for (std::size_t i = of_rank_[master].begin; i < of_rank_[master].end; ++i) {
      const Call& call = call_at(trace, i);
      if (i > of_rank_[master].begin) master_work_ += static_cast<double>(trace.work[i]);
      if (call.function == Function::recv) {
        ++collected;
        continue;
      }
      const auto slave = static_cast<std::size_t>(call.peer);
      if (call.peer < 0 || slave >= works.size()) return false;
      ++sent_;
      task_bytes_ += static_cast<double>(call.bytes);
      if (next[slave] < works[slave].size()) dealt.push_back(works[slave][next[slave]]);
      ++next[slave];
    }
    for (std::size_t rank = 0; rank < works.size(); ++rank) {
      all += works[rank].size();
      if (rank != master && next[rank] != works[rank].size() + 1) return false;
    }
    const std::size_t asked = tags_.asks ? works.size() - 1 : 0;
    return collected == all + asked && dealt.size() == all && all >= works.size();
  }

  static void append_phases(std::vector<double> works, std::vector<std::int64_t>& to) {
    const auto part = [](std::size_t i, std::size_t of, std::size_t n) { return i * n / of; };
    const std::size_t phases = std::clamp<std::size_t>(works.size() / Farm::in_phase, 1, Farm::phases);
    for (std::size_t phase = 0; phase < phases; ++phase) {
      const std::size_t begin = part(phase, phases, works.size()),
                        end = part(phase + 1, phases, works.size());
      std::sort(works.begin() + static_cast<std::ptrdiff_t>(begin),
                works.begin() + static_cast<std::ptrdiff_t>(end));
      const std::size_t values = std::min(Farm::in_phase, end - begin);
      for (std::size_t i = 0; i < values; ++i) {
        const std::size_t from = begin + part(i, values, end - begin),
                          until = begin + part(i + 1, values, end - begin);
        const double sum = std::accumulate(works.begin() + static_cast<std::ptrdiff_t>(from),
                                           works.begin() + static_cast<std::ptrdiff_t>(until), 0.0);
        to.push_back(static_cast<std::int64_t>(std::llround(1e12 * sum / static_cast<double>(until - from))));
      }
    }
  }

  const Recording& recording_;
  const Tags tags_;
  const std::vector<Stretch> of_rank_;
  std::size_t sent_ = 0;
  double master_work_ = 0, result_bytes_ = 0, task_bytes_ = 0;
};

// Replaces each range by one event with its call.
void replace(RankTrace& trace, const std::vector<std::pair<Stretch, Call>>& farms) {
  RankTrace result = trace;
  result.call.clear();
  result.work.clear();
  result.inside.clear();
  std::size_t next = 0;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    if (next < farms.size() && i == farms[next].first.begin) {
      const auto& [stretch, call] = farms[next++];
      double inside = static_cast<double>(trace.inside[i]);
      for (std::size_t k = i + 1; k < stretch.end; ++k)
        inside += static_cast<double>(trace.work[k]) + static_cast<double>(trace.inside[k]);
      result.call.push_back(static_cast<std::uint32_t>(result.calls.size()));
      result.calls.push_back(call);
      result.work.push_back(trace.work[i]);
      result.inside.push_back(static_cast<float>(inside));
      i = stretch.end - 1;
      continue;
    }
    result.call.push_back(trace.call[i]);
    result.work.push_back(trace.work[i]);
    result.inside.push_back(trace.inside[i]);
  }
  trace = std::move(result);
}

std::vector<Stretch> stretches_of(const RankTrace& trace, const Tags& tags) {
  if (trace.rank == tags.master)
    return stretches(trace, [&](const Call& call) { return deals(call, tags) || collects(call, tags); });
  return stretches(trace, [&](const Call& call) {
    const bool task = call.function == Function::recv && call.peer == tags.master &&
                      (call.tag == tags.task || call.tag == tags.stop || call.tag == any);
    const bool result =
        is_blocking_send(call.function) && call.peer == tags.master && call.tag == tags.result;
    return call.comm == tags.comm && (task || result);
  });
}

bool fold_farms_of(Recording& recording, const Tags& tags) {
  std::vector<std::vector<Stretch>> of_rank;
  for (const RankTrace& trace : recording.ranks) of_rank.push_back(stretches_of(trace, tags));
  const std::size_t count = of_rank.front().size();
  for (const auto& each : of_rank)
    if (each.size() != count) return false;
  std::vector<Call> calls;
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<Stretch> stretch;
    stretch.reserve(of_rank.size());
    for (const auto& each : of_rank) stretch.push_back(each[i]);
    const auto call = FarmFolding(recording, tags, std::move(stretch)).call();
    if (!call) return false;
    calls.push_back(*call);
  }
  for (std::size_t rank = 0; rank < of_rank.size(); ++rank) {
    std::vector<std::pair<Stretch, Call>> farms;
    for (std::size_t i = 0; i < count; ++i) farms.emplace_back(of_rank[rank][i], calls[i]);
    replace(recording.ranks[rank], farms);
  }
  return true;
}

}  // namespace

std::optional<Farm> farm_of(const Call& call) {
  if (call.function != Function::farm || call.list.size() <= head || call.list[0] < 1) return {};
  Farm farm;
  farm.tasks = call.list[0];
  farm.asks = call.slot != 0;
  farm.result_bytes = call.list[1];
  farm.master_work = 1e-12 * static_cast<double>(call.list[2]);
  for (std::size_t i = head; i < call.list.size(); ++i)
    farm.task_work.push_back(1e-12 * static_cast<double>(call.list[i]));
  return farm;
}

FarmScale scale_farm(const Farm& farm, int slaves, double scale) {
  FarmScale result{.first = slaves, .last = slaves};
  const double middle = static_cast<double>(farm.tasks) - 2.0 * slaves;
  if (scale <= 1 || middle < 2) return {.first = static_cast<long>(farm.tasks)};
  // There must be few tasks that begin before the middle part begins, or end after it ends, compared with its own.
  constexpr double least_for_each = 16;
  const double rest = std::max(std::round(middle / scale), least_for_each * slaves);
  if (rest >= middle) return {.first = static_cast<long>(farm.tasks)};
  result.rest = static_cast<long>(rest);
  result.weight = middle / static_cast<double>(result.rest);
  return result;
}

std::vector<double> works_of(const Farm& farm, const FarmScale& scale) {
  const auto values = farm.task_work.size(), tasks = static_cast<std::size_t>(scale.tasks());
  const std::size_t rest = static_cast<std::size_t>(scale.rest),
                    first = static_cast<std::size_t>(scale.first);
  std::vector<double> works(tasks);
  // The number of phases, with tasks of all sizes in each; tasks that are near in order differ in size.
  const std::size_t phases = std::max<std::size_t>(1, (values + Farm::in_phase - 1) / Farm::in_phase);
  const auto value_of = [&](double place, std::size_t turn) {
    const auto phase = std::min(static_cast<std::size_t>(place * static_cast<double>(phases)), phases - 1);
    const std::size_t begin = phase * Farm::in_phase, size = std::min(Farm::in_phase, values - begin);
    constexpr std::size_t step = 5;  // coprime to in_phase
    return farm.task_work[begin + turn * step % size];
  };
  double sum = 0, all = 0;
  for (std::size_t i = 0; i < tasks; ++i) {
    const bool middle = i >= first && i < first + rest;
    const double place = middle      ? (static_cast<double>(i - first) + 0.5) / static_cast<double>(rest)
                         : i < first ? 0
                                     : 1;
    works[i] =
        rest == 0 ? value_of(static_cast<double>(i) / static_cast<double>(tasks), i) : value_of(place, i);
    sum += works[i] * (middle ? scale.weight : 1);
  }
  for (const double work : farm.task_work) all += work / static_cast<double>(values);
  const double right = sum > 0 ? all * static_cast<double>(farm.tasks) / sum : 1;
  for (double& work : works) work *= right;
  return works;
}

void fold_farms(Recording& recording) {
  if (recording.ranks.size() < 2) return;
  for (const RankTrace& trace : recording.ranks)
    if (const auto tags = tags_of(trace); tags && fold_farms_of(recording, *tags)) return;
}

}  // namespace emu::skeleton
