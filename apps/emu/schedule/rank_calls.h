// Operations of a GOAL schedule as calls of an emulated rank: the MPI operations of apps/goal, without MPI.
#pragma once

#include <vector>

#include "../goal/player.h"
#include "fibers/fiber_run.h"

namespace emu::app::schedules {

class RankCalls final : public goal::Calls {
 public:
  // `self` outlives the object.
  explicit RankCalls(const fibers::Self& self);

  void compute(std::int64_t picoseconds) override;
  void call(const goal::Operation16& operation) override;
  void start(int number, const goal::Operation16& operation) override;
  int wait_for_one() override;
  // Operations that have been started, and had not completed at the last wait.
  const std::vector<int>& under_way() const { return request_of_; }

 private:
  const fibers::Self& self_;
  rank::Rank& rank_;
  rank::Communicator world_;
  std::vector<rank::Request*> requests_;  // pending requests, in the order of their starts
  std::vector<int> request_of_;           // their operations
};

}  // namespace emu::app::schedules
