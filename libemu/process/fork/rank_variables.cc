#include "process/fork/rank_variables.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string>

namespace emu::mpi {

namespace {

// Each rank writes its number in place: setenv() would write to six pages that the ranks share.
class NumberVariable {
 public:
  explicit NumberVariable(const char* name) {
    value_ = std::copy_n(name, std::strlen(name), text_);
    *value_++ = '=';
    putenv(text_);
  }
  void set(int number) { *std::to_chars(value_, std::end(text_) - 1, number).ptr = '\0'; }

 private:
  char text_[32] = {};
  char* value_;
};

struct RankVariables {
  NumberVariable rank{"PMI_RANK"}, local_rank{"MPI_LOCALRANKID"};
};

RankVariables& rank_variables() {
  static RankVariables all;
  return all;
}

}  // namespace

void set_size_variables(int size, int local_size) {
  setenv("PMI_SIZE", std::to_string(size).c_str(), 1);
  setenv("MPI_LOCALNRANKS", std::to_string(local_size).c_str(), 1);
  rank_variables();
}

void set_rank_variables(int rank, int local_rank) {
  rank_variables().rank.set(rank);
  rank_variables().local_rank.set(local_rank);
}

}  // namespace emu::mpi
