// How long plans of the size of the paper's experiment take, and by how much the heuristics miss: 817,101 items
// for 16 processors with the rates of config/seismic-grid-16.toml (Table 1 of the paper, see there).
#include <algorithm>
#include <cstdio>
#include <ctime>
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

// In nanoseconds per ray: to send it, to compute it.
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

Problem problem(Interval fixed, bool tables) {
  std::vector<Processor> processors;
  for (const auto& [send, compute] : rates()) {
    Processor p{Cost::affine(send ? fixed : Interval(), Rate::femtoseconds_per_byte(send * 1'000'000)),
                Cost::affine(Interval(), Rate::femtoseconds_per_byte(compute * 1'000'000))};
    if (tables)
      p = {Cost::function([c = p.send](Items n) { return c.of(n); }),
           Cost::function([c = p.compute](Items n) { return c.of(n); })};
    processors.push_back(p);
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
  const Problem linear = problem(Interval(), false);
  const Interval best = exact(linear)->makespan;
  report("linear costs: exact", linear, 21, best, exact);
  report("linear costs: closed form", linear, 21, best, closed_form);
  report("linear costs: heuristic", linear, 21, best,
         [](const Problem& p) -> Result<Plan> { return heuristic(p)->plan; });
  report("linear costs: uniform", linear, 21, best,
         [](const Problem& p) { return finished(p, uniform(p.items, p.processors.size())); });
  for (const int ms : {1, 100}) {
    const Problem affine = problem(Interval::picoseconds(ms * 1'000'000'000LL), false);
    const Interval least = exact(affine)->makespan;
    const std::string name = "affine costs, " + std::to_string(ms) + " ms a message: ";
    report((name + "exact").c_str(), affine, 21, least, exact);
    report((name + "heuristic").c_str(), affine, 21, least,
           [](const Problem& p) -> Result<Plan> { return heuristic(p)->plan; });
  }
  report("functions that never decrease: exact", problem(Interval(), true), 3, best, exact);
}
