// Curves of a study that are searched together: those of one target whose settings differ only in numbers.
#pragma once

#include <cstddef>
#include <vector>

#include "study/plane/plane_search.h"
#include "study/study.h"

namespace emu::app::studies {

// A point to be run.
struct Request {
  std::size_t curve = 0;  // of the study
  int ranks = 0;
  bool operator==(const Request&) const = default;
};

class Plane {
 public:
  // `curves`: for each combination of values of the names with numeric values, the last name's fastest.
  Plane(const Study& study, std::vector<std::size_t> curves);

  const std::vector<std::size_t>& curves() const { return curves_; }
  const Sizes& sizes() const { return sizes_; }  // ranks first, then each swept name with numeric values
  std::size_t cells() const { return cells_of(sizes_); }
  KnownCells known() const;
  Cell cell_of(const Request& request) const;
  Request request_of(const Cell& cell) const;

  // The expected runs: all remaining ones, or those of a search. The first one is to be run next.
  std::vector<Request> expected(std::size_t most) const;

 private:
  const Study* study_;
  std::vector<std::size_t> curves_;
  Sizes sizes_;
};

// The planes of a variation: one for each combination of words, if the study is searched; otherwise a single one.
std::vector<Plane> planes_of(const Study& study, std::size_t variation);
// As planes_of(), always with one plane for each combination of words.
std::vector<Plane> search_planes_of(const Study& study, std::size_t variation);

}  // namespace emu::app::studies
