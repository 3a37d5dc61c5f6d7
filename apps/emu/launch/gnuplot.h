// Drawing by gnuplot.
#pragma once

#include <string>
#include <string_view>

#include "base/failure.h"

namespace emu::app {

// Returns gnuplot's standard output for `script`. If gnuplot is missing, the failure names its package.
Result<std::string> gnuplot(const std::string& script);

// Writes the picture of `script`, `width` x `height` points, to the file `path`: as PNG if the name ends in
// .png, otherwise as SVG.
Result<void> draw_picture(const std::string& script, int width, int height, const std::string& path);

// The picture of `script`, `width` x `height` points, as an element
// of a page: SVG without the declarations that a separate file needs.
Result<std::string> svg_element(const std::string& script, int width, int height);

// `text` for a script, in quotes of either kind: without characters that would end them.
std::string gnuplot_text(std::string_view text);

}  // namespace emu::app
