#include "members.h"

#include <algorithm>
#include <numeric>

namespace reduce {

Members::Members() { read(); }

Members::~Members() {
  if (comm_ != MPI_COMM_WORLD) MPI_Comm_free(&comm_);
}

void Members::read() {
  int ranks = 0;
  MPI_Comm_rank(comm_, &rank_);
  MPI_Comm_size(comm_, &ranks);
  std::vector<int> here(static_cast<std::size_t>(ranks));
  std::iota(here.begin(), here.end(), 0);
  world_.resize(here.size());
  MPI_Group all, these;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Comm_group(comm_, &these);
  MPI_Group_translate_ranks(these, ranks, here.data(), all, world_.data());
  MPI_Group_free(&these);
  MPI_Group_free(&all);
}

int Members::first_from(int world) const {
  const auto found = std::lower_bound(world_.begin(), world_.end(), world);
  return found == world_.end() ? 0 : static_cast<int>(found - world_.begin());
}

bool Members::agree_and_shrink(bool mine) {
  int none = mine ? 0 : 1;
  MPIX_Comm_failure_ack(comm_);
  MPIX_Comm_agree(comm_, &none);
  if (none != 0) return false;
  const int before = ranks();
  MPI_Comm smaller;
  MPIX_Comm_shrink(comm_, &smaller);
  MPI_Comm_set_errhandler(smaller, MPI_ERRORS_RETURN);
  if (comm_ != MPI_COMM_WORLD) MPI_Comm_free(&comm_);
  comm_ = smaller;
  read();
  failed_ += before - ranks();
  return true;
}

}  // namespace reduce
