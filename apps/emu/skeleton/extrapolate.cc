// emu skeleton extrapolate: from recordings with a few numbers of ranks to the skeleton for another.
#include "skeleton/extrapolate/extrapolate.h"

#include "base/units.h"
#include "skeleton/actions.h"

namespace emu::app::skeletons {

Outcome<Extrapolated> extrapolate(const std::vector<std::string>& paths, int ranks, double tolerance) {
  std::vector<skeleton::Skeleton> recorded;
  for (const std::string& path : paths) {
    auto compressed = read(path, tolerance);
    if (!compressed) return tl::unexpected(compressed.error());
    recorded.push_back(std::move(compressed->skeleton));
  }
  auto extrapolated = skeleton::extrapolate(std::move(recorded), ranks);
  if (!extrapolated) return trouble(extrapolated.error().message, 1);
  Extrapolated result;
  result.notes = std::move(extrapolated->notes);
  result.compressed.skeleton = std::move(extrapolated->skeleton);
  result.compressed.symbols = skeleton::steps_in(result.compressed.skeleton.nodes);
  const double calls = static_cast<double>(result.compressed.symbols) * ranks;
  if (calls > skeleton::most_calls)
    return trouble(counted(static_cast<std::int64_t>(result.compressed.symbols), "step") + " on " +
                       counted(ranks, "rank") + " are too many: a skeleton has up to " +
                       std::to_string(static_cast<long>(skeleton::most_calls)) + " steps times ranks",
                   1);
  return result;
}

}  // namespace emu::app::skeletons
