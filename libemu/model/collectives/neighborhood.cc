#include "model/collectives/builder.h"

namespace emu::model {

Schedule neighborhood(std::span<const int> destinations, std::span<const Block> sends,
                      std::span<const int> sources, std::span<const Block> receives, bool grid) {
  Builder b;
  for (std::size_t i = 0; i < destinations.size(); ++i)
    if (destinations[i] >= 0) b.post_send(destinations[i], in(sends[i].offset, sends[i].bytes));
  for (std::size_t k = 0; k < sources.size(); ++k) {
    const std::size_t i = grid ? k ^ 1 : k;
    if (sources[i] >= 0) b.post_receive(sources[i], out(receives[i].offset, receives[i].bytes));
  }
  b.wait();
  return b.take();
}

}  // namespace emu::model
