#include "scatter/problem.h"

#include <algorithm>

namespace emu::scatter {

std::string cost_name(bool sending, std::size_t processor) {
  return (sending ? "the cost of sending to processor " : "the cost of computing on processor ") +
         std::to_string(processor);
}

namespace {

Result<void> check_by(const Problem& problem, Result<void> (Cost::*good)(Items, const std::string&) const) {
  if (problem.items < 0 || problem.items > most_items)
    return fail("invalid number of items: " + std::to_string(problem.items) + " (expected 0 to " +
                std::to_string(most_items) + ")");
  if (problem.processors.empty()) return fail("a scatter needs at least 1 processor");
  for (std::size_t i = 0; i < problem.processors.size(); ++i) {
    const Processor& processor = problem.processors[i];
    if (auto send = (processor.send.*good)(problem.items, cost_name(true, i)); !send) return send;
    if (auto compute = (processor.compute.*good)(problem.items, cost_name(false, i)); !compute)
      return compute;
  }
  return {};
}

}  // namespace

Result<void> check(const Problem& problem) { return check_by(problem, &Cost::check); }
Result<void> check_form(const Problem& problem) { return check_by(problem, &Cost::check_form); }

std::vector<Items> Plan::counts() const {
  std::vector<Items> result;
  for (const Part& part : parts) result.push_back(part.items);
  return result;
}

Plan plan(const Problem& problem, const std::vector<Items>& counts) {
  Plan result;
  Interval port;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    Part part;
    part.items = counts[i];
    part.begun = Instant() + port;
    port = plus(port, problem.processors[i].send.of(counts[i]));
    part.received = Instant() + port;
    const Interval end = plus(port, problem.processors[i].compute.of(counts[i]));
    part.finished = Instant() + end;
    result.makespan = std::max(result.makespan, end);
    result.parts.push_back(part);
  }
  return result;
}

Interval makespan(const Problem& problem, const std::vector<Items>& counts) {
  Interval port, last;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    port = plus(port, problem.processors[i].send.of(counts[i]));
    last = std::max(last, plus(port, problem.processors[i].compute.of(counts[i])));
  }
  return last;
}

std::vector<Items> uniform(Items items, std::size_t processors) {
  const Items p = static_cast<Items>(processors);
  std::vector<Items> counts(processors, items / p);
  for (Items i = 0; i < items % p; ++i) ++counts[static_cast<std::size_t>(i)];
  return counts;
}

tl::unexpected<Failure> takes_too_long(const Problem& problem) {
  return fail(std::to_string(problem.items) +
              " items take longer than 640 hours, the longest time that can be planned; plan fewer items, or "
              "cheaper ones");
}

Result<Plan> finished(const Problem& problem, const std::vector<Items>& counts) {
  Plan result = plan(problem, counts);
  if (result.makespan >= too_long) return takes_too_long(problem);
  return result;
}

}  // namespace emu::scatter
