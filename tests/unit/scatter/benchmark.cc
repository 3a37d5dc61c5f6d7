// Times of plans of the size of the paper's experiment, and the errors of the heuristics: 817,101 items for 16
// processors with the rates of config/seismic-grid-16.toml.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "scatter/exact.h"
#include "scatter/heuristic.h"
#include "scatter/linear.h"
#include "scatter/order.h"

namespace {

using namespace emu;
using namespace emu::scatter;

constexpr Items rays = 817'101;

// Nanoseconds per ray: to send it, and to compute it.
const std::vector<std::pair<std::int64_t, std::int64_t>>& rates() {
  static const std::vector<std::pair<std::int64_t, std::int64_t>> all = [] {
    std::vector<std::pair<std::int64_t, std::int64_t>> r = {
        {0, 9288000},     {11200, 9365000}, {10000, 4629000},  {17000, 4885000},
        {81500, 3976000}, {81500, 3976000}, {21000, 16156000}, {21000, 16156000}};
    for (int i = 0; i < 8; ++i) r.push_back({35300, 9677000});
    return r;
  }();
  return all;
}

enum class Form { affine, function, table, measured, steps };

// Forms of the affine `cost`: the cost itself; equal functions and tables; a table of sums of rays
// with costs between zero and twice the mean, like measurements; and a table that rises every 10 rays.
Cost in_form(const Cost& cost, Form form) {
  if (form == Form::affine) return cost;
  if (form == Form::function) return Cost::function([cost](Items n) { return cost.of(n); });
  static std::mt19937_64 random(1);
  std::vector<Interval> values;
  Interval sum;
  for (Items n = 0; n <= rays; ++n) {
    if (form == Form::measured && n > 0)
      sum += Interval::picoseconds(static_cast<std::int64_t>(random() % (2'000'001)) *
                                   cost.of(1).picoseconds() / 1'000'000);
    values.push_back(form == Form::measured ? sum : cost.of(form == Form::steps ? (n + 9) / 10 * 10 : n));
  }
  return Cost::table(std::move(values));
}

Problem problem(Interval fixed, Form form) {
  std::vector<Processor> processors;
  for (const auto& [send, compute] : rates()) {
    const Processor p{Cost::affine(send ? fixed : Interval(), Rate::femtoseconds_per_byte(send * 1'000'000)),
                      Cost::affine(Interval(), Rate::femtoseconds_per_byte(compute * 1'000'000))};
    processors.push_back({in_form(p.send, form), in_form(p.compute, form)});
  }
  return {rays, in_order(processors, by_bandwidth(processors, 0, rays))};
}

// Milliseconds of CPU time: the median of several runs.
template <class Run>
double milliseconds(int runs, Run run) {
  std::vector<double> times;
  for (int i = 0; i < runs; ++i) {
    const std::clock_t begin = std::clock();
    run();
    times.push_back(1e3 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

template <class Method>
void report(const char* name, const Problem& what, int runs, Interval best, Method method) {
  Interval makespan;
  const double time = milliseconds(runs, [&] {
    const auto plan = method(what);
    makespan = plan ? plan->makespan : Interval();
    if (!plan) std::printf("%s\n", plan.error().message.c_str());
  });
  if (best == Interval()) best = makespan;
  std::printf("%-44s %9.3f ms  %.12f s  misses by %.2e\n", name, time, makespan.seconds(),
              (makespan - best).seconds() / best.seconds());
}

}  // namespace

int main() {
  const Problem linear = problem(Interval(), Form::affine);
  const Interval best = exact(linear)->makespan;
  report("linear costs: exact", linear, 21, best, exact);
  report("linear costs: closed form", linear, 21, best, closed_form);
  report("linear costs: heuristic", linear, 21, best,
         [](const Problem& p) -> Result<Plan> { return heuristic(p)->plan; });
  report("linear costs: uniform", linear, 21, best,
         [](const Problem& p) { return finished(p, uniform(p.items, p.processors.size())); });
  for (const int ms : {1, 100}) {
    const Problem affine = problem(Interval::picoseconds(ms * 1'000'000'000LL), Form::affine);
    const Interval least = exact(affine)->makespan;
    const std::string name = "affine costs, " + std::to_string(ms) + " ms a message: ";
    report((name + "exact").c_str(), affine, 21, least, exact);
    report((name + "heuristic").c_str(), affine, 21, least,
           [](const Problem& p) -> Result<Plan> { return heuristic(p)->plan; });
  }
  report("functions that never decrease: exact", problem(Interval(), Form::function), 21, best,
         exact_non_decreasing);
  report("functions, asked for all values: exact", problem(Interval(), Form::function), 3, best, exact);
  report("tables: exact", problem(Interval(), Form::table), 21, best, exact);
  report("tables that rise every 10 rays: exact", problem(Interval(), Form::steps), 21, Interval(), exact);
  report("tables of uneven rays: exact", problem(Interval(), Form::measured), 21, Interval(), exact);
  std::vector<Interval> values;
  for (Items n = 0; n <= rays; ++n) values.push_back(Interval::picoseconds(n));
  const double made = milliseconds(21, [&] { Cost::table(values); });
  std::printf("to copy and look through one table of %zu values when it is made: %.3f ms\n", values.size(),
              made);
}
