#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"
#include "farm/answer.h"
#include "launch/gnuplot.h"

namespace emu::app::farms {
namespace {

// Labels of an axis, at most some 20 of them.
template <class Label>
std::string tics(char axis, std::size_t count, Label label) {
  std::string text = fmt::format("set {}tics (", axis);
  const std::size_t every = count / 20 + 1;
  for (std::size_t i = 0; i < count; i += every)
    text += fmt::format("{}\"{}\" {}", i ? "," : "", gnuplot_text(label(i)), i);
  return text + ") noenhanced\n";
}

}  // namespace

Result<void> draw_heat_map(const Answer& answer, const std::string& path) {
  const std::vector<int>& ranks = answer.study.ranks;
  const std::vector<studies::Curve>& curves = answer.study.curves;
  const auto best = best_of(answer);
  if (!best) return fail(path + ": no picture: no farm came to its end");
  std::string cells;
  double most = 0;
  for (std::size_t y = 0; y < curves.size(); ++y)
    for (const studies::Point& point : curves[y].points) {
      if (!point.good()) continue;
      const auto x = std::lower_bound(ranks.begin(), ranks.end(), point.ranks) - ranks.begin();
      most = std::max(most, point.seconds());
      cells += fmt::format("{} {} {:.9g}\n", x, y, point.seconds());
    }
  const studies::Point& optimum = *studies::optimum(curves[*best])->point;
  if (most <= 0) return fail(path + ": no picture: nothing took time");
  const auto place = std::lower_bound(ranks.begin(), ranks.end(), optimum.ranks) - ranks.begin();
  const bool logarithmic = most > 8 * optimum.seconds() && optimum.seconds() > 0;
  const std::string script =
      tics('x', ranks.size(), [&](std::size_t i) { return std::to_string(ranks[i]); }) +
      tics('y', curves.size(),
           [&](std::size_t i) {
             const std::string label = curves[i].variation.label();
             return label.empty() ? std::string("farm") : label;
           }) +
      fmt::format(
          "set xrange [-0.5:{}]\nset yrange [-0.5:{}]\nset xlabel 'ranks'\nset cblabel 's'\n{}"
          "set palette defined (0 '#2a8a4a', 1 '#f4f0c0', 2 '#c02a3a')\nset key off\n"
          "set title \"optimum: {} ranks, {}\" noenhanced\n$cells << END\n{}END\n"
          "plot $cells using 1:2:($1-0.5):($1+0.5):($2-0.5):($2+0.5):3 with boxxyerror fillstyle solid "
          "noborder "
          "linecolor palette, '+' using ({}):({}) every ::0::0 with points pointtype 7 linecolor rgb "
          "'black'\n",
          static_cast<double>(ranks.size()) - 0.5, static_cast<double>(curves.size()) - 0.5,
          logarithmic ? "set logscale cb\n" : "", optimum.ranks,
          format(Interval::seconds(optimum.seconds()), 5), cells, place, *best);
  return draw_picture(script, 900,
                      static_cast<int>(std::clamp<std::size_t>(200 + 24 * curves.size(), 320, 1200)), path);
}

}  // namespace emu::app::farms
