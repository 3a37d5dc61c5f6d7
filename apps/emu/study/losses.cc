#include "study/losses.h"

#include <algorithm>
#include <cmath>

#include "study/closed_form.h"

namespace emu::app::studies {
namespace {

double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

double overheads(const record::Breakdown& time) {
  return (time.send_overhead + time.receive_overhead + time.handshake).seconds();
}

}  // namespace

Losses losses(const OneMaster& job, const record::RunSummary& run, const target::Target& target) {
  const double total = run.predicted().seconds(), all = total * job.slaves;
  const auto [task, result] = round_trip(job, target, job.slaves + 1);
  Losses lost;
  double wait = 0;
  for (std::size_t i = 0; i < run.ranks.size(); ++i) {
    const record::RankSummary& rank = run.ranks[i];
    if (static_cast<int>(i) == job.rank) continue;
    if (rank.time.compute == Interval() && job.slaves_work > 0) {
      lost.without_task += ratio(total, all);
      continue;
    }
    lost.compute += ratio(rank.time.compute.seconds(), all);
    lost.overhead += ratio(overheads(rank.time), all);
    lost.poll += ratio(rank.time.poll.seconds(), all);
    lost.end += ratio(total - rank.finish.seconds(), all);
    wait += ratio(rank.time.wait.seconds(), all);
  }
  const auto n = static_cast<double>(job.results);
  lost.latency = std::min(wait, ratio(n * (task.latency + result.latency), all));
  lost.per_byte = std::min(wait - lost.latency, ratio(n * (task.per_byte + result.per_byte), all));
  lost.queue = wait - lost.latency - lost.per_byte;
  const double each = n / job.slaves;
  lost.rounding = 1 - each / std::ceil(each);
  const record::Breakdown& master = run.ranks[job.rank].time;
  lost.master_busy = ratio((master.busy() - master.poll).seconds(), total);
  if (target.network.card == model::Card::serial)
    lost.card = ratio(std::max(n * result.per_byte, static_cast<double>(job.tasks) * task.per_byte), total);
  return lost;
}

Shares shares(const record::RunSummary& run) {
  Shares share;
  const int last = run.last();
  if (last < 0) return share;
  const double total = run.predicted().seconds();
  for (const record::RankSummary& rank : run.ranks)
    share.compute += ratio(rank.time.compute.seconds(), total * static_cast<double>(run.ranks.size()));
  const record::Path& path = run.ranks[static_cast<std::size_t>(last)].path;
  share.imbalance = ratio(spent(path, record::Category::work).seconds(), total) - share.compute;
  share.latency = ratio(spent(path, record::Category::latency).seconds(), total);
  share.per_byte = ratio(spent(path, record::Category::bytes).seconds(), total);
  share.poll = ratio(path.poll.seconds(), total);
  share.overhead = ratio((spent(path, record::Category::overhead) - path.poll).seconds(), total);
  return share;
}

double polling(const record::RunSummary& run) {
  double polls = 0, all = 0;
  for (const record::RankSummary& rank : run.ranks) {
    polls += rank.time.poll.seconds();
    all += (rank.finish - Instant::start()).seconds();
  }
  return ratio(polls, all);
}

}  // namespace emu::app::studies
