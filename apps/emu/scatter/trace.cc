// Costs of an item on each rank, from a recorded run.
#include <spdlog/spdlog.h>

#include "analysis/tasks.h"
#include "base/units.h"
#include "scatter/answer.h"

namespace emu::app::scatters {
namespace {

double speed_of(const target::Target& target, const std::vector<int>& nodes, int rank) {
  return target.nominal_speed(nodes[static_cast<std::size_t>(rank)], static_cast<int>(nodes.size()));
}

}  // namespace

Result<std::vector<double>> item_seconds_of(const std::string& trace, const target::Target& target, int ranks,
                                            const Options& options) {
  const auto folder = analysis::Folder::open(trace);
  if (!folder) return tl::unexpected(folder.error());
  if (folder->ranks() != ranks)
    return fail(trace + ": a run of " + counted(folder->ranks(), "rank") + ", and not of the " +
                std::to_string(ranks) + " that are planned for; plan with -n " +
                std::to_string(folder->ranks()));
  const auto history = analysis::read_history(*folder);
  if (!history) return tl::unexpected(history.error());
  for (const auto& rank : history->ranks)
    if (!rank.cut.empty()) spdlog::warn("{}", rank.cut);
  const auto tasks = analysis::read_tasks(*folder, *history);
  if (!tasks) return tl::unexpected(tasks.error());
  std::vector<double> seconds(static_cast<std::size_t>(ranks), -1);
  if (!tasks->slaves.empty()) {
    for (const analysis::Slave& slave : tasks->slaves)
      if (slave.tasks > 0)
        seconds[static_cast<std::size_t>(slave.rank)] =
            slave.work.seconds() / static_cast<double>(slave.tasks * options.task_items);
  } else {
    const auto items =
        scatter::uniform(options.trace_items ? options.trace_items : options.items, seconds.size());
    for (std::size_t rank = 0; rank < seconds.size(); ++rank)
      if (items[rank] > 0)
        seconds[rank] = history->ranks[rank].time.compute.seconds() / static_cast<double>(items[rank]);
  }
  // Ranks without items cost as the others on average, by the speeds of the target.
  const std::vector<int> nodes = target.place(ranks);
  double reference = 0;
  int known = 0;
  for (int rank = 0; rank < ranks; ++rank)
    if (const double s = seconds[static_cast<std::size_t>(rank)]; s >= 0)
      reference += s * speed_of(target, nodes, rank), ++known;
  if (known == 0) return fail(trace + ": no rank has computed an item");
  for (int rank = 0; rank < ranks; ++rank)
    if (double& s = seconds[static_cast<std::size_t>(rank)]; s < 0)
      s = reference / known / speed_of(target, nodes, rank);
  return seconds;
}

}  // namespace emu::app::scatters
