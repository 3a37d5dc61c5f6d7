#include "advised.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "advice/play.h"

namespace loops {
namespace {

constexpr double disturbance = 0.05;    // probability, for the advice
constexpr double better = 0.005;        // share of the rest that a new plan has to save
constexpr double worth_stopping = 0.5;  // greatest share of the remaining time for an iteration of a slave
constexpr int request_bytes = 24, chunk_bytes = 8;

}  // namespace

Advised::Advised(std::int32_t iterations, int slaves, Adviser adviser, double tried)
    : iterations_(iterations),
      adviser_(std::move(adviser)),
      estimates_(iterations, slaves, tried),
      active_(static_cast<std::size_t>(slaves)),
      places_(static_cast<std::size_t>(slaves)),
      doubtful_(static_cast<std::size_t>(slaves)) {
  std::iota(active_.begin(), active_.end(), 0);
}

void Advised::took(int slave, std::int32_t iterations, double seconds) {
  estimates_.took(slave, iterations, seconds, now_);
  ++back_;
  const int place = places_[static_cast<std::size_t>(slave)];
  if (rule_ && place >= 0) rule_->took(place, iterations, seconds);
}

bool Advised::due(std::int32_t left) const {
  const int slaves = static_cast<int>(active_.size());
  return !rule_ || (dealt_ >= slaves && back_ >= std::max(4, slaves / 2) && left > slaves);
}

bool Advised::changed(double mean, const std::vector<double>& speeds) const {
  if (speeds_.size() != speeds.size() || std::fabs(mean - mean_) > 0.1 * mean_) return true;
  for (std::size_t i = 0; i < speeds.size(); ++i)
    if (std::fabs(speeds[i] - speeds_[i]) > 0.2 * speeds_[i]) return true;
  return false;
}

void Advised::ask(std::int32_t left) {
  dealt_ = back_ = 0;
  const std::vector<double> all_speeds = estimates_.speeds(now_),
                            all_busy = estimates_.busy(now_, all_speeds);
  std::vector<double> speeds, busy;
  std::vector<int> ranks;
  for (const int slave : active_) {
    speeds.push_back(all_speeds[static_cast<std::size_t>(slave)]);
    busy.push_back(all_busy[static_cast<std::size_t>(slave)]);
    ranks.push_back(slave + 1);
  }
  const std::int32_t first = iterations_ - left;
  std::vector<char> used(active_.size(), 1);
  emu_loop loop{};
  loop.iterations = left;
  loop.mean_seconds = estimates_.mean(first);
  loop.deviation_seconds = estimates_.deviation(first);
  loop.trend_seconds = std::clamp(estimates_.trend(first), -2 * loop.mean_seconds, 2 * loop.mean_seconds);
  loop.workers = static_cast<int>(active_.size());
  loop.speeds = speeds.data();
  loop.busy_seconds = busy.data();
  loop.ranks = ranks.data();
  loop.request_bytes = request_bytes;
  loop.chunk_bytes = chunk_bytes;
  loop.disturbance = disturbance;
  loop.used = used.data();
  emu_advice advice{EMU_RULE_FACTORING, 1, left, loop.workers, 0};
  const bool found = adviser_(loop, advice);
  // The present plan remains unless the new one is better.
  if (found && !changed(loop.mean_seconds, speeds) && now_ + advice.seconds >= end_ - better * advice.seconds)
    return;
  if (!rule_) {
    // The master's first estimate of the costs may be unusually high or low.
    advice.chunk = std::max<long long>(advice.chunk, left / (8LL * loop.workers));
    std::fill(used.begin(), used.end(), 1);
  }
  // A stopped slave does not come back. It may only seem slow, because its last iterations cost much.
  for (std::size_t i = 0; i < used.size(); ++i) {
    const bool doubtful = !used[i] && loop.mean_seconds < worth_stopping * advice.seconds * speeds[i];
    doubtful_[static_cast<std::size_t>(active_[i])] = doubtful;
    if (doubtful) used[i] = 1;
  }
  follow(advice, loop);
}

void Advised::follow(const emu_advice& advice, const emu_loop& loop) {
  advice_ = advice;
  mean_ = loop.mean_seconds;
  speeds_.assign(loop.speeds, loop.speeds + loop.workers);
  end_ = now_ + advice.seconds;
  std::vector<double> weights;
  std::vector<emu::advice::Worker> workers;
  for (std::size_t i = 0; i < active_.size(); ++i) {
    int& place = places_[static_cast<std::size_t>(active_[i])];
    place = loop.used[i] ? static_cast<int>(workers.size()) : -1;
    if (place < 0) continue;
    weights.push_back(std::max(speeds_[i], 1e-9));
    workers.push_back({.speed = weights.back()});
  }
  const auto rule = static_cast<emu::advice::Rule>(advice.rule);
  rule_ = emu::advice::make_chunks(rule, static_cast<std::int32_t>(loop.iterations),
                                   static_cast<int>(workers.size()), weights);
  emu::advice::tell_speeds(*rule_, workers, loop.mean_seconds, loop.deviation_seconds);
}

std::int32_t Advised::next(int slave, std::int32_t left) {
  if (due(left)) ask(left);
  const int place = places_[static_cast<std::size_t>(slave)];
  if (place < 0) {
    active_.erase(std::find(active_.begin(), active_.end(), slave));
    return 0;
  }
  ++dealt_;
  const std::vector<double> speeds = estimates_.speeds(now_);
  double sum = 0;
  for (const int one : active_) sum += speeds[static_cast<std::size_t>(one)];
  const double weight = speeds[static_cast<std::size_t>(slave)] * static_cast<double>(active_.size()) / sum;
  const emu::advice::Way way{.least = static_cast<std::int32_t>(advice_.chunk),
                             .most = static_cast<std::int32_t>(std::max(advice_.chunk, advice_.most))};
  std::int32_t count = std::min(left, emu::advice::bounds(way, weight).clamp(rule_->next(place, left)));
  if (doubtful_[static_cast<std::size_t>(slave)])
    count = std::clamp(static_cast<std::int32_t>(worth_stopping * (end_ - now_) *
                                                 speeds[static_cast<std::size_t>(slave)] / mean_),
                       1, count);
  estimates_.dealt(slave, iterations_ - left, count, now_);
  return count;
}

}  // namespace loops
