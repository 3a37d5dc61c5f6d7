#include "model/topologies/links.h"

#include <algorithm>
#include <map>
#include <set>

namespace emu::model {

ListedLinks::ListedLinks(int nodes, std::vector<ListedLink> links, const std::vector<ListedRoute>& routes)
    : links_(std::move(links)), classes_(static_cast<std::size_t>(nodes)) {
  classify(routes);
  ways_.resize(members_.size() * members_.size());
  for (std::size_t i = 0; i < routes.size(); ++i) say(i, routes[i].from, routes[i].to, routes[i].links, true);
  for (std::size_t i = 0; i < routes.size(); ++i)
    if (const ListedRoute& one = routes[i]; !one.oneway)
      say(i, one.to, one.from, {one.links.rbegin(), one.links.rend()}, false);
  bool any = false;
  for (std::size_t a = 0; a < members_.size(); ++a)
    for (std::size_t b = 0; b < members_.size(); ++b) {
      if (a == b && members_[a].size() < 2) continue;
      const Interval here = ways_[a * members_.size() + b].latency;
      least_ = any ? std::min(least_, here) : here;
      any = true;
    }
}

// Nodes are equivalent if the same ends of routes name them.
void ListedLinks::classify(const std::vector<ListedRoute>& routes) {
  std::vector<std::vector<int>> named(classes_.size());
  int end = 0;
  for (const ListedRoute& route : routes)
    for (const std::vector<int>* nodes : {&route.from, &route.to}) {
      for (const int node : *nodes) named[static_cast<std::size_t>(node)].push_back(end);
      ++end;
    }
  std::map<std::vector<int>, int> known;
  for (std::size_t node = 0; node < named.size(); ++node) {
    const auto [found, fresh] = known.try_emplace(named[node], static_cast<int>(members_.size()));
    if (fresh) members_.emplace_back();
    classes_[node] = found->second;
    members_[static_cast<std::size_t>(found->second)].push_back(static_cast<int>(node));
  }
}

void ListedLinks::say(std::size_t route, const std::vector<int>& from, const std::vector<int>& to,
                      const std::vector<std::int32_t>& links, bool directly) {
  std::set<int> sources, targets;
  for (const int node : from) sources.insert(class_of(node));
  for (const int node : to) targets.insert(class_of(node));
  Interval latency;
  for (const std::int32_t link : links)
    latency = latency.plus(links_[static_cast<std::size_t>(link)].latency);
  for (const int a : sources)
    for (const int b : targets) {
      Way& way = ways_[static_cast<std::size_t>(a) * members_.size() + static_cast<std::size_t>(b)];
      const std::vector<int>& members = members_[static_cast<std::size_t>(a)];
      if (a == b && members.size() == 1) continue;
      if (way.directly) {
        if (directly && !repeated_)
          repeated_ = {route, members.front(),
                       a == b ? members[1] : members_[static_cast<std::size_t>(b)].front()};
        continue;
      }
      way = {true, directly, links, latency};
    }
}

void ListedLinks::route(int from, int to, std::vector<std::int32_t>& links) const {
  const Way& way = of(from, to);
  links.insert(links.end(), way.links.begin(), way.links.end());
}

Interval ListedLinks::latency(int from, int to) const { return of(from, to).latency; }

ListedLinks::Pair ListedLinks::unconnected() const {
  for (std::size_t a = 0; a < members_.size(); ++a)
    for (std::size_t b = 0; b < members_.size(); ++b) {
      if (ways_[a * members_.size() + b].stated) continue;
      if (a != b) return {members_[a].front(), members_[b].front()};
      if (members_[a].size() > 1) return {members_[a][0], members_[a][1]};
    }
  return {0, 0};
}

}  // namespace emu::model
