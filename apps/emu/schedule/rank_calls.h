// Operations of a GOAL schedule as calls of an emulated rank: what apps/goal asks of MPI, without MPI.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "../goal/player.h"
#include "rank/rank.h"

namespace emu::app::schedules {

class RankCalls final : public goal::Calls {
 public:
  // `rank` outlives it. `stop` ends the job with a message. It does not return normally.
  RankCalls(rank::Rank& rank, std::function<void(const std::string&)> stop);

  void compute(std::int64_t picoseconds) override;
  void call(const goal::Operation16& operation) override;
  void start(int number, const goal::Operation16& operation) override;
  int wait_for_one() override;
  // Operations that have been started and were not complete when they were last waited for.
  const std::vector<int>& under_way() const { return request_of_; }

 private:
  void check(const char* call, const rank::Status& status, std::int64_t room);

  rank::Rank& rank_;
  const std::function<void(const std::string&)> stop_;
  rank::Communicator world_;
  std::vector<rank::Request*> requests_;  // under way, in the order of their starts
  std::vector<int> request_of_;           // the operation of each
};

}  // namespace emu::app::schedules
