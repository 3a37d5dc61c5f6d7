// An array with memory only for the parts that were modified.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

namespace emu {

// Allocates `width` elements at a time, value-initialized, when one of them is accessed for modification.
template <class T, std::size_t width>
class Paged {
 public:
  explicit Paged(std::size_t size) : pages_((size + width - 1) / width) {}

  T& operator[](std::size_t i) {
    std::unique_ptr<Page>& page = pages_[i / width];
    if (!page) [[unlikely]]
      page = std::make_unique<Page>();
    return (*page)[i % width];
  }
  const T& operator[](std::size_t i) const {
    static const T untouched{};
    const std::unique_ptr<Page>& page = pages_[i / width];
    return page ? (*page)[i % width] : untouched;
  }

 private:
  using Page = std::array<T, width>;
  std::vector<std::unique_ptr<Page>> pages_;
};

}  // namespace emu
