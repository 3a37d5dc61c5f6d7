// Overheads, pieces and protocols of [network] and [[link]] of a target file.
#pragma once

#include "target/table.h"
#include "target/target.h"

namespace emu::target {

// In place of a group's number.
inline constexpr int all_groups = -1;

// The tables [[piece]] of `t`, which is [network] or a [[link]]. `otherwise` has the default values.
std::vector<model::Piece> pieces(const Table& t, const model::Piece& otherwise);

// The value of `rendezvous` in `t`, which is [network] or a [[link]]. `card`: its messages pass the network's cards.
model::Rendezvous rendezvous(const Table& t, const model::Parameters& network, bool card);
// The value of `put_limit` in `t`, if it has the key. `used`: the rendezvous of its messages.
std::optional<model::Bytes> put_limit(const Table& t, model::Rendezvous used);

// The same for `send_returns`. `root`: the file.
model::SendReturns send_returns(const Table& t, const Table& root, const model::Parameters& network,
                                bool card);

// Fills in `between` and `inside`; nodes and network are complete.
void read_links(const Table& root, Target& target);

// A group of nodes in a message: its name in quotes, or its position in the file.
std::string group_name(const Target& target, int group);

}  // namespace emu::target
