// Measurement of the network cards of two nodes, whose ranks all talk at once.
//
// Rank i of one node sends to rank i of the other one. Each quantity is the time per message and pair, of long
// messages. With n pairs at once it is, in the model (libemu/rank/semantics.md),
//
//   one-way-n     in one direction: max((k-1)G, n (k-1)C), with C a card's time per byte
//   both-ways-n   in both directions at once: with a card of full duplex, as one-way-n; of half duplex, twice n (k-1)C
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "measure.h"

namespace calibrate {

// The ranks of rank 0's node, and of the other one. Ranks of equal places are a pair.
struct Sides {
  std::vector<int> here, there;
};
// `names`: the node of each rank. Returns the reason if the ranks are not on two nodes, as many on each; else nothing.
std::string find_sides(const std::vector<std::string>& names, Sides& sides);

// Collective over all ranks. The samples are rank 0's.
std::vector<Sample> measure_cards(const Sides& sides, const Extent& extent,
                                  const std::function<void()>& step);
int card_steps(const Sides& sides);

}  // namespace calibrate
