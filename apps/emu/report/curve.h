// The curve of a study, predicted time by number of ranks: one drawing for the terminal, for pages and for files.
// gnuplot makes it from what `emu study --json` writes.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "base/failure.h"

namespace emu::app {

// In characters, for a terminal of so many columns: the predicted times. A sentence if there is no drawing; "" if
// nothing was good or took time.
std::string curve_as_text(const nlohmann::ordered_json& study, int columns);

// As an element for a page, with intervals and, of a single curve, the closed form, the region around the optimum,
// and the optimum. `marked`: a number of ranks that gets a line; 0: none. A sentence or "" as above.
std::string curve_as_svg(const nlohmann::ordered_json& study, int marked);

// The same as a file: FILE.png, or else SVG.
Result<void> draw_curve(const nlohmann::ordered_json& study, const std::string& path);

}  // namespace emu::app
