// The ranks that reduce: all of MPI_COMM_WORLD at first, fewer when some have failed.
#pragma once

#include <mpi.h>

#include <vector>

namespace reduce {

class Members {
 public:
  Members();
  ~Members();
  Members(const Members&) = delete;
  Members& operator=(const Members&) = delete;

  MPI_Comm comm() const { return comm_; }
  int rank() const { return rank_; }
  int ranks() const { return static_cast<int>(world_.size()); }
  int failed() const { return failed_; }  // that are no members any more
  // The rank that `rank` has, or had, in MPI_COMM_WORLD.
  int world(int rank) const { return world_[static_cast<std::size_t>(rank)]; }
  // The member that is `world` there, or comes first behind it.
  int first_from(int world) const;

  // Collective. Those that live agree whether one of them knows of a failure (`mine`); if so, the failed are members no
  // more. Returns whether they are fewer.
  bool agree_and_shrink(bool mine);

 private:
  void read();

  MPI_Comm comm_ = MPI_COMM_WORLD;
  int rank_ = 0;
  int failed_ = 0;
  std::vector<int> world_;
};

}  // namespace reduce
