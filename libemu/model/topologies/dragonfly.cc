#include "model/topologies/dragonfly.h"

#include <algorithm>

namespace emu::model {

double DragonflyShape::nodes() const { return 1.0 * groups * routers * nodes_each; }

double DragonflyShape::links() const {
  return 2 * nodes() + 1.0 * groups * routers * (routers - 1) + 1.0 * groups * routers * global_links;
}

Dragonfly::Dragonfly(const DragonflyShape& shape) : shape_(shape) {
  if (shape.groups > 1) used_ = shape.routers * shape.global_links / (shape.groups - 1) * (shape.groups - 1);
  first_local_ = 2 * nodes();
  first_global_ = first_local_ + shape.groups * shape.routers * (shape.routers - 1);
}

Dragonfly::Port Dragonfly::other_end(Port port) const {
  const int others = shape_.groups - 1;
  const int copy = port.port / others, number = port.port % others;
  if (shape_.arrangement == Arrangement::consecutive) {
    const int group = number < port.group ? number : number + 1;
    return {group, copy * others + (port.group < group ? port.group : port.group - 1)};
  }
  return {(port.group - 1 - number + shape_.groups) % shape_.groups, copy * others + others - 1 - number};
}

Dragonfly::Way Dragonfly::way(int from, int to) const {
  Way way{from / shape_.nodes_each, to / shape_.nodes_each, false, {}, {}};
  const int here = way.source / shape_.routers, there = way.target / shape_.routers;
  if (here == there) return way;
  const int others = shape_.groups - 1;
  const int number = shape_.arrangement == Arrangement::consecutive
                         ? (there < here ? there : there - 1)
                         : (here - there - 1 + shape_.groups) % shape_.groups;
  way.global = true;
  way.out = {here, to % (used_ / others) * others + number};
  way.in = other_end(way.out);
  return way;
}

int Dragonfly::local_link(int from, int to) const {
  const int a = from % shape_.routers, b = to % shape_.routers;
  return first_local_ + from * (shape_.routers - 1) + (b < a ? b : b - 1);
}

void Dragonfly::route(int from, int to, std::vector<std::int32_t>& links) const {
  const Way w = way(from, to);
  const auto local = [&](int a, int b) {
    if (a != b) links.push_back(local_link(a, b));
  };
  links.push_back(2 * from);
  if (w.global) {
    local(w.source, router_of(w.out));
    links.push_back(first_global_ + w.out.group * used_ + w.out.port);
    local(router_of(w.in), w.target);
  } else {
    local(w.source, w.target);
  }
  links.push_back(2 * to + 1);
}

Interval Dragonfly::latency(int from, int to) const {
  const Way w = way(from, to);
  Interval sum = shape_.node.latency.times(2);
  const auto local = [&](int a, int b) {
    if (a != b) sum = sum.plus(shape_.local.latency);
  };
  if (!w.global) {
    local(w.source, w.target);
    return sum;
  }
  local(w.source, router_of(w.out));
  local(router_of(w.in), w.target);
  return sum.plus(shape_.global.latency);
}

Interval Dragonfly::least_latency() const {
  const Interval ends = shape_.node.latency.times(2);
  if (nodes() == 1) return {};
  if (shape_.nodes_each > 1) return ends;
  if (shape_.routers == 1) return ends.plus(shape_.global.latency);
  if (shape_.groups == 1) return ends.plus(shape_.local.latency);
  return ends.plus(std::min(shape_.local.latency, shape_.global.latency));
}

Rate Dragonfly::gap_per_byte(int link) const {
  const Cable& cable = link < first_local_    ? shape_.node
                       : link < first_global_ ? shape_.local
                                              : shape_.global;
  return cable.gap_per_byte;
}

std::string Dragonfly::name(int link) const {
  if (link < first_local_) return "node" + std::to_string(link / 2) + (link % 2 == 0 ? "-up" : "-down");
  const auto router = [&](int number) {
    return "router" + std::to_string(number / shape_.routers) + "." + std::to_string(number % shape_.routers);
  };
  if (link < first_global_) {
    const int number = link - first_local_, others = shape_.routers - 1;
    const int own = number / others, other = number % others;
    return router(own) + "-to" + std::to_string(other < own % shape_.routers ? other : other + 1);
  }
  const int number = link - first_global_;
  const Port port{number / used_, number % used_};
  return router(router_of(port)) + "-global" + std::to_string(port.port % shape_.global_links);
}

double Dragonfly::bisection() const {
  const auto halves = [](int n) { return 1.0 * (n / 2) * (n - n / 2); };
  const double nodes_only = capacity(shape_.node.gap_per_byte, nodes() / 2.0);
  if (shape_.groups > 1) {
    const int copies = used_ / (shape_.groups - 1);
    return std::min(nodes_only, capacity(shape_.global.gap_per_byte, halves(shape_.groups) * copies));
  }
  if (shape_.routers > 1)
    return std::min(nodes_only, capacity(shape_.local.gap_per_byte, halves(shape_.routers)));
  return nodes_only;
}

}  // namespace emu::model
