// Processes in an order: the members of a group, or of a communicator, as ranks in MPI_COMM_WORLD.
//
// A value that is cheap to copy: members at equal distances, as in MPI_COMM_WORLD, take no memory of their own, and
// copies share any other list. So the memory of a rank for a communicator does not grow with the job.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

#include "base/index_iterator.h"

namespace emu::rank {

class Members {
 public:
  Members() = default;
  // `count` ranks, beginning with `first`, each `step` more than its predecessor.
  static Members evenly(int first, int count, int step = 1) {
    Members m;
    m.first_ = first;
    m.step_ = step;
    m.size_ = count;
    return m;
  }
  Members(std::initializer_list<int> list) : Members(std::vector<int>(list)) {}
  explicit Members(std::vector<int> list) : size_(static_cast<int>(list.size())) {
    if (size_ > 0) first_ = list[0];
    if (size_ > 1) step_ = list[1] - first_;
    for (int i = 2; i < size_; ++i) {
      if (list[static_cast<std::size_t>(i)] == first_ + i * step_) continue;
      list_ = std::make_shared<const std::vector<int>>(std::move(list));
      return;
    }
  }

  int size() const { return size_; }
  int operator[](int i) const { return list_ ? (*list_)[static_cast<std::size_t>(i)] : first_ + i * step_; }
  auto begin() const { return IndexIterator(*this, 0); }
  auto end() const { return IndexIterator(*this, size_); }
  // The position of a rank in MPI_COMM_WORLD; -1: it is no member.
  int find(int rank) const {
    if (!list_) {
      const int from = rank - first_;
      if (size_ > 0 && from == 0) return 0;
      const int i = size_ > 1 && from % step_ == 0 ? from / step_ : -1;
      return i < size_ ? i : -1;
    }
    for (int i = 0; i < size_; ++i)
      if ((*list_)[static_cast<std::size_t>(i)] == rank) return i;
    return -1;
  }
  bool operator==(const Members& other) const {
    if (size_ != other.size_) return false;
    if (list_ == other.list_ && first_ == other.first_ && step_ == other.step_) return true;
    for (int i = 0; i < size_; ++i)
      if ((*this)[i] != other[i]) return false;
    return true;
  }

 private:
  int first_ = 0, step_ = 1, size_ = 0;
  std::shared_ptr<const std::vector<int>> list_;  // null: evenly spaced
};

}  // namespace emu::rank
