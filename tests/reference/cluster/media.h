// Media between the nodes, once more and in plain steps: how the random programs choose one, write
// it into a target file and describe it, and what a message pays there. A medium that has no bus is
// all in media.cc.
#pragma once

#include <string>

#include "model/network.h"
#include "reference/program/random.h"

namespace emu::reference {

// Another medium than a switch, with what it needs to know; some have no serial cards.
void choose_medium(Random& random, model::Parameters& network);
std::string medium_lines(const model::Parameters& network);  // of [network] in the target file
// Cards and memory that the ranks of a node share; and their keys, but `card`.
void choose_resources(Random& random, model::Parameters& network, std::int64_t unit);
std::string resource_lines(const model::Parameters& network);
std::string resource_words(const model::Parameters& network);  // ", cards of nodes ..."
std::string medium_words(const model::Parameters& network);    // ", a bus"; nothing of a switch
// How many times a message from one node to another pays L.
int hops(const model::Parameters& network, int from_node, int to_node);

}  // namespace emu::reference
