// Cards and memory that ranks of a node share: keys of [network].
#pragma once

#include "model/network.h"
#include "target/table.h"

namespace emu::target {

Keys card_keys();
// `p` contains the other keys of the table, and receives the card.
void read_cards(const Table& network, model::Parameters& p);

}  // namespace emu::target
