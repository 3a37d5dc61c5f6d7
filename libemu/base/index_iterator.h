// Iterator over a sequence with size() and operator[] that computes its elements, so that none is stored.
#pragma once

#include <cstddef>
#include <iterator>
#include <utility>

namespace emu {

// `Index`: the argument type of `Sequence::operator[]`.
template <class Sequence, class Index>
class IndexIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = decltype(std::declval<const Sequence&>()[Index()]);
  using difference_type = std::ptrdiff_t;
  using pointer = const value_type*;
  using reference = value_type;

  IndexIterator(const Sequence& sequence, Index at) : sequence_(&sequence), at_(at) {}
  value_type operator*() const { return (*sequence_)[at_]; }
  IndexIterator& operator++() {
    ++at_;
    return *this;
  }
  bool operator==(const IndexIterator& other) const { return at_ == other.at_; }

 private:
  const Sequence* sequence_;
  Index at_;
};

}  // namespace emu
