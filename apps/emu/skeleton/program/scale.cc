#include "skeleton/program/scale.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "skeleton/program/balance.h"

namespace emu::skeleton {
namespace {

double time_of(const Node& node) {
  double sum = 0;
  if (!node.is_loop()) {
    for (const double work : node.step.work) sum += work;
    sum = sum / static_cast<double>(std::max<std::size_t>(node.step.work.size(), 1)) + node.step.inside;
    return sum * static_cast<double>(node.step.times);
  }
  for (const Node& each : node.body) sum += time_of(each);
  return sum;
}

// The time of inner loops that run often enough for `scale`.
double scalable_inside(const std::vector<Node>& nodes, double scale) {
  double sum = 0;
  for (const Node& node : nodes)
    if (node.is_loop()) sum += node.times > scale ? time_of(node) : scalable_inside(node.body, scale);
  return sum;
}

class Assigning {
 public:
  explicit Assigning(Scaling& to) : to_(to) {}

  void assign(const std::vector<Node>& nodes, double scale) {
    for (const Node& node : nodes) {
      if (!node.is_loop()) {
        put_farm(node, scale);
        continue;
      }
      if (scale < 1.5) {
        assign(node.body, 1);
        continue;
      }
      if (node.times > scale) {
        put(node, scale);
        assign(node.body, 1);
        continue;
      }
      constexpr double most = 0.8;
      const double left = scalable_inside(node.body, scale) > most * time_of(node) ? scale : put(node, scale);
      assign(node.body, left);
    }
  }

 private:
  // Scales the loop. Returns the rest of `scale` for inner loops.
  double put(const Node& node, double scale) {
    constexpr long warm = 1;
    const double n = node.times;
    const auto rest = static_cast<long>(std::max(1.0, std::round((n - warm) / scale)));
    if (n < 3 || n <= static_cast<double>(warm + rest)) return scale;
    to_.loops[&node] = {warm, rest, (n - warm) / static_cast<double>(rest)};
    return scale * static_cast<double>(warm + rest) / n;
  }

  void put_farm(const Node& node, double scale) {
    for (const Call& call : node.step.calls)
      if (const auto farm = farm_of(call)) {
        to_.farms[&node] = scale_farm(*farm, static_cast<int>(node.step.calls.size()) - 1, scale);
        return;
      }
  }

  Scaling& to_;
};

double largest_count(const std::vector<Node>& nodes) {
  double most = 1;
  for (const Node& node : nodes) {
    if (node.is_loop()) most = std::max({most, node.times, largest_count(node.body)});
    for (const Call& call : node.step.calls)
      if (const auto farm = farm_of(call)) most = std::max(most, static_cast<double>(farm->tasks));
  }
  return most;
}

double time_left(const std::vector<Node>& nodes, const Scaling& scaling) {
  double sum = 0;
  for (const Node& node : nodes) {
    if (!node.is_loop()) {
      const auto farm = scaling.farms.find(&node);
      const double share = farm == scaling.farms.end() || farm->second.rest == 0
                               ? 1
                               : static_cast<double>(farm->second.tasks()) /
                                     (static_cast<double>(farm->second.first + farm->second.last) +
                                      static_cast<double>(farm->second.rest) * farm->second.weight);
      sum += share * time_of(node);
      continue;
    }
    const auto scale = scaling.loops.find(&node);
    const double share = scale == scaling.loops.end()
                             ? 1
                             : static_cast<double>(scale->second.first + scale->second.rest) / node.times;
    sum += share * time_left(node.body, scaling);
  }
  return sum;
}

std::size_t receives_of_any(const std::vector<Node>& nodes) {
  std::size_t sum = 0;
  for (const Node& node : nodes) {
    sum += receives_of_any(node.body);
    const auto& calls = node.step.calls;
    const bool of_any = std::any_of(calls.begin(), calls.end(), [](const Call& call) {
      return (receives(call.function) && call.peer == any) ||
             (call.function == Function::sendrecv && call.source == any);
    });
    if (of_any) ++sum;
  }
  return sum;
}

}  // namespace

std::string count_text(double count) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", count);
  return text;
}

Scaling scale_down(const Skeleton& skeleton, double scale) {
  Scaling scaling;
  scaling.requested = scale;
  scaling.largest_count = largest_count(skeleton.nodes);
  Assigning(scaling).assign(skeleton.nodes, scale);
  std::size_t kept = 0;
  for (;;) {
    const auto wrong = unbalanced(skeleton, scaling);
    if (wrong.empty()) break;
    kept += wrong.size();
    for (const Node* loop : wrong) scaling.loops.erase(loop);
  }
  if (kept > 0)
    scaling.notes.push_back(
        std::to_string(kept) +
        " loops run as often as they did: the ranks do not go through them alike, and sends and "
        "receives would not be as many any more");
  if (const std::size_t steps = receives_of_any(skeleton.nodes); steps > 0)
    scaling.notes.push_back(
        std::to_string(steps) +
        " steps receive from any source and are of no farm, whose master answers each result with "
        "a task: the skeleton takes what comes first, and continues as the recording did. If "
        "the program depends on the source, its time may be quite another");
  double all = 0;
  for (const Node& node : skeleton.nodes) all += time_of(node);
  scaling.share = all > 0 ? time_left(skeleton.nodes, scaling) / all : 1;
  if (scale > 1 && scaling.largest_count < 2)
    scaling.notes.push_back("the program has no loop: the skeleton is the whole program");
  else if (scaling.share * scale > 2)
    scaling.notes.push_back("the skeleton takes " + count_text(100 * scaling.share) +
                            " % of the program's time and not " + count_text(100 / scale) +
                            " %: the most that a loop runs is " + count_text(scaling.largest_count) +
                            " times");
  return scaling;
}

}  // namespace emu::skeleton
