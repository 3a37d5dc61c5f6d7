// Estimates of a loop's master from the returned chunks: costs of iterations, and speeds of the slaves.
#pragma once

#include <cstdint>
#include <vector>

namespace loops {

class Estimates {
 public:
  // `last`: seconds of one of the last iterations, which the master has tried out.
  Estimates(std::int32_t iterations, int slaves, double last)
      : iterations_(iterations), slaves_(static_cast<std::size_t>(slaves)), last_(last) {}

  void dealt(int slave, std::int32_t first, std::int32_t count, double now);
  // A slave has returned its chunk.
  void took(int slave, std::int32_t count, double seconds, double now);

  // Costs of the iterations from `first` on, on a CPU of speed 1, the mean speed of the slaves.
  double mean(std::int32_t first) const;
  double deviation(std::int32_t first) const;
  double trend(std::int32_t first) const;  // cost of the last iteration less that of `first`
  // Speeds of the slaves, relative to their mean.
  std::vector<double> speeds(double now) const;
  // Time until each slave has completed its present chunk.
  std::vector<double> busy(double now, const std::vector<double>& speeds) const;

 private:
  struct Slave {
    std::int32_t first = 0, count = 0;  // its present chunk
    double dealt_at = 0;
    double overhead = 0;  // time of its last chunk in addition to the work
    // Sums over the earlier chunks; the latest ones count most.
    double iterations = 0, seconds = 0, cost = 0;
  };
  // The estimated cost of an iteration at the place `at`, 0 to 1.
  double cost(double at) const;
  double cost_of(std::int32_t first, std::int32_t count) const;
  double place(std::int32_t first, std::int32_t count) const { return (first + 0.5 * count) / iterations_; }

  const double iterations_;
  std::vector<Slave> slaves_;
  // Sums over chunks, each with the weight of its iterations: of 1, places, seconds of an iteration, and products.
  double weight_ = 0, x_ = 0, xx_ = 0, y_ = 0, xy_ = 0, yy_ = 0;
  // Sum of squared relative deviations of chunks from the preceding chunks of their slaves, times iterations.
  double squares_ = 0;
  int pairs_ = 0;
  double most_overhead_ = 0;  // maximum over the slaves
  const double last_;         // seconds of one of the last iterations
  int chunks_ = 0;
};

}  // namespace loops
