#include "reference/cluster/wiring.h"

#include <algorithm>

#include "reference/cluster/media.h"

namespace emu::reference {
namespace {

using Cable = Wiring::Cable;

void pass(Walk& walk, const std::array<int, 4>& which, const Cable& cable) {
  walk.links.push_back({which, cable.gap});
  walk.latency += cable.latency;
}

enum Passing { up = 2, down, along, back, node_up, node_down, local, global, listed, shared };

// --- fat tree: an element is a number on its level; level 0 are the nodes

struct Shape {
  int down, up, parallel;
};
Shape level(const Wiring& w, std::size_t l) { return {w.sizes[0][l], w.sizes[1][l], w.sizes[2][l]}; }

// Products of `down` and of `up` of the levels below l.
int blocks(const Wiring& w, std::size_t l) {
  int product = 1;
  for (std::size_t i = 0; i < l; ++i) product *= w.sizes[0][i];
  return product;
}
int twins(const Wiring& w, std::size_t l) {
  int product = 1;
  for (std::size_t i = 0; i < l; ++i) product *= w.sizes[1][i];
  return product;
}

Walk climb(const Wiring& w, int from, int to) {
  Walk walk;
  const auto port = [&](std::size_t l) { return to / twins(w, l) % (level(w, l).up * level(w, l).parallel); };
  int element = from;
  std::size_t l = 0;
  for (; element / twins(w, l) != to / blocks(w, l); ++l) {
    pass(walk, {up, static_cast<int>(l), element, port(l)}, w.cables[l]);
    const int twin = element % twins(w, l) + twins(w, l) * (port(l) % level(w, l).up);
    element = element / twins(w, l) / level(w, l).down * twins(w, l + 1) + twin;
  }
  while (l-- > 0) {
    element = to / blocks(w, l) * twins(w, l) + element % twins(w, l);
    pass(walk, {down, static_cast<int>(l), element, port(l)}, w.cables[l]);
  }
  return walk;
}

// --- torus

Walk go_round(const Wiring& w, int from, int to) {
  Walk walk;
  int stride = 1, node = from;
  for (std::size_t d = 0; d < w.sizes[0].size(); ++d) {
    const int size = w.sizes[0][d], end = to / stride % size;
    int ahead = 0;
    for (int at = from / stride % size; at != end; at = (at + 1) % size) ++ahead;
    const bool ascends = ahead <= size - ahead;
    for (int at = from / stride % size; at != end;) {
      pass(walk, {ascends ? along : back, static_cast<int>(d), node, 0}, w.cables[d]);
      const int next = ascends ? (at + 1) % size : (at + size - 1) % size;
      node += (next - at) * stride;
      at = next;
    }
    stride *= size;
  }
  return walk;
}

// --- dragonfly

struct Fly {
  int groups, routers, nodes, links;
};

// The group to which a port of a group leads.
int leads_to(const Wiring& w, const Fly& fly, int group, int port) {
  if (w.palm_tree) return ((group - 1 - port % (fly.groups - 1)) % fly.groups + fly.groups) % fly.groups;
  std::vector<int> others;
  for (int other = 0; other < fly.groups; ++other)
    if (other != group) others.push_back(other);
  return others[static_cast<std::size_t>(port) % others.size()];
}

// The ports of a group that lead to another one; surplus ports are not used.
std::vector<int> ports_to(const Wiring& w, const Fly& fly, int group, int other) {
  std::vector<int> ports;
  const int all = fly.routers * fly.links, used = all - all % (fly.groups - 1);
  for (int port = 0; port < used; ++port)
    if (leads_to(w, fly, group, port) == other) ports.push_back(port);
  return ports;
}

Walk fly_across(const Wiring& w, int from, int to) {
  const std::vector<int>& s = w.sizes[0];
  const Fly fly{s[0], s[1], s[2], s[3]};
  Walk walk;
  int router = from / fly.nodes;
  const int last = to / fly.nodes;
  const auto go_to = [&](int next) {
    if (next != router) pass(walk, {local, router, next, 0}, w.cables[1]);
    router = next;
  };
  pass(walk, {node_up, from, 0, 0}, w.cables[0]);
  const int here = from / fly.nodes / fly.routers, there = last / fly.routers;
  if (here != there) {
    const std::vector<int> out = ports_to(w, fly, here, there), in = ports_to(w, fly, there, here);
    const std::size_t which = static_cast<std::size_t>(to) % out.size();
    go_to(here * fly.routers + out[which] / fly.links);
    pass(walk, {global, here, out[which], 0}, w.cables[2]);
    router = there * fly.routers + in[which] / fly.links;
  }
  go_to(last);
  pass(walk, {node_down, to, 0, 0}, w.cables[0]);
  return walk;
}

Walk list_of(const Wiring& w, int from, int to) {
  Walk walk;
  std::vector<int> via;
  for (const Wiring::Way& way : w.ways)
    if (way.from == to && way.to == from && !way.oneway) via.assign(way.via.rbegin(), way.via.rend());
  for (const Wiring::Way& way : w.ways)
    if (way.from == from && way.to == to) via = way.via;
  for (const int link : via) pass(walk, {listed, link, 0, 0}, w.cables[static_cast<std::size_t>(link)]);
  return walk;
}

// --- choice and text

void choose_sizes(Random& random, Wiring& w, int nodes) {
  const auto some = [&](std::size_t count, int most) {
    std::vector<int> list;
    for (std::size_t i = 0; i < count; ++i) list.push_back(random.between(1, most));
    return list;
  };
  const auto levels = static_cast<std::size_t>(random.between(1, 3));
  const auto product = [](const std::vector<int>& list) {
    int all = 1;
    for (const int n : list) all *= n;
    return all;
  };
  if (w.kind == Wiring::Kind::dragonfly) {
    std::vector<int> fly = {random.between(1, 4), random.between(1, 3), random.between(1, 3),
                            random.between(1, 3)};
    while (fly[0] * fly[1] * fly[2] < nodes) ++fly[static_cast<std::size_t>(random.between(0, 2))];
    while (fly[1] * fly[3] < fly[0] - 1) ++fly[3];
    w.sizes = {fly};
    return;
  }
  std::vector<int> list = some(levels, 3);
  while (product(list) < nodes) ++list[static_cast<std::size_t>(random.below(static_cast<int>(levels)))];
  w.sizes = {list};
  if (w.kind == Wiring::Kind::fat_tree) {
    w.sizes.push_back(some(levels, 3));
    w.sizes.push_back(some(levels, 2));
  }
}

// Every pair of nodes has a route of up to three links, some in one direction only.
void choose_ways(Random& random, Wiring& w, int nodes) {
  const int links = static_cast<int>(w.cables.size());
  const auto via = [&] {
    std::vector<int> all;
    for (int i = 0; i < links; ++i) all.push_back(i);
    random.shuffle(all);
    all.resize(static_cast<std::size_t>(random.between(0, std::min(3, links))));
    return all;
  };
  for (int a = 0; a < nodes; ++a)
    for (int b = 0; b < a; ++b) {
      w.ways.push_back({a, b, random.chance(30), via()});
      if (w.ways.back().oneway) w.ways.push_back({b, a, random.chance(50), via()});
    }
}

std::string list_text(const std::vector<int>& list) {
  std::string text;
  for (const int n : list) text += (text.empty() ? "" : ", ") + std::to_string(n);
  return "[" + text + "]";
}

std::string latency_text(Interval latency) { return "\"" + std::to_string(latency.picoseconds()) + "ps\""; }

std::string cables_text(const std::vector<Cable>& cables) {
  std::string gaps, latencies;
  for (const Cable& c : cables) {
    gaps += (gaps.empty() ? "" : ", ") + rate_text(c.gap);
    latencies += (latencies.empty() ? "" : ", ") + latency_text(c.latency);
  }
  return "bandwidth = [" + gaps + "]\nlatency = [" + latencies + "]\n";
}

std::string listed_text(const Wiring& w) {
  std::string text;
  for (std::size_t i = 0; i < w.cables.size(); ++i)
    text += "[[topology.link]]\nname = \"l" + std::to_string(i) +
            "\"\nbandwidth = " + rate_text(w.cables[i].gap) +
            "\nlatency = " + latency_text(w.cables[i].latency) + "\n";
  for (const Wiring::Way& way : w.ways) {
    std::string via;
    for (const int link : way.via) via += (via.empty() ? "\"l" : ", \"l") + std::to_string(link) + "\"";
    text += "[[topology.route]]\nfrom = " + std::to_string(way.from) + "\nto = " + std::to_string(way.to) +
            "\nvia = [" + via + "]\n" + (way.oneway ? "oneway = true\n" : "");
  }
  return text;
}

}  // namespace

Wiring choose_wiring(Random& random, int nodes, std::int64_t unit) {
  using Kind = Wiring::Kind;
  Wiring w;
  w.kind = random.pick<Kind>(
      {Kind::fat_tree, Kind::fat_tree, Kind::torus, Kind::dragonfly, Kind::star, Kind::links});
  w.palm_tree = random.chance(50);
  if (w.kind != Kind::star && w.kind != Kind::links) choose_sizes(random, w, nodes);
  const auto gap = [&] {
    return Rate::femtoseconds_per_byte(random.pick<std::int64_t>({unit / 7, unit, 3 * unit}));
  };
  const std::size_t cables = w.kind == Kind::dragonfly ? 3
                             : w.kind == Kind::star    ? 1
                             : w.kind == Kind::links   ? static_cast<std::size_t>(random.between(1, 6))
                                                       : w.sizes[0].size();
  for (std::size_t i = 0; i < cables; ++i)
    w.cables.push_back({Interval::picoseconds(random.pick<std::int64_t>({0, 1, unit / 3, unit})), gap()});
  if (w.kind == Kind::star && random.chance(50)) w.backbone = gap();
  if (w.kind == Kind::links) choose_ways(random, w, nodes);
  return w;
}

std::string wiring_lines(const Wiring& w) {
  switch (w.kind) {
    case Wiring::Kind::none:
      return "";
    case Wiring::Kind::fat_tree:
      return "[topology]\nkind = \"fat-tree\"\ndown = " + list_text(w.sizes[0]) +
             "\nup = " + list_text(w.sizes[1]) + "\nparallel = " + list_text(w.sizes[2]) + "\n" +
             cables_text(w.cables);
    case Wiring::Kind::torus:
      return "[topology]\nkind = \"torus\"\ndimensions = " + list_text(w.sizes[0]) + "\n" +
             cables_text(w.cables);
    case Wiring::Kind::dragonfly: {
      const std::vector<int>& s = w.sizes[0];
      return "[topology]\nkind = \"dragonfly\"\ngroups = " + std::to_string(s[0]) +
             "\nrouters = " + std::to_string(s[1]) + "\nnodes = " + std::to_string(s[2]) +
             "\nglobal_links = " + std::to_string(s[3]) +
             "\narrangement = " + (w.palm_tree ? "\"palm-tree\"\n" : "\"consecutive\"\n") +
             cables_text(w.cables);
    }
    case Wiring::Kind::star:
      return "[topology]\nkind = \"star\"\n" + cables_text(w.cables) +
             (w.backbone == Rate() ? "" : "backbone = " + rate_text(w.backbone) + "\n");
    case Wiring::Kind::links:
      return "[topology]\nkind = \"links\"\n" + listed_text(w);
  }
  return "";
}

std::string wiring_words(const Wiring& w) {
  constexpr const char* kinds[] = {"", "fat tree", "torus", "dragonfly", "star", "listed links"};
  if (w.kind == Wiring::Kind::none) return "";
  std::string words = std::string(", ") + kinds[static_cast<int>(w.kind)];
  for (const auto& list : w.sizes) words += " " + list_text(list);
  return words;
}

Walk walk(const Wiring& w, int from, int to) {
  switch (w.kind) {
    case Wiring::Kind::none:
      return {};
    case Wiring::Kind::fat_tree:
      return climb(w, from, to);
    case Wiring::Kind::torus:
      return go_round(w, from, to);
    case Wiring::Kind::dragonfly:
      return fly_across(w, from, to);
    case Wiring::Kind::links:
      return list_of(w, from, to);
    case Wiring::Kind::star:
      break;
  }
  Walk walk;
  pass(walk, {node_up, from, 0, 0}, w.cables[0]);
  if (w.backbone != Rate()) pass(walk, {shared, 0, 0, 0}, {Interval(), w.backbone});
  pass(walk, {node_down, to, 0, 0}, w.cables[0]);
  return walk;
}

}  // namespace emu::reference
