// Costs of dealing chunks on a target.
#pragma once

#include <vector>

#include "advice/play.h"
#include "model/network.h"

namespace emu::advice {

struct MessageSizes {
  model::Bytes request = 1, chunk = 1;
};

// Workers on `ranks`, with a master on the rank `master`. Their speeds are 1, and they are not busy.
std::vector<Worker> workers_of(const model::Network& network, int master, const std::vector<int>& ranks,
                               const MessageSizes& bytes);

}  // namespace emu::advice
