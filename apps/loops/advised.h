// The rule `advised`: the master asks for advice on the rest of the loop, follows it for a while, and asks again.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "advice/chunks.h"
#include "emu/emu.h"
#include "estimates.h"

namespace loops {

// Fills in `advice`. False: there is none.
using Adviser = std::function<bool(const emu_loop& loop, emu_advice& advice)>;

class Advised : public emu::advice::Chunks {
 public:
  // `tried`: what an iteration took of those that the master has tried out, in seconds; they are none of `iterations`.
  Advised(std::int32_t iterations, int slaves, Adviser adviser, double tried);

  void clock(double now) override { now_ = now; }
  void took(int slave, std::int32_t iterations, double seconds) override;
  // 0: the slave is not worth dealing to, and has to be stopped.
  std::int32_t next(int slave, std::int32_t left) override;

 private:
  bool due(std::int32_t left) const;
  void ask(std::int32_t left);
  // The speeds are others than those that the plan was made for.
  bool changed(double mean, const std::vector<double>& speeds) const;
  void follow(const emu_advice& advice, const emu_loop& loop);

  const std::int32_t iterations_;
  const Adviser adviser_;
  Estimates estimates_;
  double now_ = 0;  // by the master's clock
  std::unique_ptr<emu::advice::Chunks> rule_;
  emu_advice advice_{};      // that it follows
  std::vector<int> active_;  // slaves that have not been stopped
  std::vector<int>
      places_;  // of each slave among those that the rule deals to; -1: the plan has nothing for it
  std::vector<char> doubtful_;  // of each slave: the plan has nothing for it, but it may only seem slow
  std::vector<double> speeds_;  // that it was given for, and the mean cost
  double mean_ = 0;
  double end_ = 0;            // that it promised
  int dealt_ = 0, back_ = 0;  // chunks since then
};

}  // namespace loops
