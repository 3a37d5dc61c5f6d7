// Topology by a list of links and a list of routes between nodes.
//
// A link carries messages in both directions. Nodes that no route distinguishes form a class, and there is a
// route for each pair of classes: memory grows with the square of the number of classes, not of nodes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/interconnect.h"

namespace emu::model {

struct ListedLink {
  std::string name;
  Interval latency;
  Rate gap_per_byte;
};

// Routes from each node of `from` to each other node of `to`.
struct ListedRoute {
  std::vector<int> from, to;
  std::vector<std::int32_t> links;  // may be empty: messages share no links
  bool oneway = false;              // false: the reverse route passes the same links in reverse order
};

class ListedLinks final : public Interconnect {
 public:
  // A route that is listed itself replaces the reverse of another one.
  ListedLinks(int nodes, std::vector<ListedLink> links, const std::vector<ListedRoute>& routes);

  int nodes() const override { return static_cast<int>(classes_.size()); }
  int links() const override { return static_cast<int>(links_.size()); }
  Rate gap_per_byte(int link) const override { return links_[static_cast<std::size_t>(link)].gap_per_byte; }
  std::string name(int link) const override { return links_[static_cast<std::size_t>(link)].name; }
  // Nothing for a pair without a route.
  void route(int from, int to, std::vector<std::int32_t>& links) const override;
  bool linked(int from, int to) const override { return !of(from, to).links.empty(); }
  Interval latency(int from, int to) const override;
  Interval least_latency() const override { return least_; }

  // Classes of nodes, and the nodes of a class in ascending order.
  int classes() const { return static_cast<int>(members_.size()); }
  const std::vector<int>& members(int node_class) const {
    return members_[static_cast<std::size_t>(node_class)];
  }
  // True if a route is listed for these classes.
  bool connected(int from, int to) const { return of(from, to).stated; }
  struct Pair {
    int from, to;
  };
  // The first pair without a route; from = to: none.
  Pair unconnected() const;
  // The first route with a pair that an earlier route has.
  struct Repeated {
    std::size_t route;
    int from, to;
  };
  std::optional<Repeated> repeated() const { return repeated_; }

 private:
  struct Way {
    bool stated = false;
    bool directly = false;  // not as the reverse of another route
    std::vector<std::int32_t> links;
    Interval latency;
  };
  const Way& of(int from, int to) const {
    return ways_[static_cast<std::size_t>(class_of(from)) * members_.size() +
                 static_cast<std::size_t>(class_of(to))];
  }
  int class_of(int node) const { return classes_[static_cast<std::size_t>(node)]; }
  void classify(const std::vector<ListedRoute>& routes);
  void say(std::size_t route, const std::vector<int>& from, const std::vector<int>& to,
           const std::vector<std::int32_t>& links, bool directly);

  std::vector<ListedLink> links_;
  std::vector<int> classes_;               // of each node
  std::vector<std::vector<int>> members_;  // of each class, in ascending order
  std::vector<Way> ways_;                  // [from class * classes + to class]
  Interval least_;
  std::optional<Repeated> repeated_;
};

}  // namespace emu::model
