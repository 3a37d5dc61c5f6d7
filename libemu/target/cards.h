// Cards and memory that ranks of a node share: keys of [network].
#pragma once

#include "model/network.h"
#include "target/table.h"

namespace emu::target {

Keys card_keys();
// `p` has all else that the table says, and gets its card.
void read_cards(const Table& network, model::Parameters& p);

}  // namespace emu::target
