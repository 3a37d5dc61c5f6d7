#include "estimates.h"

#include <algorithm>
#include <cmath>

namespace loops {
namespace {

constexpr double kept = 0.5;             // weight of a slave's earlier chunks after its next chunk
constexpr double usual_deviation = 0.2;  // relative to the mean, for the first few chunks
constexpr double overdue = 1.5;          // factor of the expected time
constexpr int few = 4;                   // pairs of chunks

}  // namespace

void Estimates::dealt(int slave, std::int32_t first, std::int32_t count, double now) {
  Slave& s = slaves_[static_cast<std::size_t>(slave)];
  s.first = first;
  s.count = count;
  s.dealt_at = now;
}

void Estimates::took(int slave, std::int32_t count, double seconds, double now) {
  Slave& s = slaves_[static_cast<std::size_t>(slave)];
  s.overhead = std::max(0.0, now - s.dealt_at - seconds);
  most_overhead_ = std::max(most_overhead_, s.overhead);
  const double x = place(s.first, count), y = seconds / count;
  weight_ += count;
  x_ += count * x;
  xx_ += count * x * x;
  y_ += seconds;
  xy_ += seconds * x;
  yy_ += seconds * y;
  ++chunks_;
  const double expected = cost_of(s.first, count);
  s.count = 0;
  if (expected <= 0 || seconds <= 0) return;
  if (s.iterations > 0) {
    const double before = s.seconds / s.cost, now = seconds / expected,
                 off = (now - before) / (0.5 * (now + before));
    squares_ += off * off / (1 / s.iterations + 1.0 / count);
    ++pairs_;
  }
  s.iterations = kept * s.iterations + count;
  s.seconds = kept * s.seconds + seconds;
  s.cost = kept * s.cost + expected;
}

// The mean of all chunks, or a line through them if it explains them much better and agrees with the last iteration.
// (The slaves that get the first chunks may be the fast ones.)
double Estimates::cost(double at) const {
  if (weight_ == 0) return last_;
  const double mean = y_ / weight_;
  const double sxx = xx_ - x_ * x_ / weight_, sxy = xy_ - x_ * y_ / weight_, syy = yy_ - y_ * y_ / weight_;
  if (chunks_ < few || sxx <= 1e-12 * weight_ || sxy * sxy < 0.5 * sxx * syy) return mean;
  const auto line = [&](double x) { return mean + sxy / sxx * (x - x_ / weight_); };
  if (line(1) < 0.5 * last_ || line(1) > 2 * last_) return mean;
  return std::max(0.05 * mean, line(at));
}

double Estimates::cost_of(std::int32_t first, std::int32_t count) const {
  return count * cost(place(first, count));
}

double Estimates::mean(std::int32_t first) const {
  return cost(place(first, static_cast<std::int32_t>(iterations_) - first));
}

double Estimates::trend(std::int32_t first) const { return cost(1) - cost(first / iterations_); }

double Estimates::deviation(std::int32_t first) const {
  const double prior = usual_deviation * usual_deviation;
  return mean(first) * std::sqrt((few * prior + squares_) / (few + pairs_));
}

// The observed speeds, moved towards their mean as far as the spread of the costs explains their differences.
std::vector<double> Estimates::speeds(double now) const {
  const double noise = (few * usual_deviation * usual_deviation + squares_) / (few + pairs_);
  double sum = 0, squares = 0, noises = 0;
  int known = 0;
  for (const Slave& s : slaves_) {
    if (s.iterations <= 0) continue;
    const double speed = s.cost / s.seconds;
    sum += speed;
    squares += speed * speed;
    noises += noise / s.iterations;
    ++known;
  }
  std::vector<double> speeds(slaves_.size(), 1);
  if (known > 0) {
    const double mean = sum / known;
    const double between = std::max(0.0, squares / known / (mean * mean) - 1 - noises / known);
    for (std::size_t i = 0; i < slaves_.size(); ++i) {
      const Slave& s = slaves_[i];
      if (s.iterations <= 0) {
        speeds[i] = mean;
        continue;
      }
      const double share = between / (between + noise / s.iterations);
      speeds[i] = mean + share * (s.cost / s.seconds - mean);
    }
  }
  // A slave that is late is slower than before.
  for (std::size_t i = 0; i < slaves_.size(); ++i) {
    const Slave& s = slaves_[i];
    if (s.count == 0) continue;
    const double overhead = s.iterations > 0 ? s.overhead : most_overhead_;
    const double elapsed = now - s.dealt_at - 2 * overhead, cost = cost_of(s.first, s.count);
    if (elapsed > overdue * cost / speeds[i]) speeds[i] = cost / (overdue * elapsed);
  }
  return speeds;
}

std::vector<double> Estimates::busy(double now, const std::vector<double>& speeds) const {
  std::vector<double> busy(slaves_.size());
  for (std::size_t i = 0; i < slaves_.size(); ++i) {
    const Slave& s = slaves_[i];
    if (s.count == 0) continue;
    const double takes = cost_of(s.first, s.count) / speeds[i];
    busy[i] = std::max(0.0, s.dealt_at + takes + s.overhead / 2 - now);
  }
  return busy;
}

}  // namespace loops
