// Group of ranks that reports to the dealer by its leader, its first rank. Without a tree each rank is a group.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "reduce/protocol/protocol.h"

namespace reduce {

class Group {
 public:
  Group(int rank, const Settings& settings)
      : size_(settings.tree ? std::max(1, static_cast<int>(std::sqrt(static_cast<double>(settings.ranks))))
                            : 1),
        leader_(rank / size_ * size_) {
    if (rank != leader_) return;
    const auto members = static_cast<std::size_t>(std::min(size_, settings.ranks - rank));
    upto_.assign(members, none);
    speeds_.assign(members, 0);
  }

  int size() const { return size_; }
  int leader() const { return leader_; }
  // At the leader: `member` allows the dealer to deal all jobs up to `upto`. Returns true if all members now allow
  // more jobs than before.
  bool collect(int member, int upto, int speed) {
    const auto at = static_cast<std::size_t>(member - leader_);
    upto_[at] = upto;
    speeds_[at] = speed;
    const int least = *std::min_element(upto_.begin(), upto_.end());
    if (least <= said_) return false;
    said_ = least;
    return true;
  }
  int upto() const { return said_; }                          // minimum of all members
  const std::vector<int>& speeds() const { return speeds_; }  // of each member

 private:
  const int size_;
  const int leader_;
  std::vector<int> upto_;
  std::vector<int> speeds_;
  int said_ = none;
};

}  // namespace reduce
