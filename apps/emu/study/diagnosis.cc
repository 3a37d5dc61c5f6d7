#include "study/diagnosis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "common/in_words.h"
#include "study/losses.h"

namespace emu::app::studies {
namespace {

// Up to this lost fraction of the ranks' time, no bottleneck is reported.
constexpr double little = 0.05;
// From this fraction of the ranks' time on, polls are mentioned.
constexpr double many_polls = 0.1;
// The closed form is reported as wrong beyond this relative difference from the prediction.
constexpr double far_off = 0.2;

// The run that shows the obstacle: the first beyond the flat region, or else the last one.
const Point& telling(const Curve& curve, const Optimum& optimum) {
  const Point* last = optimum.point;
  for (const Point& point : curve.points) {
    if (!point.good()) continue;
    last = &point;
    if (point.ranks > optimum.flat.second) break;
  }
  return *last;
}

// Empty if polls take hardly any time.
std::string to_polls(double share, const char* words) { return share < 0.0005 ? "" : percent(share) + words; }

std::string of_the_master(const record::RankSummary& master) {
  const record::Breakdown& time = master.time;
  const std::pair<Interval, const char*> parts[] = {{time.receive_overhead, "master's receive overhead"},
                                                    {time.send_overhead, "master's send overhead"},
                                                    {time.compute, "master's work"},
                                                    {time.handshake, "master's handshakes"}};
  const auto most = std::max_element(std::begin(parts), std::end(parts),
                                     [](const auto& a, const auto& b) { return a.first < b.first; });
  const double both = std::min(time.receive_overhead, time.send_overhead).seconds();
  if (most - parts < 2 && both > 0.8 * most->first.seconds()) return "master's receive and send overhead";
  return most->second;
}

std::string sentence_on_master(const OneMaster& job, const record::RunSummary& run) {
  const record::Breakdown& time = run.ranks[job.rank].time;
  const double total = run.predicted().seconds();
  return fmt::format(
      "the master (rank {}) is busy {} of the time: {} receives cost it {}, {} sends {}, its own work {}",
      job.rank, percent((time.busy() - time.poll).seconds() / total), job.results,
      in_time(time.receive_overhead.seconds(), 4), job.tasks, in_time(time.send_overhead.seconds(), 4),
      in_time(time.compute.seconds(), 4));
}

std::string sentence_on_slaves(const OneMaster& job, const Losses& lost) {
  return fmt::format(
      "the {} slaves compute {} of the time; {} go to their own overheads, {}{} to messages on "
      "their way, {} to waiting for the master or each other, {} to idling at the end, {} to slaves without "
      "a task",
      job.slaves, percent(lost.compute), percent(lost.overhead), to_polls(lost.poll, " to polls, "),
      percent(lost.latency + lost.per_byte), percent(lost.queue), percent(lost.end),
      percent(lost.without_task));
}

std::string bottleneck(const OneMaster& job, const Losses& lost, const record::RunSummary& run) {
  const std::pair<double, const char*> losses[] = {{lost.queue, "queue"},
                                                   {lost.latency, "latency"},
                                                   {lost.per_byte, "time per byte"},
                                                   {lost.overhead, "slaves' overhead"},
                                                   {lost.poll, "polls"},
                                                   {lost.end, "end"},
                                                   {lost.without_task, "too few tasks"}};
  const std::string most = std::max_element(std::begin(losses), std::end(losses))->second;
  if (1 - lost.compute < little) return no_bottleneck;
  // A rank that is never free limits the speed, whatever other costs the slaves have.
  const double busiest = std::max(lost.card, lost.master_busy);
  if (busiest > 0.9 || ((most == "queue" || most == "polls") && busiest > 0.75))
    return lost.card > lost.master_busy ? "network card" : of_the_master(run.ranks[job.rank]);
  if (most == "queue") return "waiting for other ranks";
  if (most == "end") return lost.rounding > lost.end / 2 ? "too few tasks" : "slow slaves at the end";
  return most;
}

// The reason why the closed form, with equal tasks and slaves that never wait, is far below the prediction.
std::string closed_form_misses(const OneMaster& job, const record::RunSummary& run) {
  double longest = 0;
  for (std::size_t i = 0; i < run.ranks.size(); ++i)
    if (static_cast<int>(i) != job.rank) longest = std::max(longest, run.ranks[i].time.compute.seconds());
  const double mean = job.slaves_work / job.slaves;
  if (longest > (1 + far_off) * mean)
    return fmt::format("the work is uneven, one slave computes {}, the average slave {}", in_time(longest, 4),
                       in_time(mean, 4));
  if (polling(run) >= many_polls) return "it has no polls";
  return "it has no waiting for other ranks";
}

// The closed form applies to other numbers of ranks only if it is near the prediction.
void explain_closed_form(const OneMaster& job, const Curve& curve, const Point& point,
                         const std::vector<int>& all, Diagnosis& result) {
  const target::Target& target = curve.target;
  const ClosedForm here = closed_form(job, target, point.ranks);
  const std::string form = fmt::format(
      "the closed form for {} ranks: the master alone takes {}, the slaves alone {}; predicted are {}",
      point.ranks, in_time(here.master, 4), in_time(here.slaves, 4), in_time(point.seconds(), 4));
  if (std::abs(here.larger() - point.seconds()) > far_off * point.seconds()) {
    result.why.push_back(form + "; " + closed_form_misses(job, point.typical()));
    return;
  }
  const int best = *std::min_element(all.begin(), all.end(), [&](int a, int b) {
    return closed_form(job, target, a).larger() < closed_form(job, target, b).larger();
  });
  result.closed_form_optimum = best;
  result.why.push_back(fmt::format("{}; it is least at {} ranks ({})", form, best,
                                   in_time(closed_form(job, target, best).larger(), 4)));
}

void explain_speeds(const Curve& curve, const record::RunSummary& run, Diagnosis& result) {
  const int ranks = static_cast<int>(run.ranks.size());
  const std::vector<int> nodes = curve.target.place(ranks);
  const auto speed = [&](int node) {
    return static_cast<double>(curve.target.speed(node, ranks).at(run.predicted())) / model::one;
  };
  double fastest = 0;
  for (int node : nodes) fastest = std::max(fastest, speed(node));
  const double last = speed(nodes[static_cast<std::size_t>(run.last())]);
  if (last < fastest)
    result.why.push_back(
        fmt::format("the last to end is rank {}, on a CPU of {:.3g} times the speed of the fastest",
                    run.last(), last / fastest));
}

void with_master(const OneMaster& job, const Curve& curve, const Point& point, const std::vector<int>& all,
                 Diagnosis& result) {
  const record::RunSummary& run = point.typical();
  const Losses lost = losses(job, run, curve.target);
  result.bottleneck = bottleneck(job, lost, run);
  result.why.push_back(sentence_on_master(job, run));
  result.why.push_back(sentence_on_slaves(job, lost));
  if (result.bottleneck == "too few tasks")
    result.why.push_back(fmt::format("there are {} results for {} slaves, {:.3g} for each", job.results,
                                     job.slaves, static_cast<double>(job.results) / job.slaves));
  if (result.bottleneck == "network card")
    result.why.push_back(fmt::format("the master's network card is busy {} of the time", percent(lost.card)));
  if (result.bottleneck == "slow slaves at the end") explain_speeds(curve, run, result);
  explain_closed_form(job, curve, point, all, result);
}

void without_master(const Point& point, Diagnosis& result) {
  const Shares share = shares(point.typical());
  const bool takes_time = point.typical().predicted() > Instant::start();
  const std::pair<double, const char*> causes[] = {{share.imbalance, "load imbalance"},
                                                   {share.overhead, "communication overhead"},
                                                   {share.poll, "polls"},
                                                   {share.latency, "latency"},
                                                   {share.per_byte, "time per byte"}};
  const auto most = std::max_element(std::begin(causes), std::end(causes));
  result.bottleneck = !takes_time || 1 - share.compute < little ? no_bottleneck : most->second;
}

std::string sentence_on_path(const record::RunSummary& run) {
  const Shares share = shares(run);
  return fmt::format(
      "the critical path, which ends at rank {}: {} computing (the average rank computes {} of the time), {} "
      "overheads of messages, {}{} latency, {} bytes on the wire",
      run.last(), percent(share.compute + share.imbalance), percent(share.compute), percent(share.overhead),
      to_polls(share.poll, " polls, "), percent(share.latency), percent(share.per_byte));
}

std::string sentence_on_polls(double polls) {
  return fmt::format(
      "polls, calls that find nothing, take {} of the ranks' time; each costs network.poll.fixed: poll less "
      "often, or let the "
      "program wait (MPI_Wait, MPI_Probe, MPI_Recv), and a rank that has nothing to do ends or sleeps sooner",
      percent(polls));
}

// Reports a card, memory or link that is busy most of the time, and for which the critical path waits.
void explain_contention(const record::RunSummary& run, Diagnosis& result) {
  constexpr double most_of_the_time = 0.75;
  if (run.resources.empty() || run.last() < 0) return;
  const record::Path& path = run.ranks[static_cast<std::size_t>(run.last())].path;
  const double total = run.predicted().seconds(), waited = path.contention.seconds() / total;
  const auto busiest = std::max_element(run.resources.begin(), run.resources.end(),
                                        [](const auto& a, const auto& b) { return a.busy < b.busy; });
  const double busy = busiest->busy.seconds() / total;
  if (waited < little) return;
  result.why.push_back(
      fmt::format("messages share cards, memory or links: the critical path waits {} for others' bytes, and "
                  "the busiest, {}, "
                  "is busy {} of the time",
                  percent(waited), busiest->name, percent(busy)));
  if (busy > most_of_the_time) result.bottleneck = busiest->name;
}

}  // namespace

Diagnosis diagnose(const Curve& curve, const Optimum& optimum, const std::vector<int>& all) {
  return diagnose(curve, telling(curve, optimum), all);
}

Diagnosis diagnose(const Curve& curve, const Point& point, const std::vector<int>& all) {
  Diagnosis result;
  result.ranks = point.ranks;
  if (const auto job = only_master(point.typical())) {
    with_master(*job, curve, point, all, result);
  } else {
    without_master(point, result);
  }
  explain_contention(point.typical(), result);
  result.why.push_back(sentence_on_path(point.typical()));
  if (const double polls = polling(point.typical()); polls >= many_polls)
    result.why.push_back(sentence_on_polls(polls));
  return result;
}

}  // namespace emu::app::studies
