// The planner's C interface: include/emu/scatter.h.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "emu/scatter.h"
#include "scatter/exact.h"
#include "scatter/heuristic.h"
#include "scatter/linear.h"
#include "scatter/order.h"

namespace emu::scatter {
namespace {

std::string shown(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

// An invalid cost becomes negative, which check() finds.
Interval interval(double seconds) {
  if (!(seconds >= 0)) return Interval::picoseconds(-1);
  return seconds >= too_long.seconds() ? too_long : Interval::seconds(seconds);
}

Result<Cost> cost(const emu_scatter_cost& given, const std::string& what) {
  if (given.function)
    return Cost::function(
        [f = given.function, context = given.context](Items n) { return interval(f(n, context)); });
  // The table is not copied, so that values that are not needed cost nothing.
  if (given.table) return Cost::function([table = given.table](Items n) { return interval(table[n]); });
  if (!(given.fixed_seconds >= 0 && given.fixed_seconds <= 3.6e6))
    return fail(what + ": invalid fixed_seconds: " + shown(given.fixed_seconds) + " (expected 0 to 3.6e6)");
  if (!(given.seconds_per_item >= 0 && given.seconds_per_item <= 3600))
    return fail(what + ": invalid seconds_per_item: " + shown(given.seconds_per_item) +
                " (expected 0 to 3600)");
  return Cost::affine(Interval::seconds(given.fixed_seconds),
                      Rate::femtoseconds_per_byte(std::llround(given.seconds_per_item * 1e15)));
}

Result<Problem> problem(long long items, int processors, const emu_scatter_processor* given) {
  if (processors < 1 || !given) return fail("a scatter needs at least 1 processor");
  Problem result{items, {}};
  if (items < 0 || items > most_items) return result;  // check() reports it
  for (int i = 0; i < processors; ++i) {
    auto send = cost(given[i].send, "sending to processor " + std::to_string(i));
    if (!send) return tl::unexpected(send.error());
    auto compute = cost(given[i].compute, "computing on processor " + std::to_string(i));
    if (!compute) return tl::unexpected(compute.error());
    result.processors.push_back({std::move(*send), std::move(*compute)});
  }
  return result;
}

Result<Plan> by_method(const Problem& problem, emu_scatter_method method) {
  switch (method) {
    case EMU_SCATTER_EXACT:
      return exact(problem);
    case EMU_SCATTER_HEURISTIC: {
      auto found = heuristic(problem);
      if (!found) return tl::unexpected(found.error());
      return std::move(found->plan);
    }
    case EMU_SCATTER_CLOSED:
      return closed_form(problem);
    case EMU_SCATTER_NON_DECREASING:
      return exact_non_decreasing(problem);
    case EMU_SCATTER_UNIFORM:
      if (const auto good = check(problem); !good) return tl::unexpected(good.error());
      return finished(problem, uniform(problem.items, problem.processors.size()));
  }
  return fail("invalid method: " + std::to_string(static_cast<int>(method)) +
              " (expected one of emu_scatter_method)");
}

int refuse(const Failure& failure, char* message, std::size_t size) {
  if (message && size > 0) {
    const std::size_t length = std::min(failure.message.size(), size - 1);
    std::memcpy(message, failure.message.data(), length);
    message[length] = '\0';
  }
  return 1;
}

Result<void> is_root(int root, int processors) {
  if (root >= 0 && root < processors) return {};
  return fail("invalid root: " + std::to_string(root) + " (expected 0 to " + std::to_string(processors - 1) +
              ")");
}

}  // namespace
}  // namespace emu::scatter

using namespace emu::scatter;

extern "C" int emu_scatter_plan(long long items, int processors, const emu_scatter_processor* processor,
                                emu_scatter_method method, long long* counts, double* finish_seconds,
                                double* makespan_seconds, char* message, std::size_t message_size) {
  const auto what = problem(items, processors, processor);
  if (!what) return refuse(what.error(), message, message_size);
  const auto plan = by_method(*what, method);
  if (!plan) return refuse(plan.error(), message, message_size);
  for (std::size_t i = 0; i < plan->parts.size(); ++i) {
    counts[i] = plan->parts[i].items;
    if (finish_seconds) finish_seconds[i] = plan->parts[i].finished.seconds();
  }
  if (makespan_seconds) *makespan_seconds = plan->makespan.seconds();
  return 0;
}

extern "C" int emu_scatter_check(long long items, int processors, const emu_scatter_processor* processor,
                                 char* message, std::size_t message_size) {
  const auto what = problem(items, processors, processor);
  if (!what) return refuse(what.error(), message, message_size);
  if (const auto good = check_never_decreases(*what); !good)
    return refuse(good.error(), message, message_size);
  return 0;
}

extern "C" int emu_scatter_by_bandwidth(long long items, int processors,
                                        const emu_scatter_processor* processor, int root, int* order,
                                        char* message, std::size_t message_size) {
  const auto what = problem(items, processors, processor);
  if (!what) return refuse(what.error(), message, message_size);
  if (const auto good = check(*what); !good) return refuse(good.error(), message, message_size);
  if (const auto good = is_root(root, processors); !good) return refuse(good.error(), message, message_size);
  for (const std::size_t i : by_bandwidth(what->processors, static_cast<std::size_t>(root), items))
    *order++ = static_cast<int>(i);
  return 0;
}

extern "C" int emu_scatter_best_root(long long items, int processors, const emu_scatter_processor* processor,
                                     const double* move_seconds, int* root, double* makespan_seconds,
                                     char* message, std::size_t message_size) {
  std::vector<Problem> problems;
  for (int r = 0; r < processors; ++r) {
    auto what = problem(items, processors, processor + static_cast<std::ptrdiff_t>(r) * processors);
    if (!what) return refuse(what.error(), message, message_size);
    if (const auto good = check(*what); !good) return refuse(good.error(), message, message_size);
    if (move_seconds && !(move_seconds[r] >= 0))
      return refuse({"invalid move_seconds[" + std::to_string(r) + "]: " + shown(move_seconds[r]) +
                     " (expected 0 or more)"},
                    message, message_size);
    const auto order = by_bandwidth(what->processors, static_cast<std::size_t>(r), items);
    problems.push_back({items, in_order(what->processors, order)});
  }
  const auto best = best_root(
      problems.size(), [&](std::size_t r) { return problems[r]; },
      [&](std::size_t r) { return move_seconds ? interval(move_seconds[r]) : emu::Interval(); });
  if (!best) return refuse(best.error(), message, message_size);
  *root = static_cast<int>(best->number);
  if (makespan_seconds) *makespan_seconds = plus(best->moved, best->plan.makespan).seconds();
  return 0;
}
