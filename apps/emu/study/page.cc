#include "study/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "common/html.h"

namespace emu::app::studies {
namespace {

constexpr const char* style = R"(
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; color: #222; }
h1 { font-size: 1.4em; } h2 { font-size: 1.15em; margin-top: 1.6em; }
pre { background: #f5f5f5; padding: .8em; overflow-x: auto; line-height: 1.3; }
svg { width: 100%; height: auto; } svg text { font: 12px system-ui, sans-serif; fill: #444; }
.grid { stroke: #ddd; } .flat { fill: #2a7; fill-opacity: .12; } .bound { fill: none; stroke-dasharray: 5 4; }
.verdict { white-space: pre-wrap; }
)";
constexpr const char* colors[] = {"#1f6fb4", "#d9601a", "#2a8a4a", "#a33a8c", "#7a6a1f", "#c02a3a"};

// A round step of which about `count` fit into `range`.
double step(double range, int count) {
  const double raw = range / count, power = std::pow(10, std::floor(std::log10(raw)));
  for (double factor : {1.0, 2.0, 5.0})
    if (raw <= factor * power) return factor * power;
  return 10 * power;
}

// Where a number of ranks and a time are in the picture. Times that are far apart stand on a logarithmic
// axis.
class Frame {
 public:
  Frame(double first, double last, Seconds times)
      : first_(first),
        last_(std::max(last, first + 1)),
        logarithmic_(times.low > 0 && far_apart(times)),
        low_(logarithmic_ ? times.low * 0.9 : 0),
        high_(times.high * 1.05) {}

  double x(double ranks) const { return 70 + 800 * (ranks - first_) / (last_ - first_); }
  double y(double seconds) const {
    const double at = std::clamp(seconds, low_, high_);
    return 420 - 400 * (logarithmic_ ? std::log(at / low_) / std::log(high_ / low_) : at / high_);
  }
  std::string grid() const {
    std::string svg;
    for (double seconds : ticks())
      svg += fmt::format(
          "<line class='grid' x1='70' x2='870' y1='{0:.1f}' y2='{0:.1f}'/>"
          "<text x='62' y='{1:.1f}' text-anchor='end'>{2}</text>\n",
          y(seconds), y(seconds) + 4, format(Interval::seconds(seconds), 3));
    const double right = std::max(1.0, step(last_ - first_, 12));
    for (double p = std::ceil(first_ / right) * right; p <= last_; p += right)
      svg += fmt::format(
          "<line class='grid' x1='{0:.1f}' x2='{0:.1f}' y1='20' y2='420'/>"
          "<text x='{0:.1f}' y='438' text-anchor='middle'>{1:g}</text>\n",
          x(p), p);
    return svg +
           "<text x='470' y='460' text-anchor='middle'>ranks</text>"
           "<text x='20' y='220' text-anchor='middle' transform='rotate(-90 20 220)'>predicted</text>\n";
  }

 private:
  std::vector<double> ticks() const {
    std::vector<double> result;
    const double up = step(high_, 6);
    if (!logarithmic_)
      for (int i = 0; i * up <= high_; ++i) result.push_back(i * up);
    for (double power = std::pow(10, std::floor(std::log10(std::max(low_, 1e-12))));
         logarithmic_ && power < high_; power *= 10)
      for (double factor : {1, 2, 5})
        if (factor * power >= low_ && factor * power <= high_) result.push_back(factor * power);
    return result;
  }

  double first_, last_;
  bool logarithmic_;
  double low_, high_;
};

template <class Value>
std::string line(const Curve& curve, const Frame& frame, const std::string& attributes, Value value) {
  std::string points;
  for (const Point& point : curve.points) {
    if (!point.good()) continue;
    if (const std::optional<double> seconds = value(point))
      points += fmt::format("{:.1f},{:.1f} ", frame.x(point.ranks), frame.y(*seconds));
  }
  return fmt::format("<polyline {} points='{}'/>\n", attributes, points);
}

std::optional<ClosedForm> form(const Curve& curve, const Point& point) {
  const auto job = master_slave(point.typical());
  if (!job) return {};
  return closed_form(*job, curve.target, point.ranks);
}

// One curve with its points; the closed form and the flat region too if it stands alone.
std::string drawn(const Curve& curve, const Frame& frame, const char* color, bool alone) {
  std::string svg;
  if (const auto best = optimum(curve); best && alone) {
    const double left = frame.x(best->flat.first), right = frame.x(best->flat.second);
    svg += fmt::format("<rect class='flat' x='{:.1f}' y='20' width='{:.1f}' height='400'/>\n", left - 3,
                       right - left + 6);
    svg += line(curve, frame, "class='bound' stroke='#b33'", [&](const Point& p) -> std::optional<double> {
      const auto bound = form(curve, p);
      return bound ? std::optional(bound->master) : std::nullopt;
    });
    svg += line(curve, frame, "class='bound' stroke='#383'", [&](const Point& p) -> std::optional<double> {
      const auto bound = form(curve, p);
      return bound ? std::optional(bound->slaves) : std::nullopt;
    });
  }
  svg += line(curve, frame, fmt::format("fill='none' stroke='{}' stroke-width='2'", color),
              [](const Point& p) -> std::optional<double> { return p.seconds(); });
  for (const Point& point : curve.points) {
    if (!point.good()) continue;
    if (const auto interval = curve.interval(point))
      svg += fmt::format("<line stroke='{0}' x1='{1:.1f}' x2='{1:.1f}' y1='{2:.1f}' y2='{3:.1f}'/>\n", color,
                         frame.x(point.ranks), frame.y(interval->low), frame.y(interval->high));
    svg += fmt::format(
        "<circle fill='{}' cx='{:.1f}' cy='{:.1f}' r='4'><title>{} ranks: {:.6g} s</title></circle>\n", color,
        frame.x(point.ranks), frame.y(point.seconds()), point.ranks, point.seconds());
  }
  return svg;
}

std::string legend(const Study& study) {
  std::string html = "<p>";
  if (study.curves.size() == 1)
    return "<p>Solid: predicted. Dashed, with a master: the closed form of the master alone (red) and of the "
           "slaves alone (green). Shaded: within 2 % of the optimum.</p>\n";
  for (std::size_t i = 0; i < study.curves.size(); ++i)
    html += fmt::format("<span style='color:{}'>&#9679;</span> {} &nbsp; ", colors[i % std::size(colors)],
                        html_text(study.curves[i].variation.label()));
  return html + "</p>\n";
}

std::string picture(const Study& study) {
  double first = 1e9, last = 0;
  for (const Curve& curve : study.curves) {
    for (const Point& point : curve.points) {
      if (!point.good()) continue;
      first = std::min<double>(first, point.ranks);
      last = std::max<double>(last, point.ranks);
    }
  }
  const Seconds times = extent(study);
  if (!(times.high > 0)) return "";
  const Frame frame(first, last, times);
  std::string svg =
      "<svg viewBox='0 0 900 470' role='img' aria-label='predicted seconds by ranks'>\n" + frame.grid();
  for (std::size_t i = 0; i < study.curves.size(); ++i)
    svg += drawn(study.curves[i], frame, colors[i % std::size(colors)], study.curves.size() == 1);
  return svg + "</svg>\n" + legend(study);
}

}  // namespace

std::string page(const Study& study) {
  std::string command = study.program;
  for (const std::string& word : study.arguments) command += " " + word;
  return "<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'><title>emu study: " +
         html_text(study.program) + "</title>\n<style>" + style + "</style></head><body>\n<h1>" +
         html_text(command) + "</h1>\n<p>on " + html_text(study.curves.front().target.name) + "</p>\n" +
         picture(study) + "<h2>Verdict</h2>\n<div class='verdict'>" + html_text(verdict_text(study)) +
         "</div>\n<h2>Runs</h2>\n<pre>" + html_text(table(study)) +
         "</pre>\n<script type='application/json' id='study'>" + html_json(to_json(study)) +
         "</script>\n</body></html>\n";
}

}  // namespace emu::app::studies
