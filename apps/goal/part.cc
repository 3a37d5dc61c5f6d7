#include "part.h"

#include <algorithm>

namespace emu::goal {

Operation16 packed(const Step& step) {
  Operation16 o{};
  o.amount = step.amount;
  o.tag = step.tag;
  o.peer = static_cast<std::uint32_t>(step.peer) & 0x3fffffff;
  o.kind = static_cast<std::uint32_t>(step.kind) & 3;
  return o;
}

Part::Part(const Block& block) {
  operations_.reserve(block.steps.size());
  for (const Step& step : block.steps) operations_.push_back(packed(step));
  std::vector<bool> follows(block.steps.size());  // the operation requires its predecessor
  for (const Dependency& d : block.dependencies) {
    if (!d.complete || d.on + 1 != d.of || follows[static_cast<std::size_t>(d.of)]) chain_ = false;
    follows[static_cast<std::size_t>(d.of)] = true;
  }
  chain_ = chain_ &&
           (follows.empty() || std::all_of(follows.begin() + 1, follows.end(), [](bool f) { return f; }));
  if (chain_ || block.dependencies.empty()) return;
  first_.resize(block.steps.size() + 1);
  for (const Dependency& d : block.dependencies) ++first_[static_cast<std::size_t>(d.on) + 1];
  for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
  std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
  dependents_.resize(block.dependencies.size());
  for (const Dependency& d : block.dependencies) {
    Dependent& dependent = dependents_[next[static_cast<std::size_t>(d.on)]++];
    dependent.of = static_cast<std::uint32_t>(d.of) & 0x7fffffff;
    dependent.end = d.complete ? 1 : 0;
  }
}

std::vector<std::uint32_t> Part::missing() const {
  std::vector<std::uint32_t> missing(operations_.size());
  for (const Dependent& d : dependents_) ++missing[d.of];
  return missing;
}

std::int64_t Part::longest() const {
  std::int64_t longest = 0;
  for (const Operation16& o : operations_)
    if (o.what() == Kind::compute) longest = std::max(longest, o.amount);
  return longest;
}

std::int64_t Part::bytes() const {
  const std::size_t order = chain_ ? 0 : operations_.size() * sizeof(std::uint32_t);
  return static_cast<std::int64_t>(operations_.size() * sizeof(Operation16) +
                                   first_.size() * sizeof(std::uint32_t) +
                                   dependents_.size() * sizeof(Dependent) + order);
}

}  // namespace emu::goal
