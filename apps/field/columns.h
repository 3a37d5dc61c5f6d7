// Rules by which a master deals the columns of an image: the chunk of each request.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace field {

enum class Rule { trapezoid, guided, factoring };  // TSS, GSS, FSS

struct Dealing {
  Rule rule = Rule::trapezoid;
  bool distributed = false;  // a request of slave j gets powers[j] consecutive chunks as one answer
  int columns = 0;
  int threshold = 1;        // the least chunk
  std::vector<int> powers;  // of each slave
};

// The master's state. Slaves are numbered from 0.
class Dealer {
 public:
  explicit Dealer(const Dealing& dealing);

  struct Chunk {
    int first = 0, columns = 0;
  };
  // The answer to the next request of `slave`; without columns: no work is left for it.
  Chunk next(int slave);

 private:
  void make_table();
  int one(int slave);

  Dealing dealing_;
  int weight_;  // the sum of the powers, or the number of slaves
  int left_, given_ = 0;
  int chunk_ = 0, decrement_ = 0;       // trapezoid: the next chunk
  std::vector<std::deque<int>> table_;  // factoring: the chunks of each slave
};

// For each column of the square from -2-2i to 2+2i: the number of iterations, summed over its points. Arithmetic is in
// single precision. The iteration z = z^2 + c begins at 0 and ends after `most` steps, or one step after |z|^2 exceeds
// 4.
std::vector<std::int64_t> iterations(int size, int most);

// True for points of the main cardioid and of the disc next to it, apart from their edges: they never leave the circle.
bool never_leaves(double x, double y);

}  // namespace field
