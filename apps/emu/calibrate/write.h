// A fit as a target file and as a picture.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/failure.h"
#include "calibrate/card_fit.h"
#include "calibrate/fit.h"
#include "calibrate/piecewise.h"

namespace emu::app::calibration {

struct Description {
  std::string name;  // of the target
  int nodes = 1;
  double host_speed = 1.0;       // of the CPU here
  std::string how;               // one line: the measurements used
  std::optional<CardFit> cards;  // shared by the ranks of a node
};

// The text of a target file, with the interval after each value.
std::string to_toml(const Fit& fit, const Description& description);
std::string to_toml(const PiecewiseFit& fit, const Description& description);

// Points and fitted lines, drawn by gnuplot as a PNG.
Result<void> draw(const Fit& fit, const std::vector<Measurement>& measurements, const std::string& name,
                  const std::string& path);

}  // namespace emu::app::calibration
