#include "advice/chunks.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace emu::advice {
namespace {

std::int32_t ceiling(std::int64_t a, std::int64_t b) { return static_cast<std::int32_t>((a + b - 1) / b); }

// One equal part for each slave.
class Fixed : public Chunks {
 public:
  Fixed(std::int32_t iterations, int slaves) : iterations_(iterations), slaves_(slaves) {}
  std::int32_t next(int, std::int32_t left) override {
    // The parts are as equal as possible: the larger ones come first.
    const std::int32_t size = iterations_ / slaves_ + (given_ < iterations_ % slaves_ ? 1 : 0);
    ++given_;
    return std::clamp(size, 1, left);
  }

 private:
  std::int32_t iterations_;
  int slaves_;
  int given_ = 0;
};

class Self : public Chunks {
 public:
  std::int32_t next(int, std::int32_t) override { return 1; }
};

// A P-th of the remaining iterations.
class Guided : public Chunks {
 public:
  explicit Guided(int slaves) : slaves_(slaves) {}
  std::int32_t next(int, std::int32_t left) override { return ceiling(left, slaves_); }

 private:
  int slaves_;
};

// Chunks from N / (2P) down to 1 by equal steps.
class Trapezoid : public Chunks {
 public:
  Trapezoid(std::int32_t iterations, int slaves) {
    size_ = std::max(1, iterations / (2 * slaves));
    const std::int32_t chunks = std::max(2, ceiling(std::int64_t{2} * iterations, size_ + 1));
    step_ = (size_ - 1) / (chunks - 1);
  }
  std::int32_t next(int, std::int32_t left) override {
    const std::int32_t size = std::clamp(size_, 1, left);
    size_ -= step_;
    return size;
  }

 private:
  std::int32_t size_;
  std::int32_t step_;
};

// Batches of P chunks. Each batch is half of the remaining iterations. With weights, a slave's chunk is its weight's
// part of the batch.
class Factoring : public Chunks {
 public:
  explicit Factoring(std::vector<double> weights) : weights_(std::move(weights)) {
    const double sum = std::accumulate(weights_.begin(), weights_.end(), 0.0);
    for (double& weight : weights_) weight *= static_cast<double>(weights_.size()) / sum;
  }
  std::int32_t next(int slave, std::int32_t left) override {
    const int slaves = static_cast<int>(weights_.size());
    if (chunks_ == 0) {
      chunks_ = slaves;
      size_ = ceiling(left, std::int64_t{2} * slaves);
    }
    --chunks_;
    const double size = std::ceil(weight(slave) * size_ - 1e-9);
    return static_cast<std::int32_t>(std::clamp(size, 1.0, static_cast<double>(left)));
  }

 protected:
  // The mean of all weights is 1.
  virtual double weight(int slave) const { return weights_[static_cast<std::size_t>(slave)]; }

 private:
  std::vector<double> weights_;
  int chunks_ = 0;         // left in this batch
  std::int32_t size_ = 0;  // of a chunk of weight 1
};

// The slaves' speeds from the times of their chunks. Later chunks count more: a slave's chunk number k counts k times.
class Speeds {
 public:
  explicit Speeds(int slaves) : seen_(static_cast<std::size_t>(slaves)) {}
  void took(int slave, std::int32_t iterations, double seconds) {
    Seen& s = seen_[static_cast<std::size_t>(slave)];
    ++s.chunks;
    s.iterations += static_cast<double>(s.chunks) * iterations;
    s.seconds += s.chunks * seconds;
    known_ -= s.speed > 0;
    sum_ -= s.speed;
    s.speed = s.seconds > 0 ? s.iterations / s.seconds : 0;
    known_ += s.speed > 0;
    sum_ += s.speed;
  }
  // The mean of all weights is 1. A slave of unknown speed counts as the mean of the others.
  double weight(int slave) const {
    const double own = seen_[static_cast<std::size_t>(slave)].speed;
    return own == 0 ? 1 : own * known_ / std::max(sum_, own);
  }

 private:
  struct Seen {
    int chunks = 0;
    double iterations = 0;  // weighted
    double seconds = 0;     // weighted
    double speed = 0;       // 0: not known
  };
  std::vector<Seen> seen_;
  int known_ = 0;   // slaves of known speed
  double sum_ = 0;  // of their speeds
};

// Factoring with weights that change with each chunk.
class Adaptive : public Factoring {
 public:
  explicit Adaptive(int slaves) : Factoring(std::vector<double>(slaves, 1.0)), speeds_(slaves) {}
  void took(int slave, std::int32_t iterations, double seconds) override {
    speeds_.took(slave, iterations, seconds);
  }

 private:
  double weight(int slave) const override { return speeds_.weight(slave); }
  Speeds speeds_;
};

// Adaptive weighted factoring: weights change with each batch or with each chunk.
class WeightedFactoring : public Chunks {
 public:
  WeightedFactoring(int slaves, bool by_batch)
      : speeds_(slaves), weights_(static_cast<std::size_t>(slaves), 1.0), by_batch_(by_batch) {}
  std::int32_t next(int slave, std::int32_t left) override {
    if (!by_batch_)
      begin_chunk(slave, left);
    else if (chunks_ == 0)
      begin_batch(left);
    --chunks_;
    const double size = std::ceil(weights_[static_cast<std::size_t>(slave)] * size_ - 1e-9);
    return static_cast<std::int32_t>(std::clamp(size, 1.0, static_cast<double>(left)));
  }
  void took(int slave, std::int32_t iterations, double seconds) override {
    speeds_.took(slave, iterations, seconds);
  }

 private:
  // Each chunk is a batch of its own, so only this slave's weight counts.
  void begin_chunk(int slave, std::int32_t left) {
    size_ = ceiling(left, std::int64_t{2} * static_cast<std::int64_t>(weights_.size()));
    weights_[static_cast<std::size_t>(slave)] = speeds_.weight(slave);
  }
  void begin_batch(std::int32_t left) {
    const int slaves = static_cast<int>(weights_.size());
    chunks_ = slaves;
    size_ = ceiling(left, std::int64_t{2} * slaves);
    for (int slave = 0; slave < slaves; ++slave)
      weights_[static_cast<std::size_t>(slave)] = speeds_.weight(slave);
  }

  Speeds speeds_;
  std::vector<double> weights_;
  const bool by_batch_;
  int chunks_ = 0;         // left in this batch
  std::int32_t size_ = 0;  // of a chunk of weight 1
};

// Chunks of one size.
class Same : public Chunks {
 public:
  explicit Same(std::int32_t size) : size_(size) {}
  std::int32_t next(int, std::int32_t left) override { return std::clamp(size_, 1, left); }

 private:
  std::int32_t size_;
};

// The size of least expected time by Kruskal and Weiss, at most an equal part.
std::int32_t fixed_size(std::int32_t iterations, int slaves, const Costs& costs) {
  const std::int32_t part = ceiling(iterations, slaves);
  if (slaves == 1 || costs.overhead <= 0 || costs.deviation <= 0)
    return costs.overhead > 0 || slaves == 1 ? part : 1;
  const double root =
      std::sqrt(2.0) * iterations * costs.overhead / (costs.deviation * slaves * std::sqrt(std::log(slaves)));
  return static_cast<std::int32_t>(
      std::clamp(std::round(std::pow(root, 2.0 / 3)), 1.0, static_cast<double>(part)));
}

// The size with which there are as many chunks as with factoring.
std::int32_t size_as_factoring(std::int32_t iterations, int slaves) {
  Factoring factoring(std::vector<double>(static_cast<std::size_t>(slaves), 1.0));
  std::int32_t chunks = 0;
  for (std::int32_t left = iterations; left > 0; ++chunks) left -= factoring.next(chunks % slaves, left);
  return ceiling(iterations, chunks);
}

// Adaptive factoring: a slave's chunk depends on the means and variances of all slaves. The mean and the variance of an
// iteration are estimated from the times of chunks: a chunk of n iterations has n times both. A slave gets small chunks
// until it has had two.
class AdaptiveFactoring : public Chunks {
 public:
  AdaptiveFactoring(std::int32_t iterations, int slaves)
      : seen_(static_cast<std::size_t>(slaves)), first_(std::max(1, iterations / (20 * slaves))) {}
  void took(int slave, std::int32_t iterations, double seconds) override {
    Seen& s = seen_[static_cast<std::size_t>(slave)];
    ++s.chunks;
    s.iterations += iterations;
    s.seconds += seconds;
    s.squares += seconds * seconds / iterations;
    if (!s.known()) return;
    known_ += s.inverse == 0;
    variance_over_mean_ -= s.variance_over_mean;
    inverse_ -= s.inverse;
    s.variance_over_mean = s.variance() / s.mean();
    s.inverse = 1 / s.mean();
    variance_over_mean_ += s.variance_over_mean;
    inverse_ += s.inverse;
  }
  std::int32_t next(int slave, std::int32_t left) override {
    const Seen& own = seen_[static_cast<std::size_t>(slave)];
    if (!own.known()) return std::min(first_, left);
    // An unknown slave counts as the mean of the known ones.
    const double all = static_cast<double>(seen_.size()) / known_;
    const double d = std::max(0.0, variance_over_mean_ * all),
                 t = 1 / (std::max(inverse_, own.inverse) * all), r = left;
    const double size = (d + 2 * t * r - std::sqrt(d * d + 4 * d * t * r)) / (2 * own.mean());
    return static_cast<std::int32_t>(std::clamp(std::round(size), 1.0, static_cast<double>(left)));
  }

 private:
  struct Seen {
    int chunks = 0;
    double iterations = 0, seconds = 0;
    double squares = 0;                          // of the times of chunks, over their iterations
    double variance_over_mean = 0, inverse = 0;  // valid once the slave is known
    bool known() const { return chunks > 1 && seconds > 0; }
    double mean() const { return seconds / iterations; }
    double variance() const {
      return std::max(0.0, (squares - seconds * seconds / iterations) / (chunks - 1));
    }
  };
  std::vector<Seen> seen_;
  int known_ = 0;                                // number of known slaves,
  double variance_over_mean_ = 0, inverse_ = 0;  // and sums over these
  const std::int32_t first_;
};

}  // namespace

void Chunks::took(int, std::int32_t, double) {}

void Chunks::clock(double) {}

const std::vector<std::string>& rule_names() {
  static const std::vector<std::string> names{"static",   "self",     "guided", "factoring", "trapezoid",
                                              "weighted", "adaptive", "fsc",    "mfsc",      "af",
                                              "awf-b",    "awf-c",    "awf-d",  "awf-e",     "advised"};
  return names;
}

bool needs_turnaround(Rule rule) { return rule == Rule::awf_d || rule == Rule::awf_e; }

bool needs_times(Rule rule) {
  return rule == Rule::weighted || rule == Rule::adaptive || rule == Rule::af || rule == Rule::awf_b ||
         rule == Rule::awf_c || needs_turnaround(rule) || rule == Rule::advised;
}

std::unique_ptr<Chunks> make_chunks(Rule rule, std::int32_t iterations, int slaves,
                                    const std::vector<double>& weights, const Costs& costs) {
  switch (rule) {
    case Rule::fixed:
      return std::make_unique<Fixed>(iterations, slaves);
    case Rule::guided:
      return std::make_unique<Guided>(slaves);
    case Rule::factoring:
      return std::make_unique<Factoring>(std::vector<double>(slaves, 1.0));
    case Rule::trapezoid:
      return std::make_unique<Trapezoid>(iterations, slaves);
    case Rule::weighted:
      return std::make_unique<Factoring>(weights);
    case Rule::adaptive:
      return std::make_unique<Adaptive>(slaves);
    case Rule::fsc:
      return std::make_unique<Same>(fixed_size(iterations, slaves, costs));
    case Rule::mfsc:
      return std::make_unique<Same>(size_as_factoring(iterations, slaves));
    case Rule::af:
      return std::make_unique<AdaptiveFactoring>(iterations, slaves);
    case Rule::awf_b:
    case Rule::awf_d:
      return std::make_unique<WeightedFactoring>(slaves, true);
    case Rule::awf_c:
    case Rule::awf_e:
      return std::make_unique<WeightedFactoring>(slaves, false);
    case Rule::self:
    case Rule::advised:
      break;
  }
  return std::make_unique<Self>();
}

}  // namespace emu::advice
