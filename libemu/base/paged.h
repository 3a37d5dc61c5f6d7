// An array with memory only for the parts that were modified.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <vector>

namespace emu {

// Allocates a page of `width` elements, value-initialized, when one of them is accessed for modification. A shelf holds
// the pages of width * fan elements, so unmodified parts of the array take one pointer for that many elements.
template <class T, std::size_t width>
class Paged {
 public:
  explicit Paged(std::size_t size)
      : pages_(std::min((size + width - 1) / width, fan)),
        shelves_((size + width * fan - 1) / (width * fan)) {}

  T& operator[](std::size_t i) {
    const Shelf& shelf = shelves_[i / (width * fan)];
    if (!shelf || !shelf[i / width % fan]) [[unlikely]]
      make_page(i);
    return (*shelf[i / width % fan])[i % width];
  }
  const T& operator[](std::size_t i) const {
    static const T untouched{};
    const Shelf& shelf = shelves_[i / (width * fan)];
    if (!shelf) return untouched;
    const std::unique_ptr<Page>& page = shelf[i / width % fan];
    return page ? (*page)[i % width] : untouched;
  }

 private:
  static constexpr std::size_t fan = 64;
  using Page = std::array<T, width>;
  using Shelf = std::unique_ptr<std::unique_ptr<Page>[]>;

  [[gnu::noinline]] void make_page(std::size_t i) {
    Shelf& shelf = shelves_[i / (width * fan)];
    if (!shelf) shelf = std::make_unique<std::unique_ptr<Page>[]>(pages_);
    shelf[i / width % fan] = std::make_unique<Page>();
  }

  std::size_t pages_;  // of a shelf
  std::vector<Shelf> shelves_;
};

}  // namespace emu
