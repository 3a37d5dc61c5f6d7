#include "target/network/cards.h"

#include <string>

namespace emu::target {

namespace {

using Duplex = model::NodeParameters::Duplex;

// The value is a word, or the rate of both directions together.
void read_duplex(const Table& t, model::NodeParameters& nodes) {
  if (!t.has("duplex")) return;
  const std::string word = t.text("duplex", "full");
  if (word == "full" || word == "half") {
    nodes.duplex = word == "half" ? Duplex::half : Duplex::full;
    return;
  }
  nodes.duplex = Duplex::joint;
  nodes.both_directions = t.time_per_byte("duplex");
  if (nodes.both_directions > nodes.card)
    t.wrong(
        "duplex",
        "less than the rate of one direction (expected \"half\", or a rate of both directions together from "
        "card_bandwidth to twice that)");
}

}  // namespace

Keys card_keys() { return {"card", "card_bandwidth", "rails", "duplex", "share", "memory_bandwidth"}; }

void read_cards(const Table& t, model::Parameters& p) {
  constexpr int serial = 1, node = 2;
  const int card = t.choice("card", {"free", "serial", "node"});
  p.card = card == serial ? model::Card::serial : model::Card::free;
  model::NodeParameters& nodes = p.nodes;
  nodes.cards = card == node;
  nodes.memory = t.has("memory_bandwidth");
  if (nodes.memory) nodes.memory_per_byte = t.time_per_byte("memory_bandwidth");
  if (p.medium == model::Medium::bus && p.card == model::Card::serial)
    t.wrong("card",
            "\"serial\" excludes medium = \"bus\", where messages wait for the bus (expected \"free\")");
  nodes.share = t.choice("share", {"fair", "fifo"}) == 0 ? model::Share::fair : model::Share::fifo;
  if (!nodes.cards) {
    for (const char* key : {"card_bandwidth", "rails", "duplex"})
      if (t.has(key)) t.wrong(key, "needs card = \"node\"");
    return;
  }
  nodes.card = t.time_per_byte("card_bandwidth", p.gap_per_byte);
  nodes.rails = t.count("rails", 1);
  read_duplex(t, nodes);
  if (p.medium != model::Medium::network)
    t.wrong("card", "\"node\" needs medium = \"switch\" (expected \"free\")");
}

}  // namespace emu::target
