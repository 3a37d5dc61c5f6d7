// Common structure of ranks in similar positions, over several numbers of ranks.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/failure.h"
#include "skeleton/extrapolate/fit.h"
#include "skeleton/extrapolate/grid.h"
#include "skeleton/program/groups.h"
#include "skeleton/program/skeleton.h"

namespace emu::skeleton {

// Counts of the laws that were found, for users.
class Laws {
 public:
  // `weight`: the sum of the values that follow the law.
  void add(const Fit& fit, double weight);
  std::string text() const;
  double worst() const { return worst_; }                           // residual
  double doubt() const { return sum_ > 0 ? doubtful_ / sum_ : 0; }  // Fit::doubt of all values together

 private:
  std::map<std::string, int> times_;
  double worst_ = 0, sum_ = 0, doubtful_ = 0;
};

// Merges steps of skeletons for several numbers of ranks into one step for another number.
class Likeness {
 public:
  Likeness(const std::vector<Skeleton>& recorded, int ranks, const GridShape& shape);

  const Grid& asked() const { return asked_; }
  // Indices of all recordings, for law().
  const std::vector<std::size_t>& everywhere() const { return everywhere_; }
  // Checks that ranks in each role that will occur were recorded with two or more numbers of ranks.
  Result<void> every_role_is_known() const;
  // Merges the steps at one position of each skeleton. To be called in program order,
  // because steps create communicators. A failure names the part that follows no law.
  Result<Step> step(const std::vector<const Step*>& same, Laws& sizes, Laws& work);

  std::optional<Fit> law(const std::vector<std::size_t>& places, const std::vector<double>& values,
                         double tolerance, bool loosely) const {
    return fit(bases_, places, values, tolerance, loosely);
  }
  // For values that need not be exact: the last value, if there is no law.
  double near_law(const std::vector<std::size_t>& places, const std::vector<double>& values) const;
  bool uneven() const { return uneven_; }  // means were taken over ranks with different values

 private:
  // A rank of a recording.
  struct Sample {
    std::size_t recording = 0, rank = 0;
  };
  struct Alike {
    std::vector<std::size_t> asked;  // ranks
    std::vector<Sample> recorded;
  };
  using Steps = std::vector<const Step*>;

  Result<void> add_calls(const Alike& alike, const Steps& same, Step& to, Laws& sizes, Laws& work);
  // Relation of the peers of all samples to their own ranks: the first candidate that holds for all.
  Result<void> set_peers(const Alike& alike, const Steps& same, std::int32_t Call::*which, Step& to) const;
  Result<void> set_places(const Alike& alike, const Steps& same, std::int32_t Call::*which, Step& to) const;
  // The mean of each recording's samples, by its law; recordings without a sample are left out.
  template <class Value>
  std::optional<Fit> mean_law(const Alike& alike, Value value, double tolerance, double nothing);
  Result<void> set_work(const Alike& alike, const Steps& same, Step& to, Laws& laws);
  Result<void> set_lists(const Steps& same, Step& to, Laws& sizes);
  Result<void> set_blocks(const Steps& same, Step& to, Laws& sizes);

  const Grid& grid_of(int ranks) const;
  std::string where(const Alike& alike) const;

  const std::vector<Skeleton>& recorded_;
  const GridShape shape_;
  const Grid asked_;
  std::vector<Basis> bases_;
  std::vector<std::size_t> everywhere_;
  std::map<Role, Alike> roles_;
  std::vector<Groups> groups_;  // of each recording
  Groups asked_groups_;
  mutable std::map<int, Grid> grids_;
  bool uneven_ = false;
};

}  // namespace emu::skeleton
