// The rule `advised`: the master follows advice on the rest of the loop, and asks again from time to time.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "advice/chunks.h"
#include "emu/emu.h"
#include "estimates.h"

namespace loops {

// Fills in `advice`. False if there is no advice.
using Adviser = std::function<bool(const emu_loop& loop, emu_advice& advice)>;

class Advised : public emu::advice::Chunks {
 public:
  // `tried`: mean time of an iteration that the master has tried out, in seconds. `iterations` does not include these.
  Advised(std::int32_t iterations, int slaves, Adviser adviser, double tried);

  void clock(double now) override { now_ = now; }
  void took(int slave, std::int32_t iterations, double seconds) override;
  // 0: the slave should get no more chunks, and has to be stopped.
  std::int32_t next(int slave, std::int32_t left) override;

 private:
  bool due(std::int32_t left) const;
  void ask(std::int32_t left);
  // True if the speeds or the mean cost differ from those of the plan.
  bool changed(double mean, const std::vector<double>& speeds) const;
  void follow(const emu_advice& advice, const emu_loop& loop);

  const std::int32_t iterations_;
  const Adviser adviser_;
  Estimates estimates_;
  double now_ = 0;  // by the master's clock
  std::unique_ptr<emu::advice::Chunks> rule_;
  emu_advice advice_{};         // the present plan
  std::vector<int> active_;     // slaves that have not been stopped
  std::vector<int> places_;     // by slave: index among the slaves of the plan; -1: the plan excludes it
  std::vector<char> doubtful_;  // by slave: true if the plan excludes it, but it may only seem slow
  std::vector<double> speeds_;  // speeds and mean cost for which the plan was made
  double mean_ = 0;
  double end_ = 0;            // end of the loop by the plan
  int dealt_ = 0, back_ = 0;  // chunks since the plan was made
};

}  // namespace loops
