// A cluster as text.
#include <cstdio>

#include "reference/cluster/cluster.h"
#include "reference/cluster/media.h"

namespace emu::reference {
namespace {

// Exact decimals: `value` units of 10^-digits microseconds.
std::string microseconds(std::int64_t value, int digits) {
  std::int64_t scale = 1;
  for (int i = 0; i < digits; ++i) scale *= 10;
  char text[64];
  std::snprintf(text, sizeof text, "\"%lld.%0*lldus\"", static_cast<long long>(value / scale), digits,
                static_cast<long long>(value % scale));
  return text;
}

std::string text(Interval t) { return microseconds(t.picoseconds(), 6); }
std::string text(Rate r) { return microseconds(r.femtoseconds_per_byte(), 9); }

std::string text(const char* section, const model::Overhead& o) {
  return "[" + std::string(section) + "]\nfixed = " + text(o.fixed) +
         "\nper_process = " + text(o.per_process) + "\nper_byte = " + text(o.per_byte) + "\n";
}

std::string text(const std::string& section, const std::vector<model::Piece>& pieces) {
  std::string all;
  for (const model::Piece& p : pieces)
    all += "[[" + section + ".piece]]\nup_to = \"" + std::to_string(p.up_to) +
           "B\"\nlatency = " + text(p.latency) + "\ngap_per_byte = " + text(p.gap_per_byte) + "\n" +
           text((section + ".piece.send").c_str(), p.send) +
           text((section + ".piece.receive").c_str(), p.receive);
  return all;
}

std::string group_name(int group) { return "\"g" + std::to_string(group) + "\""; }

std::string words(model::Rendezvous r) {
  return std::string("\nrendezvous = ") + (r == model::Rendezvous::get ? "\"get\"" : "\"put\"");
}

std::string put_limit(std::optional<model::Bytes> limit) {
  return limit ? "\nput_limit = \"" + std::to_string(*limit) + "B\"" : "";
}

std::string words(model::SendReturns s) {
  return std::string("\nsend_returns = ") + (s == model::SendReturns::sent ? "\"sent\"" : "\"copied\"");
}

std::string text(const Cluster::Link& link) {
  return "[[link]]\n" +
         (link.inside ? "inside = " + group_name(link.from)
                      : "from = " + group_name(link.from) + "\nto = " + group_name(link.to)) +
         (link.rendezvous ? words(*link.rendezvous) : "") + put_limit(link.put_limit) +
         (link.send_returns ? words(*link.send_returns) : "") + "\nlatency = " + text(link.latency) +
         "\ngap_per_byte = " + text(link.gap_per_byte) + "\n" + text("link.send", link.send) +
         text("link.receive", link.receive) + text("link", link.pieces);
}

// Exact decimals: `n` thousandths.
std::string thousandths(std::int64_t n) {
  char text[32];
  std::snprintf(text, sizeof text, "%lld.%03lld", static_cast<long long>(n / 1000),
                static_cast<long long>(n % 1000));
  return text;
}

std::string seconds(Interval t) {
  char text[64];
  std::snprintf(text, sizeof text, "%lld.%012lld",
                static_cast<long long>(t.picoseconds() / 1'000'000'000'000),
                static_cast<long long>(t.picoseconds() % 1'000'000'000'000));
  return text;
}

std::string file_name(const std::string& name, std::size_t i) {
  return name + ".profile" + std::to_string(i);
}

std::string changes(const Cluster& c, const std::string& name) {
  std::string file;
  for (std::size_t i = 0; i < c.profiles.size(); ++i)
    file += "[[availability]]\nnodes = " + std::to_string(c.profiles[i].node) + "\nfile = \"" +
            file_name(name, i) + "\"\n";
  for (const Cluster::Event& e : c.events)
    file += "[[event]]\nnode = " + std::to_string(e.node) + "\nat = " + text(e.at) +
            "\nuntil = " + text(e.until) + "\nspeed = " + thousandths(e.speed) + "\n";
  for (const Cluster::Outage& o : c.outages) {
    file += "[[event]]\nkind = \"fail\"\nnode = " + std::to_string(o.node) + "\nat = " + text(o.at) + "\n";
    if (o.until > Interval())
      file += "[[event]]\nkind = \"recover\"\nnode = " + std::to_string(o.node) + "\nat = " + text(o.until) +
              "\n";
  }
  for (const Cluster::LinkEvent& e : c.link_events)
    file += "[[event]]\nlink = [" + group_name(e.a) + ", " + group_name(e.b) + "]\nat = " + text(e.at) +
            "\nuntil = " + text(e.until) + "\nlatency = " + thousandths(e.latency) +
            "\nbandwidth = " + thousandths(e.bandwidth) + "\n";
  for (const Cluster::Load& l : c.loads)
    file += "[[load]]\nnodes = \"" + std::to_string(l.first) + "-" + std::to_string(l.last) +
            "\"\nmean = " + thousandths(l.mean) + "\nperiod = " + text(l.period) +
            "\nseed = " + std::to_string(l.seed) + "\n";
  return file;
}

bool has_work(const model::Parameters& n) {
  return n.reduce_per_byte > Rate() || n.copy_per_byte > Rate() || n.temporary_per_byte > Rate();
}

std::string placement(const Cluster& c) {
  if (c.policy == Cluster::Policy::block) return "";
  std::string policy = "\"cyclic\"";
  if (c.policy == Cluster::Policy::list) {
    policy.clear();
    for (int node : c.list) policy += (policy.empty() ? "[" : ", ") + std::to_string(node);
    policy += "]";
  }
  return "[placement]\npolicy = " + policy + "\n";
}

std::string work_lines(const model::Parameters& n) {
  if (!has_work(n)) return "";
  return "reduce_per_byte = " + text(n.reduce_per_byte) + "\ncopy_per_byte = " + text(n.copy_per_byte) +
         "\ntemporary_per_byte = " + text(n.temporary_per_byte) + "\ntemporary_from = \"" +
         std::to_string(n.temporary_from) + "B\"\n";
}

std::string work_words(const model::Parameters& n) {
  if (!has_work(n)) return "";
  return ", a byte reduced " + std::to_string(n.reduce_per_byte.femtoseconds_per_byte()) + ", copied " +
         std::to_string(n.copy_per_byte.femtoseconds_per_byte()) + ", of memory from " +
         std::to_string(n.temporary_from) + " B on " +
         std::to_string(n.temporary_per_byte.femtoseconds_per_byte()) + " fs";
}

std::string growth_line(const model::Parameters& n) {
  return n.poll_growth == 0
             ? ""
             : "growth = \"" + std::to_string(static_cast<double>(n.poll_growth) / 1e7) + "%\"\n";
}

std::string words(const model::Overhead& o) {
  return std::to_string(o.fixed.picoseconds()) + "+" + std::to_string(o.per_process.picoseconds()) +
         " P ps " + std::to_string(o.per_byte.femtoseconds_per_byte()) + " fs/B";
}

}  // namespace

std::vector<File> profile_files(const Cluster& c, const std::string& name) {
  std::vector<File> files;
  for (std::size_t i = 0; i < c.profiles.size(); ++i) {
    const Cluster::Profile& p = c.profiles[i];
    std::string text = "# time and speed\n";
    for (const auto& [time, speed] : p.steps) text += seconds(time) + "\t" + thousandths(speed) + "\n";
    if (p.loop_after.picoseconds() > 0) text += "LOOPAFTER " + seconds(p.loop_after) + "\n";
    files.push_back({file_name(name, i), text});
  }
  return files;
}

std::string target_file(const Cluster& c, const std::string& name_of_files) {
  const model::Parameters& n = c.network;
  std::string file =
      "name = \"random programs\"\ncompute = \"" + std::string(c.measured ? "measured" : "declared") +
      "\"\nhost_speed = 1.0\n" + std::string(c.notices ? "on_failure = \"error\"\n" : "") +
      "[network]\nlatency = " + text(n.latency) + "\ngap = " + text(n.gap) +
      "\ngap_per_byte = " + text(n.gap_per_byte) + "\neager_limit = \"" +
      (n.always_eager ? "unlimited" : std::to_string(n.eager_limit) + "B") +
      "\"\nhandshake_trips = " + std::to_string(n.handshake_trips) + words(n.rendezvous) +
      (n.put_limit > 0 ? put_limit(n.put_limit) : "") + words(n.send_returns) + "\ncard = \"" +
      (n.nodes.cards                   ? "node"
       : n.card == model::Card::serial ? "serial"
                                       : "free") +
      "\"\n" + medium_lines(n) + resource_lines(n) + work_lines(n) + text("network.send", n.send) +
      text("network.receive", n.receive) + "[network.poll]\nfixed = " + text(n.poll) + "\n" + growth_line(n) +
      text("network", n.pieces);
  for (std::size_t g = 0; g < c.groups.size(); ++g) {
    file += "[[node]]\nname = " + group_name(static_cast<int>(g)) +
            "\ncount = " + std::to_string(c.groups[g].nodes) +
            "\nslots = " + std::to_string(c.groups[g].slots) + "\nspeed = " + thousandths(c.groups[g].speed) +
            "\n";
    if (c.groups[g].with.empty()) continue;
    std::string list;
    for (const std::int64_t factor : c.groups[g].with)
      list += (list.empty() ? "" : ", ") + thousandths(factor);
    file += "speed_with = [" + list + "]\n";
  }
  file += placement(c) + wiring_lines(c.wiring);
  for (const Cluster::Link& link : c.links) file += text(link);
  return file + changes(c, name_of_files);
}

std::string describe(const Cluster& c) {
  const model::Parameters& n = c.network;
  std::string line =
      "L " + std::to_string(n.latency.picoseconds()) + " ps, g " + std::to_string(n.gap.picoseconds()) +
      " ps, G " + std::to_string(n.gap_per_byte.femtoseconds_per_byte()) + " fs/B, S " +
      (n.always_eager ? "unlimited" : std::to_string(n.eager_limit)) + ", handshakes of " +
      std::to_string(n.handshake_trips) + " trips" +
      (n.rendezvous == model::Rendezvous::get ? " that are read above " + std::to_string(n.put_limit) + " B"
                                              : "") +
      (n.send_returns == model::SendReturns::sent ? ", sends until all bytes have left" : "") + ", card " +
      (n.card == model::Card::serial ? "serial" : "free") + ", o_s " + words(n.send) + ", o_r " +
      words(n.receive) + ", poll " + std::to_string(n.poll.picoseconds()) + " ps, nodes";
  for (const Cluster::Group& group : c.groups)
    line += " " + std::to_string(group.nodes) + "x" + std::to_string(group.slots) +
            (group.with.empty() ? "" : " that slow each other down");
  const char* const policies[] = {"", " cyclic", " by a list"};
  line += policies[static_cast<int>(c.policy)];
  if (!c.links.empty()) line += ", " + std::to_string(c.links.size()) + " links of their own";
  if (!c.profiles.empty()) line += ", " + std::to_string(c.profiles.size()) + " profiles";
  if (!c.events.empty()) line += ", " + std::to_string(c.events.size()) + " events";
  if (!c.loads.empty()) line += ", " + std::to_string(c.loads.size()) + " random loads";
  if (!c.outages.empty()) line += ", " + std::to_string(c.outages.size()) + " outages";
  if (!c.link_events.empty()) line += ", " + std::to_string(c.link_events.size()) + " changes of links";
  if (!n.pieces.empty()) line += ", " + std::to_string(n.pieces.size()) + " pieces";
  return line + work_words(n) + medium_words(n) + resource_words(n) + wiring_words(c.wiring);
}

}  // namespace emu::reference
