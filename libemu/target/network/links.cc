#include "target/network/links.h"

#include <limits>

#include "base/units.h"

namespace emu::target {
namespace {

// A link of the matrix, and how directly the file specifies it: the most direct specification applies.
struct Cell {
  model::Link link;
  int directness = -1;
};

// The group that `key` names, or all groups; nullopt after a reported mistake.
std::optional<int> named_group(const Table& t, std::string_view key, const Target& target) {
  const std::string name = t.text(key, "fast");
  if (name.empty()) return {};
  if (name == "all") return all_groups;
  std::string known;
  for (std::size_t i = 0; i < target.nodes.size(); ++i) {
    if (target.nodes[i].name == name) return static_cast<int>(i);
    if (!target.nodes[i].name.empty()) known += "\"" + target.nodes[i].name + "\", ";
  }
  t.wrong(key, "unknown group of nodes: \"" + name + "\" (expected " + known +
                   (known.empty() ? "\"all\", or the name of a [[node]])" : "or \"all\")"));
  return {};
}

// The table `key`, "send" or "receive". The table and each of its keys are optional.
model::Overhead overhead(const Table& t, std::string_view key, const model::Overhead& otherwise) {
  const auto o = t.table(key, {"fixed", "per_process", "per_byte"}, false);
  if (!o) return otherwise;
  return {o->interval("fixed", otherwise.fixed), o->interval("per_process", otherwise.per_process),
          o->time_per_byte("per_byte", otherwise.per_byte)};
}

// The costs of a link or a piece, with defaults from `otherwise`.
template <class Costs>
void read_costs(const Table& t, const auto& otherwise, Costs& costs) {
  costs.latency = t.interval("latency", otherwise.latency);
  costs.gap_per_byte = t.time_per_byte("gap_per_byte", otherwise.gap_per_byte);
  costs.send = overhead(t, "send", otherwise.send);
  costs.receive = overhead(t, "receive", otherwise.receive);
}

// Defaults are the values of [network], and its pieces if the link has no costs of its own.
model::Link link(const Table& t, const Table& root, const model::Parameters& network) {
  model::Link result;
  read_costs(t, network, result);
  const bool own = t.has("latency") || t.has("gap_per_byte") || t.has("send") || t.has("receive");
  if (!own) result.pieces = network.pieces;
  if (t.has("piece"))
    result.pieces = pieces(t, {0, result.latency, result.gap_per_byte, result.send, result.receive});
  if (t.has("eager_limit"))
    result.eager_limit =
        t.size_or_unlimited("eager_limit").value_or(std::numeric_limits<std::int64_t>::max());
  if (t.has("rendezvous")) result.rendezvous = rendezvous(t, network, !t.has("inside"));
  result.put_limit = put_limit(t, result.rendezvous.value_or(network.rendezvous));
  if (t.has("send_returns")) result.send_returns = send_returns(t, root, network, !t.has("inside"));
  return result;
}

// Specifies `link` for a pair. Two equally direct specifications contradict each other; reported once for each
// [[link]].
void say(const Table& t, Cell& cell, const model::Link& link, int directness, const std::string& pair,
         bool& noted) {
  if (cell.directness == directness && !(cell.link == link) && !noted) {
    t.wrong("", "duplicate link " + pair + " (expected one [[link]], or one for just this pair)");
    noted = true;
  }
  if (cell.directness <= directness) cell = {link, directness};
}

void read_link(const Table& t, const Table& root, const Target& target, std::vector<Cell>& between,
               std::vector<Cell>& inside) {
  const int groups = static_cast<int>(target.nodes.size());
  const auto covers = [](int stated, int group) { return stated == all_groups || stated == group; };
  model::Link stated = link(t, root, target.network);
  bool noted = false;
  if (t.has("inside")) {
    if (t.has("from") || t.has("to"))
      t.wrong("inside", "inside excludes from and to (expected in another [[link]])");
    const auto in = named_group(t, "inside", target);
    stated.card = false;
    for (int g = 0; in && g < groups; ++g)
      if (covers(*in, g))
        say(t, inside[static_cast<std::size_t>(g)], stated, *in == all_groups ? 0 : 1,
            "inside " + group_name(target, g), noted);
    return;
  }
  const auto from = named_group(t, "from", target), to = named_group(t, "to", target);
  if (!from || !to) return;
  const int named = (*from == all_groups ? 0 : 1) + (*to == all_groups ? 0 : 1);
  for (int a = 0; a < groups; ++a) {
    for (int b = 0; b < groups; ++b) {
      Cell& cell = between[static_cast<std::size_t>(a * groups + b)];
      const std::string pair = "from " + group_name(target, a) + " to " + group_name(target, b);
      // A link that is specified in one direction only is used in both.
      if (covers(*from, a) && covers(*to, b))
        say(t, cell, stated, 2 * named + 1, pair, noted);
      else if (covers(*from, b) && covers(*to, a))
        say(t, cell, stated, 2 * named, pair, noted);
    }
  }
}

}  // namespace

std::string group_name(const Target& target, int group) {
  const std::string& name = target.nodes[static_cast<std::size_t>(group)].name;
  return name.empty() ? "group " + std::to_string(group + 1) : "\"" + name + "\"";
}

std::vector<model::Piece> pieces(const Table& t, const model::Piece& otherwise) {
  std::vector<model::Piece> result;
  for (const Table& one : t.tables("piece", {"up_to", "latency", "gap_per_byte", "send", "receive"}, false)) {
    model::Piece piece;
    const auto up_to = one.size("up_to");
    piece.up_to = up_to.value_or(1);
    read_costs(one, otherwise, piece);
    if (up_to && *up_to < 1)
      one.wrong("up_to", "invalid size: 0 (expected \"1B\" or more: an empty message counts as 1 byte)");
    else if (up_to && !result.empty() && *up_to <= result.back().up_to)
      one.wrong("up_to", "invalid limit: " + format_bytes(*up_to) + " (expected more than " +
                             format_bytes(result.back().up_to) + ", the limit of the preceding piece)");
    result.push_back(piece);
  }
  return result;
}

// A serial card or a bus takes messages in the order in which their senders act. A read does not wait for its place in
// that order, so `get` is refused there.
model::Rendezvous rendezvous(const Table& t, const model::Parameters& network, bool card) {
  const auto result = static_cast<model::Rendezvous>(t.choice("rendezvous", {"put", "get"}));
  const bool bus = network.medium == model::Medium::bus, serial = network.card == model::Card::serial;
  if (result == model::Rendezvous::get && card && (bus || serial))
    t.wrong("rendezvous", std::string("invalid protocol: \"get\" (expected \"put\", or ") +
                              (bus ? "medium = \"switch\" or \"grid\"" : "card = \"free\" or \"node\"") +
                              ", or a link inside a node)");
  return result;
}

std::optional<model::Bytes> put_limit(const Table& t, model::Rendezvous used) {
  if (!t.has("put_limit")) return {};
  if (used != model::Rendezvous::get) t.wrong("put_limit", "needs rendezvous = \"get\"");
  return t.size("put_limit");
}

// On shared resources the end of a transfer is not known when it begins.
model::SendReturns send_returns(const Table& t, const Table& root, const model::Parameters& network,
                                bool card) {
  const auto result = static_cast<model::SendReturns>(t.choice("send_returns", {"copied", "sent"}));
  if (result == model::SendReturns::copied) return result;
  const auto needs = [&](const std::string& what) {
    t.wrong("send_returns", "\"sent\" needs " + what + " (expected \"copied\")");
  };
  const std::string inside = " or a link inside a node";
  if (network.nodes.memory)
    needs("a network without memory_bandwidth");
  else if (card && network.medium == model::Medium::bus)
    needs("medium = \"switch\" or \"grid\"" + inside);
  else if (card && (network.card == model::Card::serial || network.nodes.cards))
    needs("card = \"free\"" + inside);
  else if (card && root.has("topology"))
    needs("a target without [topology]" + inside);
  return result;
}

void read_links(const Table& root, Target& target) {
  const model::Parameters& n = target.network;
  Cell usual{{n.latency, n.gap_per_byte, n.send, n.receive}, -1};
  usual.link.pieces = n.pieces;
  const std::size_t groups = target.nodes.size();
  std::vector<Cell> between(groups * groups, usual), inside(groups, usual);
  const auto tables = root.tables("link",
                                  {"from", "to", "inside", "latency", "gap_per_byte", "eager_limit",
                                   "rendezvous", "put_limit", "send_returns", "send", "receive", "piece"},
                                  false);
  for (const Table& t : tables) read_link(t, root, target, between, inside);
  for (const Cell& cell : between) target.between.push_back(cell.link);
  // Without a link of its own inside, a node uses the link between nodes of its group.
  for (std::size_t g = 0; g < groups; ++g)
    target.inside.push_back(inside[g].directness < 0 ? between[g * groups + g].link : inside[g].link);
}

}  // namespace emu::target
