#include "calibrate/platform.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "base/cells.h"

namespace emu::app::calibration {
namespace {

using Tree = boost::property_tree::ptree;

std::string attribute(const Tree& node, const std::string& key) {
  return node.get<std::string>("<xmlattr>." + key, "");
}

// --- Numbers with a unit, as in SimGrid: "10Gbps", "1.25GBps", "24us"; without a unit they are bytes/s and seconds.

std::optional<double> with_unit(const std::string& text, const std::map<std::string, double>& units) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  const auto unit = units.find(end);
  if (end == text.c_str() || unit == units.end() || !std::isfinite(value) || value < 0) return {};
  return value * unit->second;
}

std::optional<double> time(const std::string& text) {
  static const std::map<std::string, double> units = {{"", 1},      {"s", 1},      {"ms", 1e-3}, {"us", 1e-6},
                                                      {"ns", 1e-9}, {"ps", 1e-12}, {"m", 60},    {"h", 3600},
                                                      {"d", 86400}, {"w", 604800}};
  return with_unit(text, units);
}

std::optional<double> bandwidth(const std::string& text) {
  static const auto units = [] {
    std::map<std::string, double> all = {{"", 1}};
    for (const auto& [unit, bytes] : {std::pair("Bps", 1.0), std::pair("bps", 0.125)}) {
      double decimal = bytes, binary = bytes;
      all[unit] = bytes;
      for (const char prefix : std::string_view("kMGTPE")) {
        decimal *= 1000;
        binary *= 1024;
        all[std::string(1, prefix) + unit] = decimal;
        all[std::string(1, prefix) + "i" + unit] = binary;
      }
      all[std::string("Ki") + unit] = bytes * 1024;
    }
    return all;
  }();
  return with_unit(text, units);
}

// --- The path between two hosts

// A link or a cluster as the file has it; only that of the path is checked.
struct Link {
  std::string what, bandwidth, latency;
};

struct Path {
  std::string of;
  std::vector<Link> links;
};

class Finder {
 public:
  explicit Finder(const Tree& tree) { visit(tree); }

  std::optional<Path> path() const {
    if (path_) return path_;
    if (!first_) return {};
    return Path{first_->what, {*first_}};
  }
  // The first of each; SimGrid's older names have underscores.
  const std::map<std::string, std::string>& properties() const { return properties_; }

 private:
  void visit(const Tree& zone) {
    std::vector<Link> backbone;
    for (const auto& [tag, node] : zone)
      if (tag == "backbone") backbone = {link(tag, node, "bandwidth", "latency")};
    for (const auto& [tag, node] : zone) {
      if (tag == "host" || tag == "peer") hosts_.insert(attribute(node, "id"));
      if (tag == "prop") property(node);
      if (tag == "link") {
        const Link one = link(tag, node, "bandwidth", "latency");
        links_.emplace(attribute(node, "id"), one);
        if (!first_) first_ = one;
      }
      if (tag == "route") route(node);
      if (tag == "cluster" || tag == "cabinet") cluster(tag, node, backbone);
      if (tag != "route") visit(node);
    }
  }

  static Link link(const std::string& tag, const Tree& node, const char* bandwidth, const char* latency) {
    return {tag + " \"" + attribute(node, "id") + "\"", attribute(node, bandwidth), attribute(node, latency)};
  }

  void property(const Tree& node) {
    std::string key = attribute(node, "id");
    std::replace(key.begin(), key.end(), '_', '-');
    properties_.emplace(key, attribute(node, "value"));
  }

  void route(const Tree& node) {
    const std::string from = attribute(node, "src"), to = attribute(node, "dst");
    if (path_ || from == to || !hosts_.contains(from) || !hosts_.contains(to)) return;
    Path found{"route from \"" + from + "\" to \"" + to + "\"", {}};
    for (const auto& [tag, part] : node) {
      const auto known = links_.find(attribute(part, "id"));
      if (tag == "link_ctn" && known == links_.end()) return;
      if (tag == "link_ctn") found.links.push_back(known->second);
    }
    if (!found.links.empty()) path_ = found;
  }

  // A message passes the links of both nodes; neighbours in a torus share one.
  void cluster(const std::string& tag, const Tree& node, const std::vector<Link>& backbone) {
    if (path_) return;
    const Link own = link(tag, node, "bw", "lat");
    Path found{own.what, {own}};
    if (attribute(node, "topology") != "TORUS") found.links.push_back(own);
    if (!attribute(node, "bb_bw").empty()) found.links.push_back(link(tag, node, "bb_bw", "bb_lat"));
    found.links.insert(found.links.end(), backbone.begin(), backbone.end());
    path_ = found;
  }

  std::set<std::string> hosts_;
  std::map<std::string, Link> links_;
  std::optional<Link> first_;
  std::optional<Path> path_;
  std::map<std::string, std::string> properties_;
};

struct Costs {
  double latency = 0, bandwidth = std::numeric_limits<double>::infinity();
};

Result<Costs> costs(const Path& path, const std::string& name) {
  Costs sum;
  for (const Link& link : path.links) {
    const auto rate = bandwidth(link.bandwidth), latency = link.latency.empty() ? 0 : time(link.latency);
    if (!rate || *rate <= 0)
      return fail(name + ": invalid bandwidth of " + link.what + ": \"" + link.bandwidth +
                  "\" (expected such as \"10Gbps\" or \"1.25GBps\")");
    if (!latency)
      return fail(name + ": invalid latency of " + link.what + ": \"" + link.latency +
                  "\" (expected such as \"24us\")");
    sum.latency += *latency;
    sum.bandwidth = std::min(sum.bandwidth, *rate);
  }
  return sum;
}

// --- Values of SMPI that depend on the size

// "0:8.9e-6:7.6e-10;1420:1.4e-5:2.1e-10": sizes, each with numbers for longer messages. "0.9": for all messages.
class BySize {
 public:
  // `shortest`: up to the first size.
  static Result<BySize> read(const std::string& text, double shortest, const std::string& name,
                             const std::string& key) {
    BySize result;
    result.values_[0] = {shortest, 0};
    if (text.find_first_of(":;") == std::string::npos) {
      if (const auto one = time(text)) result.values_[0] = {*one, 0};
      if (text.empty() || time(text)) return result;
    }
    for (const std::string& part : cells(text, ';')) {
      if (part.empty()) continue;
      std::vector<std::optional<double>> numbers;
      for (const std::string& number : cells(part, ':')) numbers.push_back(time(number));
      if (numbers.size() < 2 || std::find(numbers.begin(), numbers.end(), std::nullopt) != numbers.end())
        return fail(name + ": invalid value of " + key + ": \"" + part +
                    "\" (expected SIZE:NUMBER or SIZE:NUMBER:NUMBER)");
      result.values_[*numbers[0]] = {*numbers[1], numbers.size() > 2 ? *numbers[2] : 0};
    }
    return result;
  }

  double of(double bytes) const {
    auto next = values_.lower_bound(bytes);  // the first size that is not below
    if (next != values_.begin()) --next;
    return next->second.first + next->second.second * bytes;
  }
  const std::map<double, std::pair<double, double>>& values() const { return values_; }

 private:
  std::map<double, std::pair<double, double>> values_;
};

struct Model {
  BySize send, receive, bandwidth, latency;
};

Result<Model> model(const std::map<std::string, std::string>& properties, const std::string& name) {
  Model found;
  const auto read = [&](BySize& to, double shortest, const std::vector<std::string>& keys) -> Result<void> {
    std::string key = keys.front();
    for (const std::string& one : keys)
      if (properties.contains(one)) key = one;
    const auto text = properties.find(key);
    auto values = BySize::read(text == properties.end() ? "" : text->second, shortest, name, key);
    if (!values) return tl::unexpected(values.error());
    to = std::move(*values);
    return {};
  };
  if (const auto done = read(found.send, 0, {"smpi/os"}); !done) return tl::unexpected(done.error());
  if (const auto done = read(found.receive, 0, {"smpi/or"}); !done) return tl::unexpected(done.error());
  if (const auto done =
          read(found.bandwidth, 1, {"smpi/bw-factor", "network/bw-factor", "network/bandwidth-factor"});
      !done)
    return tl::unexpected(done.error());
  if (const auto done =
          read(found.latency, 1, {"smpi/lat-factor", "network/lat-factor", "network/latency-factor"});
      !done)
    return tl::unexpected(done.error());
  return found;
}

// So many that each piece of the model has several, and both sides of its limits.
std::set<double> sizes(const Model& model) {
  std::set<double> all;
  for (double size = 1; size <= 16e6; size *= 1.25) all.insert(std::floor(size));
  for (const BySize* values : {&model.send, &model.receive, &model.bandwidth, &model.latency})
    for (const auto& [limit, value] : values->values())
      if (limit >= 1 && limit < 16e6) all.insert({std::floor(limit), std::floor(limit) + 1});
  return all;
}

}  // namespace

Result<void> read_platform(Imported& all, const std::string& text, const std::string& name) {
  Tree tree;
  try {
    std::istringstream in{std::string(without_mark(text))};
    boost::property_tree::read_xml(in, tree);
  } catch (const boost::property_tree::xml_parser_error& error) {
    return fail(fmt::format("{}:{}: {} (expected a platform file of SimGrid in XML)", name, error.line(),
                            error.message()));
  }
  const Finder found(tree);
  const auto path = found.path();
  if (!path)
    return fail(name +
                ": holds no path with latency and bandwidth (expected a <route> between hosts, a <cluster> "
                "or a <link>)");
  const auto link = costs(*path, name);
  if (!link) return tl::unexpected(link.error());
  const auto values = model(found.properties(), name);
  if (!values) return tl::unexpected(values.error());
  for (const double k : sizes(*values)) {
    const double send = values->send.of(k), receive = values->receive.of(k);
    const double factor = values->bandwidth.of(k);
    if (factor <= 0)
      return fail(fmt::format("{}: the factor of the bandwidth is 0 at {} B (expected more)", name, k));
    const double way = link->latency * values->latency.of(k) + k / (link->bandwidth * factor);
    all.points["half_roundtrip"].push_back({k, send + way + receive});
    if (send > 0) all.points["send"].push_back({k, send});
    if (receive > 0) all.points["receive"].push_back({k, receive});
  }
  all.notes.push_back(fmt::format("the latency {:.6g} us and the bandwidth {:.6g} GB/s are those of the {}",
                                  link->latency * 1e6, link->bandwidth / 1e9, path->of));
  const bool factors = values->bandwidth.values().size() > 1 || values->bandwidth.of(1) != 1 ||
                       values->latency.values().size() > 1 || values->latency.of(1) != 1;
  if (!factors)
    all.notes.push_back(
        "the file has no factors of bandwidth and latency; those that SMPI has by default do not apply");
  return {};
}

}  // namespace emu::app::calibration
