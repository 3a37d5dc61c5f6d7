#include "scatter/exchange.h"

#include <algorithm>

namespace emu::scatter {
namespace {

// In femtoseconds: the rounding error of one affine cost.
std::int64_t rounding(const Cost& cost) { return cost.femtoseconds_per_item() % 1000 == 0 ? 0 : 1000; }

// Time saved for each item taken away from a processor, without rounding.
struct Saved {
  std::int64_t rate, rounding;
};

}  // namespace

std::vector<Exchange> exchanges(const Problem& problem) {
  std::vector<Exchange> result(problem.processors.size());
  std::vector<Saved> behind;
  for (std::size_t i = result.size(); i-- > 0;) {
    const auto& [send, compute] = problem.processors[i];
    Exchange& here = result[i];
    for (const Saved& saved : behind)
      here.rate = &saved == behind.data() ? saved.rate : std::min(here.rate, saved.rate);
    // Rounding is harmless if an item saves that much more.
    for (const Saved& saved : behind)
      here.margin += std::max<std::int64_t>(0, saved.rounding - (saved.rate - here.rate));
    here.rising = send.is_affine() && send.femtoseconds_per_item() <= here.rate;
    here.own_margin = rounding(send);
    if (!send.is_affine() || send.fixed() < Interval() || !compute.is_affine() ||
        compute.fixed() < Interval())
      return result;
    if (i + 1 == result.size())
      behind.push_back({send.femtoseconds_per_item() + compute.femtoseconds_per_item(),
                        rounding(send) + rounding(compute)});
    else
      behind.push_back({send.femtoseconds_per_item(), rounding(send)});
  }
  return result;
}

}  // namespace emu::scatter
