// The plot for a terminal: gnuplot draws it.
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "launch/output_of.h"
#include "study/report.h"

namespace emu::app::studies {
namespace {

int columns() {
  winsize size{};
  if (!::isatty(STDOUT_FILENO) || ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return 100;
  return std::clamp<int>(size.ws_col, 60, 120);
}

// The number of ranks of all good points, if there is but one. gnuplot would make a range for that, but warn.
std::optional<int> only_number(const Study& study) {
  std::optional<int> only;
  for (const Curve& curve : study.curves)
    for (const Point& point : curve.points) {
      if (!point.good()) continue;
      if (only && *only != point.ranks) return {};
      only = point.ranks;
    }
  return only;
}

// What gnuplot is to do. Every curve is a block of data in the script itself.
std::string script(const Study& study) {
  std::string text = fmt::format(
      "set terminal dumb {} 28\nset xlabel 'ranks'\nset ylabel 's'\nset key top right\nset xtics {}\n{}\n",
      columns(), std::max(1, (study.ranks.back() - study.ranks.front()) / 10),
      far_apart(extent(study)) ? "set logscale y" : "set yrange [0:*]");
  if (const auto only = only_number(study)) text += fmt::format("set xrange [{}:{}]\n", *only - 1, *only + 1);
  std::string curves;
  for (std::size_t i = 0; i < study.curves.size(); ++i) {
    const Curve& curve = study.curves[i];
    text += fmt::format("$curve{} << END\n", i);
    for (const Point& point : curve.points)
      if (point.good()) text += fmt::format("{} {:.9g}\n", point.ranks, point.seconds());
    text += "END\n";
    std::string title = curve.variation.label().empty() ? "predicted seconds" : curve.variation.label();
    std::erase_if(title, [](char c) { return c == '"' || c == '\\' || c == '\n'; });
    curves += fmt::format("{}$curve{} using 1:2 with {} title \"{}\" noenhanced", i == 0 ? "" : ", ", i,
                          study.curves.size() == 1 ? "points pointtype 'o'" : "linespoints", title);
  }
  return text + "plot " + curves + "\n";
}

}  // namespace

std::string plot(const Study& study) {
  if (!(extent(study).high > 0)) return "";
  for (const Curve& curve : study.curves)
    if (std::none_of(curve.points.begin(), curve.points.end(), [](const Point& p) { return p.good(); }))
      return "";
  const auto drawn = gnuplot(script(study));
  return drawn ? *drawn : "There is no plot: " + drawn.error().message + ".\n";
}

}  // namespace emu::app::studies
