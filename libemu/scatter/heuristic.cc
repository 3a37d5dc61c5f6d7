#include "scatter/heuristic.h"

#include <glpk.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "scatter/linear.h"

namespace emu::scatter {
namespace {

// fixed + per_item * n, in picoseconds.
struct Affine {
  double fixed, per_item;
};

Affine as_it_is(const Cost& cost, Items) {
  return {static_cast<double>(cost.fixed().picoseconds()), static_cast<double>(cost.per_item())};
}

// For costs that are 0 for no items. A negative fixed part makes them convex already, except for the jump at 0.
Affine below(const Cost& cost, Items items) {
  const double fixed = static_cast<double>(cost.fixed().picoseconds());
  const double n = static_cast<double>(items);
  return {fixed < 0 ? fixed : 0, static_cast<double>(cost.per_item()) + (fixed > 0 ? fixed / n : 0)};
}

struct Solution {
  std::vector<long double> shares;
  double makespan = 0;  // ps
};

// Unknowns: the fractions x_i of all items, and the time t, in units of `unit` picoseconds, so that all numbers
// are near 1.
std::optional<Solution> solve(const Problem& problem, double unit, Affine (*line)(const Cost&, Items)) {
  const int p = static_cast<int>(problem.processors.size());
  const double n = static_cast<double>(problem.items);
  const std::unique_ptr<glp_prob, decltype(&glp_delete_prob)> program(glp_create_prob(), glp_delete_prob);
  glp_prob* lp = program.get();
  glp_term_out(GLP_OFF);
  glp_set_obj_dir(lp, GLP_MIN);
  glp_add_cols(lp, p + 1);
  for (int j = 1; j <= p + 1; ++j) glp_set_col_bnds(lp, j, GLP_LO, 0, 0);
  glp_set_obj_coef(lp, p + 1, 1);
  glp_add_rows(lp, p + 1);
  std::vector<int> columns{0};
  std::vector<double> values{0};
  double fixed = 0;  // of all preceding sends
  for (int i = 1; i <= p; ++i) {
    const Processor& processor = problem.processors[static_cast<std::size_t>(i - 1)];
    const Affine send = line(processor.send, problem.items);
    const Affine compute = line(processor.compute, problem.items);
    fixed += send.fixed;
    columns.push_back(i);
    values.push_back((send.per_item + compute.per_item) * n / unit);
    columns.push_back(p + 1);
    values.push_back(-1);
    glp_set_mat_row(lp, i, i + 1, columns.data(), values.data());
    glp_set_row_bnds(lp, i, GLP_UP, 0, -(fixed + compute.fixed) / unit);
    columns.pop_back();
    values.pop_back();
    values.back() = send.per_item * n / unit;  // its cost for the later processors
  }
  std::vector<double> ones(static_cast<std::size_t>(p) + 1, 1.0);
  glp_set_mat_row(lp, p + 1, p, columns.data(), ones.data());
  glp_set_row_bnds(lp, p + 1, GLP_FX, 1, 1);
  glp_smcp options;
  glp_init_smcp(&options);
  options.msg_lev = GLP_MSG_OFF;
  if (glp_simplex(lp, &options) != 0 || glp_get_status(lp) != GLP_OPT) return {};
  Solution solution;
  for (int i = 1; i <= p; ++i)
    solution.shares.push_back(std::max(
        0.0L, static_cast<long double>(glp_get_col_prim(lp, i)) * static_cast<long double>(problem.items)));
  solution.makespan = glp_get_obj_val(lp) * unit;
  return solution;
}

// The greatest excess of the cost of n + 1 items over the convex function for n.
Interval one_more(const Cost& cost) {
  return std::max(cost.of(1), Interval::picoseconds(static_cast<std::int64_t>(cost.per_item()) + 1));
}

Interval guarantee(const Problem& problem) {
  Interval sends, compute;
  for (const Processor& processor : problem.processors) {
    sends = plus(sends, one_more(processor.send));
    compute = std::max(compute, one_more(processor.compute));
  }
  return plus(sends, compute);
}

}  // namespace

Result<Heuristic> heuristic(const Problem& problem) {
  if (const auto good = check(problem); !good) return tl::unexpected(good.error());
  for (std::size_t i = 0; i < problem.processors.size(); ++i)
    if (!problem.processors[i].send.is_affine() || !problem.processors[i].compute.is_affine())
      return fail("the heuristic is for affine costs, fixed + x * n; those of processor " +
                  std::to_string(i) + " (in the order of sending) are not. Take the exact method");
  const std::vector<Items> equal = uniform(problem.items, problem.processors.size());
  const Interval scale = makespan(problem, equal);
  if (problem.items == 0 || scale == Interval()) {
    const auto plan = finished(problem, equal);
    if (!plan) return tl::unexpected(plan.error());
    return Heuristic{*plan, plan->makespan, Interval()};
  }
  const double unit = static_cast<double>(scale.picoseconds());
  const auto paper = solve(problem, unit, as_it_is);
  const auto convex = solve(problem, unit, below);
  if (!paper || !convex) return fail("the linear program has no solution that GLPK finds");
  std::vector<Items> counts = rounded(convex->shares, problem.items);
  const std::vector<Items> other = rounded(paper->shares, problem.items);
  if (makespan(problem, other) < makespan(problem, counts)) counts = other;
  auto plan = finished(problem, counts);
  if (!plan) return tl::unexpected(plan.error());
  // The solver's tolerance is 1e-7 of numbers near 1.
  const double bound = std::max(0.0, convex->makespan - 1e-7 * unit);
  return Heuristic{std::move(*plan), Interval::picoseconds(static_cast<std::int64_t>(bound)),
                   guarantee(problem)};
}

}  // namespace emu::scatter
