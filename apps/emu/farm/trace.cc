// The tasks of a recorded run, as the tasks of a farm.
#include <spdlog/spdlog.h>

#include <algorithm>

#include "analysis/tasks.h"
#include "base/units.h"
#include "farm/answer.h"

namespace emu::app::farms {

Result<Costs> read_trace(const std::string& path, const target::Target& target) {
  const auto folder = analysis::Folder::open(path);
  if (!folder) return tl::unexpected(folder.error());
  if (folder->target() != target.name)
    return fail(
        "--trace: " + path + " is a run on \"" + folder->target() + "\", and the target is \"" + target.name +
        "\" (expected a run on the same one, whose speeds say what its tasks cost on the reference CPU)");
  const auto history = analysis::read_history(*folder);
  if (!history) return tl::unexpected(history.error());
  for (const auto& rank : history->ranks)
    if (!rank.cut.empty()) spdlog::warn("{}", rank.cut);
  auto table = analysis::read_tasks(*folder, *history);
  if (!table) return tl::unexpected(table.error());
  if (table->tasks.empty()) return fail("--trace: " + path + ": no master deals tasks in this run");
  std::stable_sort(table->tasks.begin(), table->tasks.end(),
                   [](const analysis::Task& a, const analysis::Task& b) { return a.dealt < b.dealt; });
  std::vector<double> each;
  for (const analysis::Task& task : table->tasks) {
    const int node = folder->locations()[static_cast<std::size_t>(task.slave)].node;
    if (node >= target.node_count())
      return fail("--trace: " + path + ": rank " + std::to_string(task.slave) + " was on node " +
                  std::to_string(node) + ", and the target has " + counted(target.node_count(), "node"));
    const model::Speed speed = target.speed(node, folder->ranks());
    each.push_back(task.work.seconds() * static_cast<double>(speed.at(task.received)) / model::one);
  }
  return Costs(std::move(each));
}

}  // namespace emu::app::farms
