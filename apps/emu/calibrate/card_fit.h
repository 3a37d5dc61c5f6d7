// Network cards that the ranks of a node share, from measurements of all ranks of two nodes at once.
#pragma once

#include <string>
#include <vector>

#include "base/failure.h"
#include "calibrate/measurement.h"
#include "calibrate/regression.h"

namespace emu::app::calibration {

struct CardFit {
  int slots = 1;        // ranks of a node
  Value per_byte;       // of one direction, in seconds
  Value both_per_byte;  // of both directions together
  enum class Duplex { full, half, joint } duplex = Duplex::full;
  // False: all ranks of a node at once did not fill the card, and its rate may be greater.
  bool filled = true;
};

// `measurement`: of apps/calibrate/cards.h, with 2 * slots ranks. Fails if a card shows no rate.
Result<CardFit> fit_cards(const Measurement& measurement);

}  // namespace emu::app::calibration
