// An independent implementation of media between nodes, in plain steps. Random programs choose a medium, write it to a
// target file and describe it; and the costs of messages depend on it. media.cc implements all features of media except
// the bus.
#pragma once

#include <string>

#include "model/network.h"
#include "reference/program/random.h"

namespace emu::reference {

// Chooses another medium than a switch, with its parameters; some have no serial cards.
void choose_medium(Random& random, model::Parameters& network);
std::string medium_lines(const model::Parameters& network);  // of [network] in the target file
// Chooses cards and memory that ranks of a node share. resource_lines() returns their keys, except `card`.
void choose_resources(Random& random, model::Parameters& network, std::int64_t unit);
std::string resource_lines(const model::Parameters& network);
std::string resource_words(const model::Parameters& network);  // ", cards of nodes ..."
std::string medium_words(const model::Parameters& network);    // ", a bus"; empty for a switch
// A time per byte as a value of the target file: "\"0.142ps\"".
std::string rate_text(Rate gap);
// The number of times that a message between these nodes pays L.
int hops(const model::Parameters& network, int from_node, int to_node);

}  // namespace emu::reference
