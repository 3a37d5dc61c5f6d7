#include "skeleton/extrapolate/likeness.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace emu::skeleton {
namespace {

constexpr double size_tolerance = 0.005, work_tolerance = 0.02;

std::vector<int> ranks_of(const std::vector<Skeleton>& recorded) {
  std::vector<int> ranks;
  for (const Skeleton& each : recorded) ranks.push_back(each.ranks);
  return ranks;
}

std::string listed(const std::set<std::string>& all) {
  std::string text;
  for (const std::string& each : all) text += (text.empty() ? "" : ", ") + each;
  return text;
}

}  // namespace

void Laws::add(const Fit& fit, double weight) {
  ++times_[fit.law + (fit.checked ? "" : " (not checked)")];
  worst_ = std::max(worst_, fit.residual);
  sum_ += weight;
  doubtful_ += weight * fit.doubt;
}

std::string Laws::text() const {
  std::string text;
  for (const auto& [law, times] : times_)
    text += (text.empty() ? "" : ", ") + law + (times > 1 ? " (" + std::to_string(times) + " times)" : "");
  return text.empty() ? "none" : text;
}

Likeness::Likeness(const std::vector<Skeleton>& recorded, int ranks, const GridShape& shape)
    : recorded_(recorded),
      shape_(shape),
      asked_(shape.of(ranks)),
      bases_(bases_of(ranks_of(recorded), ranks)),
      asked_groups_(ranks) {
  std::vector<Grid> grids;
  for (std::size_t i = 0; i < recorded.size(); ++i) {
    const Grid& grid = grids.emplace_back(shape.of(recorded[i].ranks));
    everywhere_.push_back(i);
    groups_.emplace_back(recorded[i].ranks);
    for (int rank = 0; rank < recorded[i].ranks; ++rank)
      roles_[role_of(grid, rank, shape.parity)].recorded.push_back({i, static_cast<std::size_t>(rank)});
  }
  for (int rank = 0; rank < ranks; ++rank)
    roles_[role_of(asked_, rank, shape.parity)].asked.push_back(static_cast<std::size_t>(rank));
  // A size that is divided along one dimension of a grid depends on the size of that dimension.
  for (std::size_t i = 0; i < asked_.sizes.size() && asked_.sizes.size() > 1; ++i) {
    Basis size{"size of dimension " + std::to_string(i + 1), {}, static_cast<double>(asked_.sizes[i])};
    for (const Grid& grid : grids) size.recorded.push_back(static_cast<double>(grid.sizes[i]));
    Basis part{"1/" + size.name, {}, 1 / size.asked};
    for (const double each : size.recorded) part.recorded.push_back(1 / each);
    bases_.push_back(std::move(part));
    bases_.push_back(std::move(size));
  }
}

Result<void> Likeness::every_role_is_known() const {
  for (const auto& [role, alike] : roles_) {
    if (alike.asked.empty()) continue;
    std::set<std::size_t> in;
    for (const Sample& each : alike.recorded) in.insert(each.recording);
    if (in.size() < 2)
      return fail("seen " + shape_.text() + ", rank " + std::to_string(alike.asked.front()) + " would be " +
                  text_of(role) + ", and such ranks are in " + (in.empty() ? "none" : "one") +
                  " of the recordings; record with more ranks");
  }
  return {};
}

double Likeness::near_law(const std::vector<std::size_t>& places, const std::vector<double>& values) const {
  const auto found = law(places, values, work_tolerance, true);
  return found ? std::max(0.0, found->value) : values.back();
}

const Grid& Likeness::grid_of(int ranks) const {
  const auto [known, first] = grids_.try_emplace(ranks);
  if (first) known->second = GridShape{}.of(ranks);
  return known->second;
}

std::string Likeness::where(const Alike& alike) const {
  std::set<std::string> ranks;
  for (const Sample& each : alike.recorded) ranks.insert(std::to_string(recorded_[each.recording].ranks));
  return "the ranks like rank " + std::to_string(alike.asked.front()) + " of " +
         std::to_string(asked_.ranks()) + ", with " + listed(ranks) + " ranks,";
}

Result<Step> Likeness::step(const Steps& same, Laws& sizes, Laws& work) {
  Step to;
  to.calls.resize(static_cast<std::size_t>(asked_.ranks()));
  to.work.resize(to.calls.size());
  for (const auto& [role, alike] : roles_) {
    if (alike.asked.empty()) continue;
    if (const auto added = add_calls(alike, same, to, sizes, work); !added)
      return tl::unexpected(added.error());
  }
  const Function function = to.function();
  const Result<void> set = function == Function::alltoallv ? set_lists(same, to, sizes)
                           : function == Function::gatherv || function == Function::allgatherv ||
                                   function == Function::scatterv || function == Function::reduce_scatter
                               ? set_blocks(same, to, sizes)
                               : Result<void>();
  if (!set) return tl::unexpected(set.error());
  for (std::size_t i = 0; i < same.size(); ++i) groups_[i].follow(*same[i]);
  asked_groups_.follow(to);
  return to;
}

template <class Value>
std::optional<Fit> Likeness::mean_law(const Alike& alike, Value value, double tolerance, double nothing) {
  struct Mean {
    double sum = 0, least = HUGE_VAL, most = -HUGE_VAL;
    int count = 0;
  };
  std::map<std::size_t, Mean> means;
  for (const Sample& each : alike.recorded) {
    const std::optional<double> one = value(each);
    if (!one) continue;
    Mean& mean = means[each.recording];
    mean.sum += *one;
    mean.least = std::min(mean.least, *one);
    mean.most = std::max(mean.most, *one);
    ++mean.count;
  }
  std::vector<std::size_t> places;
  std::vector<double> values;
  double most = 0;
  for (const auto& [recording, mean] : means) {
    places.push_back(recording);
    values.push_back(mean.sum / mean.count);
    most = std::max(most, mean.most);
    if (mean.most - mean.least > std::max(nothing, 0.1 * mean.most)) uneven_ = true;
  }
  if (values.empty()) return Fit{};
  if (most <= nothing) return Fit{values.back(), "constant", 0, values.size() > 1};
  if (values.size() < 2) return {};
  return law(places, values, tolerance, true);
}

Result<void> Likeness::add_calls(const Alike& alike, const Steps& same, Step& to, Laws& sizes, Laws& work) {
  const auto call_of = [&](const Sample& sample) -> const Call& {
    return same[sample.recording]->calls[sample.rank];
  };
  const Call& first = call_of(alike.recorded.front());
  const bool makes = first.function == Function::communicator;
  for (const Sample& sample : alike.recorded) {
    const Call& call = call_of(sample);
    if (call.function != first.function) return fail(where(alike) + " do not all do it");
    if (call.comm != first.comm || call.slot != first.slot || call.unit != first.unit ||
        (call.tag != first.tag && !makes) || call.source_tag != first.source_tag ||
        (call.function == Function::wait && call.list != first.list))
      return fail(where(alike) + " have different tags, communicators, elements or requests");
  }
  if (first.function == Function::nothing) return {};
  for (const std::size_t rank : alike.asked) {
    to.calls[rank] = first;
    if (first.function == Function::farm) to.calls[rank].list = same.back()->calls.front().list;
  }
  if (const auto set =
          makes ? set_places(alike, same, &Call::peer, to) : set_peers(alike, same, &Call::peer, to);
      !set)
    return set;
  // The source that a receive from any source had is an outcome of the recorded run, not a property of the program.
  if (first.function == Function::sendrecv) {
    if (const auto set = set_peers(alike, same, &Call::source, to); !set) return set;
  } else {
    for (const std::size_t rank : alike.asked) to.calls[rank].source = none;
  }
  if (makes)
    if (const auto set = set_places(alike, same, &Call::tag, to); !set) return set;
  const auto bytes = mean_law(
      alike, [&](const Sample& sample) { return std::optional(static_cast<double>(call_of(sample).bytes)); },
      size_tolerance, 0);
  if (!bytes) return fail(where(alike) + " have sizes that follow no law");
  const double executions = static_cast<double>(alike.asked.size() * same.back()->times);
  if (first.bytes > 0) sizes.add(*bytes, bytes->value * executions);
  const double elements = std::max(0.0, std::round(bytes->value / first.unit));
  for (const std::size_t rank : alike.asked)
    to.calls[rank].bytes =
        static_cast<std::int64_t>(bytes->value > 0 ? std::max(1.0, elements) : 0) * first.unit;
  return set_work(alike, same, to, work);
}

Result<void> Likeness::set_work(const Alike& alike, const Steps& same, Step& to, Laws& laws) {
  // A step that takes less than a thousandth of the program's time does not justify a refusal.
  double nothing = 0;
  for (std::size_t i = 0; i < same.size(); ++i)
    nothing = std::max(nothing, 1e-3 * recorded_[i].seconds /
                                    static_cast<double>(std::max<std::uint64_t>(same[i]->times, 1)));
  const auto work = mean_law(
      alike, [&](const Sample& sample) { return std::optional(same[sample.recording]->work[sample.rank]); },
      work_tolerance, nothing);
  if (!work) return fail(where(alike) + " have work before it that follows no law");
  if (work->value > nothing)
    laws.add(*work, work->value * static_cast<double>(alike.asked.size() * same.back()->times));
  for (const std::size_t rank : alike.asked) to.work[rank] = std::max(0.0, work->value);
  return {};
}

Result<void> Likeness::set_peers(const Alike& alike, const Steps& same, std::int32_t Call::*which,
                                 Step& to) const {
  // A rank's position in the communicator of the call, and the grid of that communicator.
  struct Place {
    int rank;
    const Grid& grid;
  };
  const auto place_of = [&](const Groups& groups, std::size_t rank, std::int32_t comm,
                            const Grid& world_grid) {
    const Group* group = groups.of(rank, comm);
    const bool all = !group || static_cast<int>(group->members.size()) == world_grid.ranks();
    return Place{group ? group->place.at(static_cast<int>(rank)) : static_cast<int>(rank),
                 all ? world_grid : grid_of(static_cast<int>(group->members.size()))};
  };
  std::vector<Grid> grids;
  for (const Skeleton& each : recorded_) grids.push_back(shape_.of(each.ranks));
  std::optional<std::vector<Relation>> candidates;
  for (const Sample& sample : alike.recorded) {
    const Call& call = same[sample.recording]->calls[sample.rank];
    const Place place = place_of(groups_[sample.recording], sample.rank, call.comm, grids[sample.recording]);
    if (call.*which >= place.grid.ranks())
      return fail(where(alike) + " have an invalid rank: " + std::to_string(call.*which) +
                  " (expected below " + std::to_string(place.grid.ranks()) + ")");
    if (!candidates) candidates = relations(place.grid, place.rank, call.*which);
    std::erase_if(*candidates, [&](const Relation& each) {
      return each.kind == Relation::Kind::offset && each.offset.size() != place.grid.sizes.size()
                 ? true
                 : each.of(place.grid, place.rank) != call.*which;
    });
  }
  if (candidates->empty()) return fail(where(alike) + " have peers in different relations to them");
  for (const std::size_t rank : alike.asked) {
    const Place place = place_of(asked_groups_, rank, to.calls[rank].comm, asked_);
    const std::int64_t peer = candidates->front().of(place.grid, place.rank);
    if (peer >= place.grid.ranks())
      return fail(where(alike) + " would have an invalid rank: " + std::to_string(peer) +
                  " (expected below " + std::to_string(place.grid.ranks()) + ")");
    to.calls[rank].*which = static_cast<std::int32_t>(peer);
  }
  return {};
}

Result<void> Likeness::set_places(const Alike& alike, const Steps& same, std::int32_t Call::*which,
                                  Step& to) const {
  std::optional<std::vector<Coordinate>> candidates;
  for (const Sample& sample : alike.recorded) {
    const Grid grid = shape_.of(recorded_[sample.recording].ranks);
    const std::int64_t value = same[sample.recording]->calls[sample.rank].*which;
    if (!candidates) candidates = coordinates(grid, static_cast<int>(sample.rank), value);
    std::erase_if(*candidates, [&](const Coordinate& each) {
      return each.of(grid, static_cast<int>(sample.rank)) != value;
    });
  }
  if (candidates->empty())
    return fail(where(alike) + " have colours or keys that are not made of their places");
  for (const std::size_t rank : alike.asked)
    to.calls[rank].*which = static_cast<std::int32_t>(candidates->front().of(asked_, static_cast<int>(rank)));
  return {};
}

// Blocks from each rank to each rank: of one size, so that sizes of sends and receives agree.
Result<void> Likeness::set_lists(const Steps& same, Step& to, Laws& sizes) {
  std::vector<double> means;
  for (const Step* step : same) {
    double sum = 0, count = 0;
    for (const Call& call : step->calls)
      for (const std::int64_t each : call.list) sum += static_cast<double>(each), ++count;
    means.push_back(count > 0 ? sum / count : 0);
    for (const Call& call : step->calls)
      for (const std::int64_t each : call.list)
        if (std::abs(static_cast<double>(each) - means.back()) > 0.1 * means.back()) uneven_ = true;
  }
  const auto found = law(everywhere_, means, size_tolerance, true);
  if (!found) return fail("the blocks have sizes that follow no law");
  sizes.add(*found,
            found->value * static_cast<double>(to.calls.size() * to.calls.size() * same.back()->times));
  for (std::size_t rank = 0; rank < to.calls.size(); ++rank) {
    if (to.calls[rank].function == Function::nothing) continue;
    const Group* group = asked_groups_.of(rank, to.calls[rank].comm);
    const std::size_t size = group ? group->members.size() : to.calls.size();
    to.calls[rank].list.assign(2 * size, static_cast<std::int64_t>(std::llround(found->value)));
  }
  return {};
}

// Blocks of each rank: by the role of the block's owner, in any list.
Result<void> Likeness::set_blocks(const Steps& same, Step& to, Laws& sizes) {
  std::vector<double> block(to.calls.size());
  std::vector<std::vector<double>> sums(recorded_.size()), counts(recorded_.size());
  for (std::size_t i = 0; i < same.size(); ++i) {
    sums[i].resize(same[i]->calls.size());
    counts[i].resize(same[i]->calls.size());
    for (std::size_t rank = 0; rank < same[i]->calls.size(); ++rank) {
      const Call& call = same[i]->calls[rank];
      const Group* group = groups_[i].of(rank, call.comm);
      for (std::size_t k = 0; group && k < call.list.size() && k < group->members.size(); ++k) {
        const auto member = static_cast<std::size_t>(group->members[k]);
        sums[i][member] += static_cast<double>(call.list[k]);
        ++counts[i][member];
      }
    }
  }
  for (const auto& [role, alike] : roles_) {
    const auto found = mean_law(
        alike,
        [&](const Sample& each) -> std::optional<double> {
          const double count = counts[each.recording][each.rank];
          if (count == 0) return {};
          return sums[each.recording][each.rank] / count;
        },
        size_tolerance, 0);
    if (alike.asked.empty()) continue;
    if (!found) return fail("the blocks of " + where(alike) + " have sizes that follow no law");
    sizes.add(*found, found->value * static_cast<double>(alike.asked.size() * same.back()->times));
    for (const std::size_t rank : alike.asked) block[rank] = std::max(0.0, found->value);
  }
  const bool own = to.function() != Function::reduce_scatter;  // each call has the size of its own block
  for (std::size_t rank = 0; rank < to.calls.size(); ++rank) {
    Call& call = to.calls[rank];
    if (call.list.empty()) continue;
    const Group* group = asked_groups_.of(rank, call.comm);
    if (!group) return fail("unknown communicator");
    call.list.clear();
    for (const int member : group->members) {
      const auto whose = static_cast<std::size_t>(member);
      const double elements = std::round(block[whose] / call.unit);
      const bool said = own && whose != rank;
      call.list.push_back(said ? to.calls[whose].bytes : static_cast<std::int64_t>(elements) * call.unit);
    }
  }
  return {};
}

}  // namespace emu::skeleton
