// Node of each rank of a job. Most jobs fill their nodes one after the other, so the list is stored as runs of
// ranks: then a rank's memory for it does not grow with the number of ranks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <vector>

#include "base/index_iterator.h"

namespace emu::model {

class Places {
 public:
  struct Place {
    int node = 0;
    int group = 0;  // of nodes
    friend bool operator==(const Place&, const Place&) = default;
  };

  Places() = default;
  Places(std::initializer_list<Place> list) {
    for (const Place& place : list) push_back(place);
  }

  // Adds the next rank.
  void push_back(Place place) {
    const auto rank = static_cast<int>(size_++);
    if (!runs_.empty() && joins(runs_.back(), rank - runs_.back().rank, place)) return;
    runs_.push_back({rank, place, 1, false});
  }
  std::size_t size() const { return size_; }
  [[gnu::hot]] Place operator[](std::size_t rank) const {
    const Run& run = runs_.size() == 1 ? runs_.front() : run_of(static_cast<int>(rank));
    return {run.node_of(static_cast<int>(rank) - run.rank), run.first.group};
  }
  auto begin() const { return IndexIterator(*this, std::size_t{0}); }
  auto end() const { return IndexIterator(*this, size_); }

  std::size_t runs() const { return runs_.size(); }

 private:
  // Consecutive ranks on consecutive nodes of one group.
  struct Run {
    int rank;
    Place first;
    int each;      // ranks on each of the nodes
    bool settled;  // `each` is known, from a second node; until then all ranks are on the first

    int node_of(int i) const { return first.node + (each == 1 ? i : i / each); }
  };

  // True if `place` is, or can be, that of the run's next rank, `i`.
  static bool joins(Run& run, int i, Place place) {
    if (place.group != run.first.group) return false;
    if (run.settled) return place.node == run.node_of(i);
    if (place.node == run.first.node)
      run.each = i + 1;
    else if (place.node == run.first.node + 1)
      run.settled = true;
    else
      return false;
    return true;
  }
  const Run& run_of(int rank) const {
    const auto behind = std::upper_bound(runs_.begin(), runs_.end(), rank,
                                         [](int r, const Run& run) { return r < run.rank; });
    return *std::prev(behind);
  }

  std::vector<Run> runs_;
  std::size_t size_ = 0;
};

}  // namespace emu::model
