#include "launch/gnuplot.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "common/temporary.h"
#include "launch/output_of.h"
#include "program/search_path.h"

namespace emu::app {

Result<std::string> gnuplot(const std::string& script) {
  if (on_search_path("gnuplot").empty())
    return fail("gnuplot is not installed (Debian: apt install gnuplot-nox)");
  const auto folder = TemporaryFolder::create();
  if (!folder) return tl::unexpected(folder.error());
  const std::string file = folder->file("script");
  std::ofstream(file) << script;
  return output_of({"gnuplot", file});
}

// By way of a temporary file, because `path` may contain any characters.
Result<void> draw_picture(const std::string& script, int width, int height, const std::string& path) {
  const auto folder = TemporaryFolder::create();
  if (!folder) return tl::unexpected(folder.error());
  const std::string picture = folder->file("picture");
  const auto drawn =
      gnuplot(fmt::format("set terminal {} size {},{}\nset output '{}'\n",
                          path.ends_with(".png") ? "pngcairo" : "svg", width, height, picture) +
              script);
  if (!drawn) return fail(path + ": no picture: " + drawn.error().message);
  std::error_code error;
  std::filesystem::copy_file(picture, path, std::filesystem::copy_options::overwrite_existing, error);
  if (error) return fail(path + ": cannot be written: " + error.message());
  return {};
}

Result<std::string> svg_element(const std::string& script, int width, int height) {
  const auto drawn = gnuplot(
      fmt::format("set terminal svg size {},{} dynamic font 'sans-serif,12'\n", width, height) + script);
  if (!drawn) return drawn;
  std::string svg = *drawn;
  svg.erase(0, std::min(svg.find("<svg"), svg.size()));
  for (const std::string_view name : {" xmlns=\"", " xmlns:xlink=\""}) {
    const std::size_t at = svg.find(name);
    if (at == std::string::npos) continue;
    svg.erase(at, svg.find('"', at + name.size()) + 1 - at);
  }
  return svg;
}

std::string gnuplot_text(std::string_view text) {
  std::string result(text);
  std::erase_if(result, [](char c) { return c == '"' || c == '\'' || c == '\\' || c == '\n'; });
  return result;
}

}  // namespace emu::app
