#include "chunks.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace loops {
namespace {

std::int32_t ceiling(std::int64_t a, std::int64_t b) { return static_cast<std::int32_t>((a + b - 1) / b); }

// Each slave an equal part, at once.
class Fixed : public Chunks {
 public:
  Fixed(std::int32_t iterations, int slaves) : iterations_(iterations), slaves_(slaves) {}
  std::int32_t next(int, std::int32_t left) override {
    // As equal as they can be: those parts that are not smaller come first.
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

// A P-th of what is left.
class Guided : public Chunks {
 public:
  explicit Guided(int slaves) : slaves_(slaves) {}
  std::int32_t next(int, std::int32_t left) override { return ceiling(left, slaves_); }

 private:
  int slaves_;
};

// From N / (2P) down to 1 by equal steps.
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

// Batches of P chunks, each batch half of what is left. With weights a slave's chunk is its weight's part of
// the batch.
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
  // The mean of all is 1.
  virtual double weight(int slave) const { return weights_[static_cast<std::size_t>(slave)]; }

 private:
  std::vector<double> weights_;
  int chunks_ = 0;         // left in this batch
  std::int32_t size_ = 0;  // of a chunk of weight 1
};

// Weights from the times per iteration that were seen, those of later chunks counting more: chunk number k of
// a slave counts k times.
class Adaptive : public Factoring {
 public:
  explicit Adaptive(int slaves) : Factoring(std::vector<double>(slaves, 1.0)), seen_(slaves) {}
  void took(int slave, std::int32_t iterations, double seconds) override {
    Seen& s = seen_[static_cast<std::size_t>(slave)];
    ++s.chunks;
    s.iterations += static_cast<double>(s.chunks) * iterations;
    s.seconds += s.chunks * seconds;
  }

 private:
  struct Seen {
    int chunks = 0;
    double iterations = 0;  // weighted
    double seconds = 0;     // weighted
    double speed() const { return seconds > 0 ? iterations / seconds : 0; }
  };

  // Slaves that nothing is known of count as the mean of the others.
  double weight(int slave) const override {
    const double own = seen_[static_cast<std::size_t>(slave)].speed();
    if (own == 0) return 1;
    double sum = 0;
    int known = 0;
    for (const Seen& s : seen_) {
      sum += s.speed();
      known += s.speed() > 0;
    }
    return own * known / sum;
  }

  std::vector<Seen> seen_;
};

}  // namespace

void Chunks::took(int, std::int32_t, double) {}

const std::vector<std::string>& rule_names() {
  static const std::vector<std::string> names{"static",    "self",     "guided",  "factoring",
                                              "trapezoid", "weighted", "adaptive"};
  return names;
}

std::unique_ptr<Chunks> make_chunks(Rule rule, std::int32_t iterations, int slaves,
                                    const std::vector<double>& weights) {
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
    case Rule::self:
      break;
  }
  return std::make_unique<Self>();
}

}  // namespace loops
