#include "prediction/uncertainty.h"

#include <cmath>

#include "target/keys.h"

namespace emu::app {
namespace {

using Parts = std::map<std::string, double>;

Parts parts(const record::RunSummary& run, const Uncertainties& of_target) {
  Parts result;
  for (const Derivative& derivative : derivatives(run))
    if (const auto half = of_target.find(derivative.key); half != of_target.end())
      result[derivative.key] = derivative.value * half->second;
  return result;
}

Uncertainty combined(const Parts& parts) {
  Uncertainty result;
  double squares = 0;
  for (const auto& [key, part] : parts) {
    if (part == 0) continue;
    squares += part * part;
    result.worst += std::abs(part);
    result.parts[key] = part;
  }
  result.likely = std::sqrt(squares);
  return result;
}

}  // namespace

std::vector<Derivative> derivatives(const record::RunSummary& run) {
  const int last = run.last();
  const record::Path path = last < 0 ? record::Path() : run.ranks[static_cast<std::size_t>(last)].path;
  const auto ranks = static_cast<double>(run.ranks.size());
  std::vector<Derivative> result;
  for (const target::Key& key : target::keys())
    result.push_back({std::string(key.name), key.weight(path, ranks)});
  return result;
}

Uncertainty uncertainty(const record::RunSummary& run, const Uncertainties& of_target) {
  return combined(parts(run, of_target));
}

Uncertainty uncertainty_of_difference(const record::RunSummary& a, const record::RunSummary& b,
                                      const Uncertainties& of_target) {
  Parts difference = parts(a, of_target);
  for (const auto& [key, part] : parts(b, of_target)) difference[key] -= part;
  return combined(difference);
}

}  // namespace emu::app
