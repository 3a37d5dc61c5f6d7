#include "study/plane/plane.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "study/plane/grid.h"

namespace emu::app::studies {
namespace {

// The values of a curve's setting that are words.
std::vector<std::string> words_of(const Study& study, const Curve& curve) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < study.sweeps.size(); ++i)
    if (!study.sweeps[i].numbers) words.push_back(curve.setting.values[i].second);
  return words;
}

std::vector<std::size_t> curves_of(const Study& study, std::size_t variation) {
  std::vector<std::size_t> curves(study.settings());
  std::iota(curves.begin(), curves.end(), variation * study.settings());
  return curves;
}

}  // namespace

std::size_t Study::settings() const {
  std::size_t settings = 1;
  for (const Sweep& sweep : sweeps) settings *= sweep.values.size();
  return settings;
}

std::vector<int> Study::ranks_of(std::size_t curve) const {
  if (nodes.empty()) return ranks;
  std::vector<int> result;
  for (const int number : nodes) result.push_back(number * slots_of(curves[curve].setting));
  return result;
}

Plane::Plane(const Study& study, std::vector<std::size_t> curves)
    : study_(&study),
      curves_(std::move(curves)),
      sizes_{static_cast<int>(study.ranks_of(curves_.front()).size())} {
  for (const Sweep& sweep : study.sweeps)
    if (sweep.numbers) sizes_.push_back(static_cast<int>(sweep.values.size()));
}

KnownCells Plane::known() const {
  KnownCells known;
  for (const std::size_t curve : curves_)
    for (const auto& [ranks, seconds] : study_->curves[curve].known())
      known[cell_of({curve, ranks})] = seconds;
  return known;
}

Cell Plane::cell_of(const Request& request) const {
  Cell cell(sizes_.size());
  const std::vector<int> ranks = study_->ranks_of(request.curve);
  cell[0] = static_cast<int>(std::lower_bound(ranks.begin(), ranks.end(), request.ranks) - ranks.begin());
  auto place = static_cast<int>(std::find(curves_.begin(), curves_.end(), request.curve) - curves_.begin());
  for (std::size_t d = sizes_.size() - 1; d > 0; --d) {
    cell[d] = place % sizes_[d];
    place /= sizes_[d];
  }
  return cell;
}

Request Plane::request_of(const Cell& cell) const {
  int place = 0;
  for (std::size_t d = 1; d < sizes_.size(); ++d) place = place * sizes_[d] + cell[d];
  const std::size_t curve = curves_[static_cast<std::size_t>(place)];
  return {curve, study_->ranks_of(curve)[static_cast<std::size_t>(cell[0])]};
}

std::vector<Request> Plane::expected(std::size_t most) const {
  std::vector<Request> requests;
  const auto add = [&](std::size_t curve, const std::vector<int>& ranks) {
    for (const int p : ranks)
      if (requests.size() < most) requests.push_back({curve, p});
  };
  if (!study_->search) {
    for (const std::size_t curve : curves_) {
      std::vector<int> left;
      const Known known = study_->curves[curve].known();
      const std::vector<int> ranks = study_->ranks_of(curve);
      std::copy_if(ranks.begin(), ranks.end(), std::back_inserter(left),
                   [&](int p) { return !known.contains(p); });
      add(curve, left);
    }
  } else if (sizes_.size() == 1) {
    add(curves_.front(),
        expected_of_search(study_->ranks_of(curves_.front()), study_->curves[curves_.front()].known(), most));
  } else {
    for (const Cell& cell : expected_of_search(sizes_, known(), most)) requests.push_back(request_of(cell));
  }
  return requests;
}

std::vector<Plane> search_planes_of(const Study& study, std::size_t variation) {
  std::vector<std::pair<std::vector<std::string>, std::vector<std::size_t>>> groups;
  for (const std::size_t curve : curves_of(study, variation)) {
    const std::vector<std::string> words = words_of(study, study.curves[curve]);
    const auto known =
        std::find_if(groups.begin(), groups.end(), [&](const auto& group) { return group.first == words; });
    if (known == groups.end())
      groups.push_back({words, {curve}});
    else
      known->second.push_back(curve);
  }
  std::vector<Plane> planes;
  for (auto& [words, curves] : groups) planes.emplace_back(study, std::move(curves));
  return planes;
}

std::vector<Plane> planes_of(const Study& study, std::size_t variation) {
  if (study.search) return search_planes_of(study, variation);
  return {Plane(study, curves_of(study, variation))};
}

}  // namespace emu::app::studies
