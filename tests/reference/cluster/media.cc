#include "reference/cluster/media.h"

namespace emu::reference {
namespace {

// Walks from node to node, first along the row.
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
