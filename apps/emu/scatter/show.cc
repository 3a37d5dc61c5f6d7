// The answer as a table, as JSON, and as a picture.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/units.h"
#include "common/table.h"
#include "launch/gnuplot.h"
#include "scatter/answer.h"

namespace emu::app::scatters {
namespace {

// ".": waits, "r": receives its items, "#": computes.
std::string bar(const scatter::Part& part, Interval end) {
  constexpr int width = 40;
  const auto column = [&](Instant at) {
    return end > Interval()
               ? static_cast<int>(std::lround(width * (at - Instant()).seconds() / end.seconds()))
               : 0;
  };
  const int begun = column(part.begun), received = column(part.received), finished = column(part.finished);
  return std::string(static_cast<std::size_t>(begun), '.') +
         std::string(static_cast<std::size_t>(received - begun), 'r') +
         std::string(static_cast<std::size_t>(finished - received), '#') +
         std::string(static_cast<std::size_t>(std::max(0, width - finished)), '.');
}

std::string percent(double share) {
  if (share == 0) return "0 %";
  return fmt::format("{:.3g} %", 100 * share);
}

// The earliest and the latest end of ranks with items.
struct Ends {
  Interval first = scatter::too_long, last;
};
Ends ends(const Answer& answer) {
  Ends result;
  for (const scatter::Part& part : answer.plan.parts) {
    if (part.items == 0) continue;
    result.first = std::min(result.first, part.finished - Instant());
    result.last = std::max(result.last, part.finished - Instant());
  }
  result.first = std::min(result.first, result.last);
  return result;
}

}  // namespace

std::string table(const Answer& answer) {
  std::string text = fmt::format("{}\n  {} of {} from rank {} to {}, {}; {}\n\n", answer.target,
                                 counted(answer.items, "item"), format_bytes(answer.item_bytes), answer.root,
                                 counted(answer.ranks(), "rank"),
                                 answer.by == Order::given ? "by rank" : "by descending bandwidth",
                                 method_names[static_cast<int>(answer.method)]);
  using enum Table::Align;
  Table parts({{"rank", right, 6, 0},
               {"items", right, 14},
               {"from item", right, 14},
               {"begins", right, 11},
               {"has them", right, 11},
               {"is done", right, 11},
               {"r: is sent its items, #: computes", left, 0, 2}});
  for (std::size_t i = 0; i < answer.order.size(); ++i) {
    const scatter::Part& part = answer.plan.parts[i];
    const int rank = answer.order[i];
    parts.add({std::to_string(rank), std::to_string(part.items),
               std::to_string(answer.displacements[static_cast<std::size_t>(rank)]),
               format(part.begun - Instant(), 5), format(part.received - Instant(), 5),
               format(part.finished - Instant(), 5), bar(part, answer.plan.makespan)});
  }
  text += parts.text();
  const Ends end = ends(answer);
  text += fmt::format("\nThe last rank finishes after {}, the first rank with items after {}.\n",
                      format(answer.plan.makespan, 6), format(end.first, 6));
  if (answer.method != Method::exact)
    text += fmt::format("The least makespan in this order is {}{}; this plan misses it by {}{}.\n",
                        answer.least_is_bound ? "at least " : "", format(answer.least, 6),
                        answer.least_is_bound ? "at most " : "", percent(answer.misses_by()));
  if (answer.guarantee)
    text += fmt::format("The heuristic guarantees at most {} more.\n", format(*answer.guarantee, 4));
  if (answer.moved > Interval())
    text += fmt::format("Before that the items take {} to rank {}: {} in all.\n", format(answer.moved, 4),
                        answer.root, format(answer.moved + answer.plan.makespan, 6));
  return text;
}

std::string json(const Answer& answer) {
  nlohmann::ordered_json out;
  out["target"] = answer.target;
  out["items"] = answer.items;
  out["item_bytes"] = answer.item_bytes;
  out["item_seconds"] = answer.item_seconds;
  out["method"] = method_names[static_cast<int>(answer.method)];
  out["root"] = answer.root;
  out["order"] = answer.order;
  std::vector<scatter::Items> counts;
  std::vector<double> begun, received, finished;
  for (const scatter::Part& part : answer.parts()) {
    counts.push_back(part.items);
    begun.push_back(part.begun.seconds());
    received.push_back(part.received.seconds());
    finished.push_back(part.finished.seconds());
  }
  out["counts"] = counts;
  out["displacements"] = answer.displacements;
  out["begin_seconds"] = begun;
  out["received_seconds"] = received;
  out["finish_seconds"] = finished;
  out["makespan_seconds"] = answer.plan.makespan.seconds();
  out["lower_bound_seconds"] = answer.least.seconds();
  out["misses_by"] = answer.misses_by();
  if (answer.guarantee) out["guarantee_seconds"] = answer.guarantee->seconds();
  out["moved_seconds"] = answer.moved.seconds();
  return out.dump(2) + "\n";
}

Result<void> draw(const Answer& answer, const std::string& file) {
  const std::size_t p = answer.order.size();
  std::string script = fmt::format(
      "set title \"{} of {} items: {} after {}\" noenhanced\nset xlabel 'seconds'\nset ylabel 'rank, in the "
      "order of "
      "sending'\nset xrange [0:{:.9g}]\nset yrange [{}:-0.5]\nset key above horizontal\nset style "
      "fill solid "
      "noborder\nset ytics nomirror\nset grid xtics\nset ytics (",
      answer.method == Method::exact ? "balanced scatter" : method_names[static_cast<int>(answer.method)],
      answer.items, "all is done", format(answer.plan.makespan, 5),
      std::max(1e-12, 1.02 * answer.plan.makespan.seconds()), static_cast<double>(p) - 0.5);
  const std::size_t every = std::max<std::size_t>(1, p / 40);
  for (std::size_t i = 0; i < p; i += every)
    script += fmt::format("{}'{}{}' {}", i ? "," : "", answer.order[i], i + 1 == p ? " (root)" : "", i);
  script += ")\n$parts << END\n";
  for (std::size_t i = 0; i < p; ++i) {
    const scatter::Part& part = answer.plan.parts[i];
    script += fmt::format("{} {:.12g} {:.12g} {:.12g} {:.12g}\n", i, part.begun.seconds(),
                          part.received.seconds(), part.finished.seconds(), answer.plan.makespan.seconds());
  }
  // Boxes of x, y, least x, greatest x, least y, greatest y.
  script +=
      "END\nplot $parts using 2:1:(0):2:($1-0.38):($1+0.38) with boxxyerror lc rgb '#e4e4e4' title 'idle', "
      "$parts using 4:1:4:5:($1-0.38):($1+0.38) with boxxyerror lc rgb '#e4e4e4' notitle, "
      "$parts using 2:1:2:3:($1-0.38):($1+0.38) with boxxyerror lc rgb '#d9601a' title 'is sent its items', "
      "$parts using 3:1:3:4:($1-0.38):($1+0.38) with boxxyerror lc rgb '#1f6fb4' title 'computes'\n";
  return draw_picture(script, 900, static_cast<int>(std::clamp<std::size_t>(160 + 22 * p, 300, 3000)), file);
}

}  // namespace emu::app::scatters
