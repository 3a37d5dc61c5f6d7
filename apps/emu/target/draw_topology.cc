#include "target/draw_topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>
#include <vector>

#include "model/topologies/dragonfly.h"
#include "model/topologies/fat_tree.h"
#include "model/topologies/links.h"
#include "model/topologies/star.h"
#include "model/topologies/torus.h"

namespace emu::app {
namespace {

constexpr double margin = 40, head = 64;  // pixels

struct Point {
  double x = 0, y = 0;
};

Point on_circle(Point centre, double radius, double turns) {
  const double angle = 2 * std::numbers::pi * (turns - 0.25);
  return {centre.x + radius * std::cos(angle), centre.y + radius * std::sin(angle)};
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '<' || c == '>' || c == '&')
      result += c == '<' ? "&lt;" : c == '>' ? "&gt;" : "&amp;";
    else
      result += c;
  }
  return result;
}

// Lines at the bottom, marks above them, texts on top.
class Picture {
 public:
  Picture(double width, double height) : width_(width), height_(height) {}

  void line(Point a, Point b, const char* css = "cable") {
    lines_ += fmt::format("<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n",
                          css, a.x, a.y, b.x, b.y);
  }
  // `number` is shown inside if the dot is large enough.
  void node(Point at, double radius, int number) {
    marks_ += fmt::format(
        "<circle class=\"node\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\"><title>node {}</title></circle>\n",
        at.x, at.y, radius, number);
    if (radius >= 8) word(at, std::to_string(number), radius * 0.95, "middle", "inside");
  }
  void box(Point at, double size, const std::string& name) {
    marks_ += fmt::format(
        "<rect class=\"switch\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" "
        "height=\"{:.1f}\"><title>{}</title></rect>\n",
        at.x - size / 2, at.y - size / 2, size, size, escaped(name));
  }
  void word(Point at, const std::string& text, double size = 13, const char* anchor = "middle",
            const char* css = "word") {
    words_ += fmt::format(
        "<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n",
        css, at.x, at.y + size * 0.35, size, anchor, escaped(text));
  }

  std::string svg() const {
    return fmt::format(
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 "
               "{0:.0f} {1:.0f}\" "
               "font-family=\"sans-serif\">\n<style>.cable{{stroke:#667;stroke-width:0.8;opacity:0.55}}"
               ".around{{stroke:#667;stroke-width:0.8;stroke-dasharray:3 2;opacity:0.7}}"
               ".global{{stroke:#b50;stroke-width:0.9;opacity:0.6}}.node{{fill:#27c}}"
               ".switch{{fill:#fff;stroke:#222;stroke-width:1.3}}.word{{fill:#222}}.inside{{fill:#fff}}</"
               "style>\n"
               "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
               width_, height_) +
           lines_ + marks_ + words_ + "</svg>\n";
  }

 private:
  double width_, height_;
  std::string lines_, marks_, words_;
};

void headline(Picture& picture, const std::string& title, const std::string& what) {
  picture.word({margin, 22}, title, 17, "start");
  picture.word({margin, 44}, what, 13, "start");
}

std::string draw(const model::FatTree& tree, const std::string& title) {
  const double width = std::clamp(tree.nodes() * 14.0, 640.0, 1800.0), step = 150;
  Picture picture(width, head + margin + 20 + step * tree.levels());
  headline(picture, title,
           fmt::format("fat tree: {} nodes, {} levels of switches, {} links", tree.nodes(), tree.levels(),
                       tree.links()));
  const auto at = [&](int level, int element) {
    return Point{margin + (width - 2 * margin) * (element + 0.5) / tree.elements(level),
                 head + 20 + step * (tree.levels() - level)};
  };
  const auto gap = [&](int level) { return (width - 2 * margin) / tree.elements(level); };
  for (int level = 0; level < tree.levels(); ++level)
    for (int child = 0; child < tree.elements(level); ++child)
      for (int port = 0; port < tree.ports(level); ++port) {
        // Cables from one child to one parent fan out a little.
        Point top = at(level + 1, tree.parent(level, child, port));
        top.x +=
            std::min(6.0, gap(level + 1) / 8) * (port - (tree.ports(level) - 1) / 2.0) / tree.ports(level);
        picture.line(at(level, child), top);
      }
  for (int node = 0; node < tree.nodes(); ++node)
    picture.node(at(0, node), std::clamp(gap(0) * 0.4, 2.0, 10.0), node);
  for (int level = 1; level <= tree.levels(); ++level)
    for (int element = 0; element < tree.elements(level); ++element)
      picture.box(
          at(level, element), std::clamp(gap(level) * 0.5, 3.0, 22.0),
          fmt::format("{} {}", level == 1 ? "leaf" : "switch of level " + std::to_string(level), element));
  return picture.svg();
}

// The first three dimensions are drawn obliquely; further ones as pictures side by side.
std::string draw(const model::Torus& torus, const std::string& title) {
  const auto size = [&](int d) { return d < torus.dimensions() ? torus.size(d) : 1; };
  const double step =
      std::clamp(900.0 / std::max(size(0) + size(2) * 0.45, size(1) + size(2) * 0.45), 26.0, 90.0);
  const Point deep{step * 0.38, -step * 0.3};
  const double panel_width = step * size(0) + deep.x * size(2) + margin,
               panel_height = step * size(1) - deep.y * size(2) + margin;
  int panels = 1;
  for (int d = 3; d < torus.dimensions(); ++d) panels *= size(d);
  const int across = std::max(1, static_cast<int>(std::ceil(std::sqrt(panels))));
  Picture picture(std::max(640.0, 2 * margin + across * panel_width),
                  head + margin + (panels + across - 1) / across * panel_height);
  std::string shape;
  for (int d = 0; d < torus.dimensions(); ++d) shape += (d > 0 ? " x " : "") + std::to_string(size(d));
  headline(picture, title,
           fmt::format("torus: {} nodes, {} links; dashed: around to the other end", shape, torus.links()) +
               (torus.dimensions() > 3 ? "; cables between the pictures are left out" : ""));
  const int plane = size(0) * size(1) * size(2);
  const auto at = [&](int node) {
    const int panel = node / plane, x = node % size(0), y = node / size(0) % size(1),
              z = node / size(0) / size(1) % size(2);
    return Point{margin + panel % across * panel_width + step * (x + 0.5) + deep.x * z,
                 head + panel / across * panel_height + step * (y + 0.5) + deep.y * (z - size(2) + 1)};
  };
  const int strides[] = {1, size(0), size(0) * size(1)};
  const Point along[] = {{step, 0}, {0, step}, deep};
  for (int node = 0; node < torus.nodes(); ++node)
    for (int d = 0; d < std::min(3, torus.dimensions()); ++d) {
      const int place = torus.coordinate(node, d);
      if (place + 1 < size(d)) {
        picture.line(at(node), at(node + strides[d]));
      } else if (size(d) > 2) {
        const Point here = at(node), there = at(node - place * strides[d]);
        picture.line(here, {here.x + along[d].x * 0.45, here.y + along[d].y * 0.45}, "around");
        picture.line(there, {there.x - along[d].x * 0.45, there.y - along[d].y * 0.45}, "around");
      }
    }
  for (int node = 0; node < torus.nodes(); ++node)
    picture.node(at(node), std::clamp(step * (size(2) > 1 ? 0.13 : 0.25), 3.0, 12.0), node);
  return picture.svg();
}

std::string draw(const model::Dragonfly& fly, const std::string& title) {
  const model::DragonflyShape& s = fly.shape();
  const double group_radius = std::clamp(8.0 * s.routers, 26.0, 110.0);
  const double radius =
      s.groups == 1 ? 0 : std::max(170.0, (2 * group_radius + 56) * s.groups / (2 * std::numbers::pi));
  const double side = 2 * (radius + group_radius + 60);
  Picture picture(std::max(640.0, side), head + side);
  headline(picture, title,
           fmt::format("dragonfly: {} groups of {} routers of {} nodes, {} links; brown: between groups",
                       s.groups, s.routers, s.nodes_each, fly.links()));
  const Point centre{std::max(640.0, side) / 2, head + side / 2};
  const auto group_at = [&](int group) { return on_circle(centre, radius, 1.0 * group / s.groups); };
  const auto turn = [&](int group, int router) {
    return 1.0 * group / s.groups + (router + 0.5) / s.routers + 0.5;
  };
  const auto router_at = [&](int group, int router) {
    return s.routers == 1 ? group_at(group) : on_circle(group_at(group), group_radius, turn(group, router));
  };
  for (int group = 0; group < s.groups; ++group) {
    for (int a = 0; a < s.routers; ++a)
      for (int b = a + 1; b < s.routers; ++b) picture.line(router_at(group, a), router_at(group, b));
    for (int port = 0; port < fly.global_ports(); ++port) {
      const model::Dragonfly::Port other = fly.other_end({group, port});
      if (other.group > group)
        picture.line(router_at(group, port / s.global_links),
                     router_at(other.group, other.port / s.global_links), "global");
    }
    if (s.routers > 1) picture.word(group_at(group), std::to_string(group), 14);
    for (int router = 0; router < s.routers; ++router) {
      const Point at = router_at(group, router);
      for (int i = 0; i < s.nodes_each; ++i) {
        const double fan = (i + 0.5) / s.nodes_each - 0.5;
        const Point node = on_circle(at, 20, turn(group, router) + (s.routers == 1 ? 0.9 : 0.4) * fan);
        picture.line(at, node);
        picture.node(node, std::clamp(14.0 / s.nodes_each, 2.0, 4.5),
                     (group * s.routers + router) * s.nodes_each + i);
      }
      picture.box(at, 8, fmt::format("router {}.{}", group, router));
    }
  }
  return picture.svg();
}

std::string draw(const model::Star& star, const std::string& title) {
  const double radius = std::clamp(star.nodes() * 3.6, 150.0, 620.0), side = 2 * (radius + margin);
  Picture picture(std::max(640.0, side), head + side);
  headline(picture, title, fmt::format("star: {} nodes, {} links", star.nodes(), star.links()));
  const Point centre{std::max(640.0, side) / 2, head + side / 2};
  for (int node = 0; node < star.nodes(); ++node) {
    const Point at = on_circle(centre, radius, 1.0 * node / star.nodes());
    picture.line(centre, at);
    picture.node(at, std::clamp(radius * 2.4 / star.nodes(), 3.0, 12.0), node);
  }
  picture.box(centre, 30, "switch");
  return picture.svg();
}

// Classes of nodes on the outside, links inside; a line for each step of a route.
std::string draw(const model::ListedLinks& net, const std::string& title) {
  const int classes = net.classes(), links = net.links();
  const double radius = std::clamp(std::max(classes, links) * 20.0, 210.0, 640.0), side = 2 * (radius + 110);
  Picture picture(side, head + side);
  headline(picture, title,
           fmt::format("listed links: {} nodes, {} links; squares: links, in the order of routes",
                       net.nodes(), links));
  const Point centre{side / 2, head + side / 2};
  const auto class_at = [&](int c) { return on_circle(centre, radius, 1.0 * c / classes); };
  const auto link_at = [&](int link) {
    return on_circle(centre, links == 1 ? 0 : radius * 0.55, (link + 0.5) / links);
  };
  std::set<std::pair<int, int>> drawn;  // classes from 0 up, links from -1 down
  const auto at = [&](int what) { return what < 0 ? link_at(-1 - what) : class_at(what); };
  for (int a = 0; a < classes; ++a)
    for (int b = 0; b < classes; ++b) {
      if (a == b && net.members(a).size() < 2) continue;
      std::vector<std::int32_t> route;
      net.route(net.members(a).front(), a == b ? net.members(a)[1] : net.members(b).front(), route);
      std::vector<int> way = {a};
      for (const std::int32_t link : route) way.push_back(-1 - link);
      way.push_back(b);
      for (std::size_t i = 1; i < way.size(); ++i)
        if (way[i - 1] != way[i] && drawn.insert(std::minmax({way[i - 1], way[i]})).second)
          picture.line(at(way[i - 1]), at(way[i]));
    }
  for (int c = 0; c < classes; ++c) {
    const std::vector<int>& nodes = net.members(c);
    picture.node(class_at(c), 7, nodes.front());
    const std::string name = nodes.size() == 1 ? "node " + std::to_string(nodes[0])
                                               : fmt::format("nodes {} ... {}", nodes.front(), nodes.back());
    picture.word(on_circle(centre, radius + 24, 1.0 * c / classes), name, 12);
  }
  for (int link = 0; link < links; ++link) {
    picture.box(link_at(link), 12, net.name(link));
    picture.word({link_at(link).x, link_at(link).y - 15}, net.name(link), 12);
  }
  return picture.svg();
}

}  // namespace

std::string draw_topology(const model::Interconnect& net, const std::string& title) {
  if (const auto* tree = dynamic_cast<const model::FatTree*>(&net)) return draw(*tree, title);
  if (const auto* torus = dynamic_cast<const model::Torus*>(&net)) return draw(*torus, title);
  if (const auto* fly = dynamic_cast<const model::Dragonfly*>(&net)) return draw(*fly, title);
  if (const auto* star = dynamic_cast<const model::Star*>(&net)) return draw(*star, title);
  return draw(dynamic_cast<const model::ListedLinks&>(net), title);
}

}  // namespace emu::app
