// Curve of a study, predicted time by number of ranks, drawn by gnuplot from the output of `emu study --json`: for the
// terminal, for pages and for files.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/failure.h"

namespace emu::app {

// In characters, for a terminal of this width: the predicted times. A sentence if there is no drawing; "" if
// no run succeeded or took time.
std::string curve_as_text(const nlohmann::ordered_json& study, int columns);

// As an element of a page, with intervals and, for a single curve, the closed form, the region around the optimum,
// and the optimum. `marked`: a number of ranks to be marked by a line; 0: none. A sentence or "" as above.
std::string curve_as_svg(const nlohmann::ordered_json& study, int marked);

// As a file: FILE.png, or else SVG.
Result<void> draw_curve(const nlohmann::ordered_json& study, const std::string& path);

}  // namespace emu::app
