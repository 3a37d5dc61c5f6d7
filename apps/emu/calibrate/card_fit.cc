#include "calibrate/card_fit.h"

#include <algorithm>

namespace emu::app::calibration {
namespace {

// Twice the pairs transfer twice the bytes in the same time, until they fill the card.
bool fills(const Sample& pairs, const Sample* half) { return half && pairs.median() > 1.2 * half->median(); }

// The card's time per byte, with `ways` directions at once. A receiver's overhead adds to the time of each message. It
// does not grow with the number of pairs, so it cancels out if half as many pairs fill the card, too.
Value per_byte(const Sample& all, int pairs, const Sample* half, const Sample* quarter, int ways) {
  const auto [least, most] = std::minmax_element(all.seconds.begin(), all.seconds.end());
  const bool difference = half && fills(*half, quarter);
  const double other = difference ? half->median() : 0;
  const double bytes = static_cast<double>(all.bytes) * (difference ? pairs - pairs / 2 : pairs) * ways;
  return {(all.median() - other) / bytes, std::max(0.0, *least - other) / bytes, (*most - other) / bytes};
}

const Sample* of(const Measurement& measurement, const char* kind, int pairs) {
  const auto all = measurement.all(kind + std::to_string(pairs));
  return all.empty() ? nullptr : all.front();
}

}  // namespace

Result<CardFit> fit_cards(const Measurement& measurement) {
  CardFit result;
  result.slots = measurement.ranks / 2;
  const Sample* const one_way = of(measurement, "one-way-", result.slots);
  const Sample* const both_ways = of(measurement, "both-ways-", result.slots);
  if (!one_way || !both_ways || !(one_way->median() > 0) || !(both_ways->median() > 0))
    return fail(
        "network cards: messages of all ranks of a node at once took no time; calibrate when nothing else "
        "runs");
  const auto fewer = [&](const char* kind, int pairs) {
    return pairs > 0 ? of(measurement, kind, pairs) : nullptr;
  };
  const int half = result.slots / 2, quarter = half / 2;
  result.per_byte = per_byte(*one_way, result.slots, fewer("one-way-", half), fewer("one-way-", quarter), 1);
  result.both_per_byte =
      per_byte(*both_ways, result.slots, fewer("both-ways-", half), fewer("both-ways-", quarter), 2);
  result.filled = fills(*one_way, fewer("one-way-", half));
  const double gain = result.per_byte.value / result.both_per_byte.value;
  constexpr double full = 1.8, half_duplex = 1.1;
  result.duplex = gain >= full          ? CardFit::Duplex::full
                  : gain <= half_duplex ? CardFit::Duplex::half
                                        : CardFit::Duplex::joint;
  return result;
}

}  // namespace emu::app::calibration
