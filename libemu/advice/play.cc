#include "advice/play.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <memory>

namespace emu::advice {
namespace {

constexpr std::int32_t most_steps = 8192;
constexpr std::int64_t most_chunks = 1500;  // or this many for each worker, if that is more:
constexpr std::int64_t most_chunks_each = 6;
constexpr int instants = 8;
constexpr double slow = 10;  // factor of the time under a disturbance, for the exposure

// Quantiles of the normal distribution: Abramowitz and Stegun, Handbook of Mathematical Functions, 26.2.23.
double quantile(double p) {
  const double tail = std::sqrt(-2 * std::log(std::min(p, 1 - p)));
  const double z = tail - (2.515517 + tail * (0.802853 + tail * 0.010328)) /
                              (1 + tail * (1.432788 + tail * (0.189269 + tail * 0.001308)));
  return p < 0.5 ? -z : z;
}

const std::array<double, 1024>& quantiles() {
  static const std::array<double, 1024> table = [] {
    std::array<double, 1024> values{};
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = quantile((static_cast<double>(i) + 0.5) / 1024);
    return values;
  }();
  return table;
}

// splitmix64 (Steele, Lea and Flood, OOPSLA 2014).
std::uint64_t mixed(std::uint64_t i) {
  std::uint64_t z = (i + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

}  // namespace

// The cost of a step has a gamma distribution, by the approximation of Wilson and Hilferty (1931).
Rest::Rest(std::int32_t iterations, double mean, double deviation, double trend)
    : iterations_(iterations),
      mean_(mean),
      deviation_(deviation),
      trend_(std::clamp(trend, -1.9 * mean, 1.9 * mean)) {
  if (deviation <= 0 || mean <= 0 || iterations == 0) return;
  const std::int32_t steps = std::min(iterations, most_steps);
  per_iteration_ = static_cast<double>(steps) / iterations;
  const double of_step = mean / per_iteration_;
  const double ninth = deviation * deviation / (mean * mean) * per_iteration_ / 9, root = std::sqrt(ninth);
  sums_.resize(static_cast<std::size_t>(steps) + 2);
  double sum = 0;
  for (std::size_t i = 1; i < sums_.size(); ++i) {
    const double cube = std::max(0.0, 1 - ninth + quantiles()[mixed(i) >> 54] * root);
    sums_[i] = sum += of_step * cube * cube * cube;
  }
  // Scales the drawn costs to the given mean.
  const double scale = mean * iterations / sums_[static_cast<std::size_t>(steps)];
  for (double& s : sums_) s *= scale;
}

namespace {

class Player {
 public:
  Player(const Rest& rest, const std::vector<Worker>& workers, const Way& way, double limit)
      : rest_(rest), workers_(workers), way_(way), limit_(limit), left_(rest.iterations()) {
    members_.reserve(workers.size());
    double speeds = 0, work = rest.iterations() * rest.mean(), dealing = 0;
    for (const Worker& worker : workers) {
      members_.push_back({.place = static_cast<int>(used_.size())});
      if (!worker.used) continue;
      used_.push_back(worker);
      speeds += worker.speed;
      work += worker.speed * worker.busy;
      dealing += worker.receive + worker.send;
    }
    mean_speed_ = speeds / static_cast<double>(used_.size());
    shortest_ = std::max(work / speeds, dealing);
    for (std::size_t i = 0; i < workers.size(); ++i)
      members_[i].bounds = bounds(way, workers[i].speed / mean_speed_);
    make_rule();
  }

  Played play() {
    asking_.reserve(workers_.size());
    for (std::size_t i = 0; i < workers_.size(); ++i)
      asking_.push_back(asking(workers_[i].busy + workers_[i].back, i));
    std::sort(asking_.begin(), asking_.end());
    const auto many = std::max(most_chunks, most_chunks_each * static_cast<std::int64_t>(workers_.size()));
    std::int32_t half_left = 0;
    double half_time = 0;
    while (!asking_.empty()) {
      answer();
      if (played_.chunks == many / 2 && half_time == 0) {
        half_time = master_, half_left = left_;
        if (too_long()) return {.seconds = std::numeric_limits<double>::infinity()};
      }
      if (played_.chunks == many && skipped_ == 0) skip(half_left - left_, master_ - half_time);
      if (latest_ + skipped_ > limit_) return {.seconds = std::numeric_limits<double>::infinity()};
    }
    played_.seconds = std::max(end_, master_) + skipped_;
    played_.exposure = exposure();
    return played_;
  }

 private:
  // A request. Requests are ordered by arrival, then by the number of the worker: the bits of an instant that is not
  // negative have the order of the instants. An integer is compared without a branch.
  __extension__ using Asking = unsigned __int128;
  static Asking asking(double at, std::size_t worker) {
    return Asking{std::bit_cast<std::uint64_t>(at)} << 64 | worker;
  }
  static double arrival(Asking asking) {
    return std::bit_cast<double>(static_cast<std::uint64_t>(asking >> 64));
  }
  static std::size_t worker_of(Asking asking) { return static_cast<std::uint64_t>(asking); }

  struct Member {
    int place;  // among the workers that are used
    Bounds bounds{};
    std::int32_t count = 0;  // iterations of its chunk
    double seconds = 0, dealt = 0;
  };

  void make_rule() {
    const int workers = static_cast<int>(used_.size());
    std::vector<double> weights;
    for (const Worker& worker : used_) weights.push_back(worker.speed);
    rule_ = make_chunks(way_.rule, left_, workers, weights, {dealing_seconds(used_), rest_.deviation()});
    tell_speeds(*rule_, used_, rest_.mean(), rest_.deviation());
  }

  void answer() {
    const std::size_t number = worker_of(asking_.front());
    const Worker& worker = workers_[number];
    Member& own = members_[number];
    master_ = std::max(master_, arrival(asking_.front())) + worker.receive;
    if (own.count > 0)
      rule_->took(own.place, own.count, needs_turnaround(way_.rule) ? master_ - own.dealt : own.seconds);
    own.count = 0;
    own.dealt = master_;
    if (left_ > 0 && worker.used)
      own.count = std::min(left_, own.bounds.clamp(rule_->next(own.place, left_)));
    master_ += worker.send;
    const double begin = master_ + worker.there;
    if (own.count == 0) {
      end_ = std::max(end_, begin);
      const Asking last = asking_.back();
      asking_.pop_back();
      return put_first(last);
    }
    own.seconds = rest_.cost(next_, own.count) / worker.speed;
    next_ += own.count;
    left_ -= own.count;
    ++played_.chunks;
    latest_ = std::max(latest_, begin + own.seconds);
    expose(begin, begin + own.seconds);
    put_first(asking(begin + own.seconds + worker.back, number));
  }
  // Replaces the first request of the heap. Most new requests are late: the hole moves to a leaf, and the new request
  // moves up from there.
  void put_first(Asking asking) {
    const std::size_t size = asking_.size();
    if (size == 0) return;
    std::size_t hole = 0, child = 1;
    for (; child + 1 < size; child = 2 * hole + 1) {
      child += static_cast<std::size_t>(asking_[child] > asking_[child + 1]);
      asking_[hole] = asking_[child];
      hole = child;
    }
    if (child < size) {
      asking_[hole] = asking_[child];
      hole = child;
    }
    for (; hole > 0 && asking < asking_[(hole - 1) / 2]; hole = (hole - 1) / 2)
      asking_[hole] = asking_[(hole - 1) / 2];
    asking_[hole] = asking;
  }

  // Leaves out iterations, so that as many remain as were dealt in the last `seconds`.
  void skip(std::int32_t dealt, double seconds) {
    if (left_ <= dealt || dealt <= 0) return;
    skipped_ = (left_ - dealt) * (seconds / dealt);
    next_ += left_ - dealt;
    left_ = dealt;
  }

  // An estimate from the present rate. This is the greatest rate, since chunks do not grow, but the first chunks may be
  // late.
  bool too_long() const { return master_ * rest_.iterations() > 1.5 * limit_ * (rest_.iterations() - left_); }

  static double instant(int i, double seconds) { return (i + 0.5) / instants * seconds; }
  void expose(double begin, double end) {
    const double at = begin + skipped_;
    for (int i = std::max(0, static_cast<int>(at / shortest_ * instants - 0.5)); i < instants; ++i) {
      const double t = instant(i, shortest_);
      if (t >= end + skipped_) break;
      if (t < at) continue;
      double& late = late_[static_cast<std::size_t>(i)];
      late = std::max(late, t + slow * (end + skipped_ - t));
    }
  }
  double exposure() const {
    double sum = 0;
    int covered = 0;
    for (const double late : late_) {
      covered += late > 0;
      sum += late > 0 ? std::max(0.0, late - played_.seconds) : 0;
    }
    return covered == 0 ? 0 : sum / covered;
  }

  const Rest& rest_;
  const std::vector<Worker>& workers_;
  const Way way_;
  const double limit_;
  std::vector<Worker> used_;
  double mean_speed_ = 1;
  std::int32_t left_, next_ = 0;
  std::vector<Member> members_;
  std::vector<Asking> asking_;  // a heap
  std::unique_ptr<Chunks> rule_;
  double master_ = 0, end_ = 0, latest_ = 0, skipped_ = 0, shortest_ = 0;
  std::array<double, instants> late_{};
  Played played_;
};

}  // namespace

double dealing_seconds(const std::vector<Worker>& workers) {
  double sum = 0;
  for (const Worker& worker : workers) sum += worker.receive + worker.send + worker.there + worker.back;
  return sum / static_cast<double>(workers.size());
}

Bounds bounds(const Way& way, double weight) {
  const auto bound = [&](std::int32_t of_mean) {
    return static_cast<std::int32_t>(std::clamp(std::round(of_mean * weight), 1.0, 2147483647.0));
  };
  const std::int32_t least = way.least == 1 ? 1 : bound(way.least);
  return {least, std::max(least, way.most == Way().most ? way.most : bound(way.most))};
}

void tell_speeds(Chunks& rule, const std::vector<Worker>& workers, double mean, double deviation) {
  // Two chunks of this size, whose times deviate from their mean to either side, so that their variance is that of the
  // iterations.
  constexpr std::int32_t iterations = 16;
  const double off = deviation * std::sqrt(iterations / 2.0);
  for (const int sign : {1, -1})
    for (std::size_t i = 0; i < workers.size(); ++i)
      rule.took(static_cast<int>(i), iterations,
                std::max(mean * iterations * 0.01, mean * iterations + sign * off) / workers[i].speed);
}

Played play(const Rest& rest, const std::vector<Worker>& workers, const Way& way, double limit) {
  if (workers.empty() || rest.iterations() == 0) return {};
  return Player(rest, workers, way, limit).play();
}

}  // namespace emu::advice
