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
  bool distributed = false;  // a request of slave j is answered with powers[j] chunks in a row, as one
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
  // What the next request of `slave` is answered with; no columns: nothing is left for it.
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

// How often each point of each column of the square from -2-2i to 2+2i is iterated, summed over the column, in single
// precision: z = z^2 + c from 0, until |z|^2 of the value before the last step exceeds 4, or `most` times.
std::vector<std::int64_t> iterations(int size, int most);

}  // namespace field
