#include "skeleton/play/plan.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "skeleton/generate/prelude.h"
#include "skeleton/play/accounts.h"
#include "skeleton/program/element.h"

namespace emu::skeleton {
namespace {

static_assert(most_turns == most_turns_kept);

// The number that the C program reads from its own source text.
double as_text(double value, const char* format) {
  char text[40];
  std::snprintf(text, sizeof text, format, value);
  return std::strtod(text, nullptr);
}

struct Times {
  double times = 1;
  bool scaled = false;
};

class Planning {
 public:
  Planning(const Scaling& scaling, Plan& plan) : scaling_(scaling), plan_(plan) {}

  std::vector<Planned> items(const std::vector<Node>& nodes) {
    std::vector<Planned> result;
    for (const Node& node : nodes) {
      if (node.is_loop())
        result.push_back(loop(node));
      else if (node.step.function() == Function::farm)
        result.push_back(farm(node));
      else
        result.push_back(step(node.step));
    }
    return result;
  }

 private:
  Planned step(const Step& step) {
    Planned item;
    item.step = &step;
    item.work = work(step);
    bool any_source = false, named = false;
    for (const Call& call : step.calls) {
      if (call.function == Function::nothing) continue;
      if (item.unit == 1) item.unit = element_of(call.unit).bytes;
      const bool both = call.function == Function::sendrecv;
      const std::int32_t from = both ? call.source : call.peer;
      any_source = any_source || from == any;
      named = named || from >= 0;
      item.of_any_tag = item.of_any_tag || (both ? call.source_tag : call.tag) == any;
    }
    item.of_any = any_source && !named;
    return item;
  }

  PlannedWork work(const Step& step) {
    PlannedWork work;
    double least = 1e300, most = 0, sum = 0;
    for (const double each : step.work) {
      least = std::min(least, each);
      most = std::max(most, each);
      sum += each;
    }
    if (most == 0) return work;
    work.any = true;
    if (most - least <= 1e-6 * most) {
      work.of_all = as_text(sum / static_cast<double>(step.work.size()), "%.9g");
    } else {
      for (const double each : step.work) work.of_rank.push_back(as_text(each, "%.9g"));
    }
    if (step.variation.none() || times_.times < 2) return work;
    for (std::size_t i = 0; i < class_ends.size() && i < step.variation.classes.size(); ++i)
      work.classes[i] = as_text(step.variation.classes[i], "%.9g");
    constexpr double many = 1e15;
    const double times = std::min(times_.times, many), rounds = std::ceil(times / most_turns);
    work.turn_count = static_cast<int>(std::lround(times / rounds));
    work.together = as_text(step.variation.together, "%.9g");
    work.only_scaled = times_.scaled;
    work.turns = plan_.turns++;
    return work;
  }

  Planned loop(const Node& node) {
    Planned item;
    Times inside{times_.times * node.times, times_.scaled};
    if (const auto scale = scaling_.loops.find(&node); scale != scaling_.loops.end()) {
      item.kind = Planned::Kind::scaled_loop;
      item.scale = scale->second;
      item.scale.weight = as_text(item.scale.weight, "%.15g");
      item.state = plan_.samples++;
      inside = {times_.times * static_cast<double>(item.scale.rest), true};
    } else if (node.varies) {
      item.kind = Planned::Kind::varying_loop;
      item.mean = as_text(node.times, "%.6g");
      item.state = plan_.lefts++;
    } else {
      item.kind = Planned::Kind::loop;
      item.times = static_cast<long>(node.times);
    }
    const Times outside = std::exchange(times_, inside);
    item.body = items(node.body);
    times_ = outside;
    return item;
  }

  Planned farm(const Node& node) {
    Planned item = step(node.step);
    const auto scale = scaling_.farms.find(&node);
    const auto farm = farm_of(node.step.calls.front());
    item.kind = Planned::Kind::farm;
    if (scale == scaling_.farms.end() || !farm) {
      item.kind = Planned::Kind::step;
      return item;
    }
    constexpr long most = 16384;
    FarmScale of_works = scale->second;
    if (of_works.tasks() > most) of_works = {.first = most};
    for (const double each : works_of(*farm, of_works)) item.farm.works.push_back(as_text(each, "%.6g"));
    item.farm.scale = scale->second;
    item.farm.factor = as_text(scale->second.weight, "%.15g");
    item.farm.master_work = as_text(farm->master_work, "%.9g");
    item.farm.result_bytes = farm->result_bytes;
    item.farm.asks = farm->asks;
    return item;
  }

  const Scaling& scaling_;
  Plan& plan_;
  Times times_;
};

}  // namespace

Plan plan_of(const Skeleton& skeleton, const Scaling& scaling) {
  Plan plan;
  plan.ranks = skeleton.ranks;
  plan.items = Planning(scaling, plan).items(skeleton.nodes);
  return plan;
}

}  // namespace emu::skeleton
