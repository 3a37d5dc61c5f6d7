// Times over two dimensions as shades: for the terminal, for pages and for files.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/failure.h"

namespace emu::app {

struct HeatMap {
  struct Cell {
    std::size_t x, y;
    double seconds;
  };
  std::string title;
  std::string x_name, y_name;     // of the axes
  std::vector<std::string> x, y;  // labels, from the left and from below
  std::vector<Cell> cells;        // known ones; at least one
  Cell best = {};
};

// The heat maps of a study with swept names, from the output of `emu study --json`: one
// for each variation of the target, if exactly two of ranks and names have several values.
std::vector<HeatMap> heat_maps_of(const nlohmann::ordered_json& study);

// In characters, for a terminal of this width.
std::string heat_map_as_text(const HeatMap& map, int columns);
// As an element of a page, or a sentence if there is no drawing.
std::string heat_map_as_svg(const HeatMap& map);
// All pictures of a study on a page: its heat maps, then its curves, with a line at `marked` ranks (curve.h).
std::string pictures_as_svg(const nlohmann::ordered_json& study, int marked);
// As a file: FILE.png, or else SVG.
Result<void> draw_heat_map(const HeatMap& map, const std::string& path);

}  // namespace emu::app
