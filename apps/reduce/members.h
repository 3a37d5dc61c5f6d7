// The ranks that reduce: at first all of MPI_COMM_WORLD, later only the ranks that have not failed.
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
  int failed() const { return failed_; }  // number of ranks that are no longer members
  // The rank of member `rank` in MPI_COMM_WORLD.
  int world(int rank) const { return world_[static_cast<std::size_t>(rank)]; }
  // The member whose rank in MPI_COMM_WORLD is `world`, or else the next one after it.
  int first_from(int world) const;

  // Collective. The live members agree whether one of them knows of a failure (`mine`);
  // if so, failed ranks are no longer members. Returns true if members were removed.
  bool agree_and_shrink(bool mine);

 private:
  void read();

  MPI_Comm comm_ = MPI_COMM_WORLD;
  int rank_ = 0;
  int failed_ = 0;
  std::vector<int> world_;
};

}  // namespace reduce
