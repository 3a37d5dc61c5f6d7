#include "reference/cluster/media.h"

namespace emu::reference {
namespace {

// Walks from node to node, along the row first.
int steps_in_grid(int columns, int from, int to) {
  int steps = 0, row = from / columns, column = from % columns;
  for (; column != to % columns; ++steps) column += column < to % columns ? 1 : -1;
  for (; row != to / columns; ++steps) row += row < to / columns ? 1 : -1;
  return steps;
}

}  // namespace

void choose_medium(Random& random, model::Parameters& n) {
  if (random.chance(50)) {
    n.medium = model::Medium::grid;
    n.columns = random.between(1, 4);
  } else if (n.card == model::Card::free) {
    n.medium = model::Medium::bus;
  }
}

void choose_resources(Random& random, model::Parameters& p, std::int64_t unit) {
  using Duplex = model::NodeParameters::Duplex;
  model::NodeParameters& n = p.nodes;
  n.cards = random.chance(85);
  n.memory = !n.cards || random.chance(40);
  const auto rate = [&] {
    return Rate::femtoseconds_per_byte(random.pick<std::int64_t>({unit / 7, unit, 3 * unit}));
  };
  n.memory_per_byte = rate();
  n.card = random.chance(50) ? p.gap_per_byte : rate();
  n.share = random.chance(70) ? model::Share::fair : model::Share::fifo;
  if (!n.cards) return;
  n.rails = random.pick<int>({1, 1, 2, 3});
  n.duplex = random.pick<Duplex>({Duplex::full, Duplex::full, Duplex::half, Duplex::joint});
  n.both_directions = Rate::femtoseconds_per_byte(n.card.femtoseconds_per_byte() * 2 / 3);
}

std::string rate_text(Rate gap) {
  std::string fs = std::to_string(gap.femtoseconds_per_byte());
  fs.insert(0, fs.size() < 4 ? 4 - fs.size() : 0, '0');
  return "\"" + fs.insert(fs.size() - 3, ".") + "ps\"";
}

std::string resource_lines(const model::Parameters& p) {
  using Duplex = model::NodeParameters::Duplex;
  const model::NodeParameters& n = p.nodes;
  std::string lines;
  if (n.memory) lines += "memory_bandwidth = " + rate_text(n.memory_per_byte) + "\n";
  if (n.memory || n.cards)
    lines += n.share == model::Share::fair ? "share = \"fair\"\n" : "share = \"fifo\"\n";
  if (!n.cards) return lines;
  lines += "card_bandwidth = " + rate_text(n.card) + "\nrails = " + std::to_string(n.rails) + "\n";
  if (n.duplex == Duplex::half) lines += "duplex = \"half\"\n";
  if (n.duplex == Duplex::joint) lines += "duplex = " + rate_text(n.both_directions) + "\n";
  return lines;
}

std::string resource_words(const model::Parameters& p) {
  const model::NodeParameters& n = p.nodes;
  const std::string share = n.share == model::Share::fair ? " shared fairly" : " in order";
  std::string words;
  if (n.cards) words += ", " + std::to_string(n.rails) + " cards of a node" + share;
  if (n.memory) words += ", memory" + share;
  return words;
}

std::string medium_lines(const model::Parameters& n) {
  if (n.medium == model::Medium::bus) return "medium = \"bus\"\n";
  if (n.medium == model::Medium::grid)
    return "medium = \"grid\"\ncolumns = " + std::to_string(n.columns) + "\n";
  return "";
}

std::string medium_words(const model::Parameters& n) {
  if (n.medium == model::Medium::bus) return ", a bus";
  if (n.medium == model::Medium::grid) return ", a grid of " + std::to_string(n.columns) + " columns";
  return "";
}

int hops(const model::Parameters& n, int from_node, int to_node) {
  if (n.medium != model::Medium::grid || from_node == to_node) return 1;
  return steps_in_grid(n.columns, from_node, to_node);
}

}  // namespace emu::reference
