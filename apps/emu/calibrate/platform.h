// Platform files of SimGrid: a path between two hosts, and the parameters of SMPI on it.
#pragma once

#include <string>

#include "base/failure.h"
#include "calibrate/import.h"

namespace emu::app::calibration {

// Adds times of SMPI's model at sizes of each of its pieces, in place of measurements. The path is that of the first
// route between two hosts, or of the first cluster; without either it is the first link. `name`: of the file, in
// messages.
Result<void> read_platform(Imported& all, const std::string& text, const std::string& name);

}  // namespace emu::app::calibration
