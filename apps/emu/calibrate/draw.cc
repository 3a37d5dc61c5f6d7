// Picture of a calibration, drawn by gnuplot.
#include <fmt/format.h>

#include <algorithm>

#include "calibrate/write.h"
#include "launch/gnuplot.h"

namespace emu::app::calibration {
namespace {

std::string block(const std::string& name, const Measurement& measurement, const std::string& kind,
                  double share) {
  std::string text = "$" + name + " << END\n";
  for (const Sample* sample : measurement.all(kind))
    text +=
        fmt::format("{} {:.9g}\n", std::max<std::int64_t>(sample->bytes, 1), sample->median() * share * 1e6);
  return text + "END\n";
}

// The fitted line over x bytes, in microseconds, as an expression of gnuplot.
std::string expression(const Overhead& overhead, int ranks) {
  return fmt::format("({:.9g} + {:.9g} * x)",
                     (overhead.fixed.value + overhead.per_process.value * ranks) * 1e6,
                     overhead.per_byte.value * 1e6);
}

std::string one_way(const Fit& fit, int ranks, double limit) {
  const double control = 2 * (fit.send.of(1, ranks) + fit.receive.of(1, ranks));
  const double longer = fit.handshake ? fit.handshake->value + control : fit.latency.value;
  return fmt::format("({} + {} + (x - 1) * {:.9g} + (x <= {:.9g} ? {:.9g} : {:.9g}))",
                     expression(fit.send, ranks), expression(fit.receive, ranks),
                     fit.gap_per_byte.value * 1e6, limit, fit.latency.value * 1e6, longer * 1e6);
}

struct Panel {
  const char* kind;
  const char* title;
  double share;  // of a sample that is drawn
};
constexpr Panel panels[] = {{"send", "a send call", 1},
                            {"receive", "a receive call, the message being there", 1},
                            {"round", "one way: half a round trip", 0.5}};

std::string plots(const Fit& fit, const std::vector<Measurement>& all) {
  const double limit = fit.eager_limit ? static_cast<double>(*fit.eager_limit) : 1e18;
  std::string text;
  for (const Panel& panel : panels) {
    std::string lines;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const int ranks = all[i].ranks;
      const std::string name = fmt::format("{}{}", panel.kind, i);
      text += block(name, all[i], panel.kind, panel.share);
      const std::string line = std::string(panel.kind) == "send"      ? expression(fit.send, ranks)
                               : std::string(panel.kind) == "receive" ? expression(fit.receive, ranks)
                                                                      : one_way(fit, ranks, limit);
      // Beyond S a call also waits for the handshake, which is not part of the line for o.
      const std::string domain =
          std::string(panel.kind) == "round" ? line : fmt::format("(x <= {:.9g} ? {} : NaN)", limit, line);
      lines += fmt::format(
          "{}${} using 1:2 with points pt 7 ps 0.7 lc {} title 'P = {}', {} with lines lc {} notitle",
          lines.empty() ? "" : ", ", name, i + 1, ranks, domain, i + 1);
    }
    text += fmt::format("set title '{}' noenhanced\nplot {}\n", panel.title, lines);
  }
  return text;
}

}  // namespace

Result<void> draw(const Fit& fit, const std::vector<Measurement>& all, const std::string& name,
                  const std::string& path) {
  return draw_picture(
      fmt::format(
          "set logscale xy\nset xrange [1:6e6]\nset samples 500\nset xlabel 'bytes'\nset ylabel 'us'\n"
          "set format x '10^{{%T}}'\nset format y '10^{{%T}}'\nset key top left\nset grid\n"
          "set multiplot layout 1,3 title '{}: points measured, lines fitted' noenhanced\n",
          gnuplot_text(name)) +
          plots(fit, all) + "unset multiplot\n",
      1500, 560, path);
}

}  // namespace emu::app::calibration
