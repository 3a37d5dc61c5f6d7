// Pictures are drawn by gnuplot.
#pragma once

#include <string>
#include <string_view>

#include "base/failure.h"

namespace emu::app {

// What gnuplot writes to standard output, given `script`. If gnuplot is not there the failure names its package.
Result<std::string> gnuplot(const std::string& script);

// Writes what `script` draws, `width` x `height` points large, to the file `path`: as PNG if its name ends in
// .png, and else as SVG.
Result<void> draw_picture(const std::string& script, int width, int height, const std::string& path);

// What `script` draws, `width` x `height` points large, as an element for a page: SVG without the names that a file of its
// own needs.
Result<std::string> svg_element(const std::string& script, int width, int height);

// `text` for a script, between quotes of either kind: without what would end it.
std::string gnuplot_text(std::string_view text);

}  // namespace emu::app
