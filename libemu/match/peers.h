// A multiset of ranks from which something is awaited.
#pragma once

#include <cstdint>
#include <vector>

#include "base/paged.h"

namespace emu::match {

class Peers {
 public:
  explicit Peers(int ranks) : known_(static_cast<std::size_t>(ranks)) {}

  [[gnu::hot]] void add(int rank) {
    Known& k = known_[static_cast<std::size_t>(rank)];
    if (k.times++ > 0) return;
    k.place = static_cast<std::uint32_t>(all_.size());
    all_.push_back(rank);
  }
  // Removes one occurrence.
  [[gnu::hot]] void remove(int rank) {
    Known& k = known_[static_cast<std::size_t>(rank)];
    if (--k.times > 0) return;
    all_[k.place] = all_.back();
    known_[static_cast<std::size_t>(all_.back())].place = k.place;
    all_.pop_back();
  }
  const std::vector<int>& all() const { return all_; }
  void append_to(std::vector<int>& ranks) const { ranks.insert(ranks.end(), all_.begin(), all_.end()); }

 private:
  struct Known {
    std::uint32_t times = 0;
    std::uint32_t place = 0;  // in all_
  };
  Paged<Known, 16> known_;
  std::vector<int> all_;
};

}  // namespace emu::match
