// The decisions of the dealer: which rank combines which block, when a job is complete, and what is repaired after a
// failure. The dealer uses neither MPI nor data: its input and output are control messages.
//
// Its state is not needed after a failure: its successor asks all ranks for their pieces and results.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "reduce/protocol/plan.h"
#include "reduce/protocol/protocol.h"

namespace reduce {

// Attributes of a job that the dealer needs in addition to the pieces and results at the ranks.
struct Terms {
  int root = 0;
  int heir = 0;
  std::int64_t count = 0;
  std::int64_t element_bytes = 1;
  bool leave_out = false;  // inputs of ranks that fail before all are ready are left out, not lost
};

class Dealer {
 public:
  class Office {
   public:
    virtual ~Office() = default;
    virtual void tell(int to, Control control) = 0;
    virtual void tell_all(Control control) = 0;
    virtual Terms terms(int job) const = 0;
  };

  Dealer(int rank, const Settings& settings, Office& office);

  // A view has begun, in which these ranks are assumed to have failed; censuses of all others follow.
  void begin(const std::set<int>& failed);
  void hear(int from, const Control& control);

 private:
  struct Open {
    int root = none;
    int heir = none;
    std::set<int> whole;  // targets that have the whole result
    std::vector<int> left_out;
  };
  // Knowledge of one job from the censuses.
  struct Found {
    Plan plan;
    std::map<int, Census::Job> at;  // by live rank
  };
  struct Repair {
    int job = none;
    std::set<int> lost;                              // lost inputs
    std::map<int, int> makers;                       // the maker of each block
    std::map<std::pair<int, int>, Control> fetches;  // orders by block and rank
  };

  bool lives(int rank) const { return !failed_.contains(rank); }
  void count_ready(const Control& control);
  void deal_ready();
  void deal(int job);
  std::vector<int> speeds_for(int job, const Terms& terms) const;
  int usual_speed() const;
  void whole(int from, int job);
  void finish(int job, const Outcome& outcome);
  void end_if_all_left();

  // After a census.
  void resume();
  void spread_outcomes();
  void repair(int job);
  Found found(int job);
  Census::Job supposed(int job, int rank, const Plan& plan) const;
  void target(Open& open, const Terms& terms) const;
  void repair_block(const Found& found, int k, Repair& repair) const;
  void copy_again(const Found& found, int k, int input, int maker, Repair& repair) const;
  int holder(const Found& found, int k, int input) const;
  void gather(const Found& found, int target, const Repair& repair);

  const int rank_;
  const Settings& settings_;
  Office& office_;
  std::set<int> failed_;
  std::vector<int> upto_;
  std::vector<int> speeds_;
  std::set<int> left_;  // ranks that said bye
  int next_ = 0;        // next job to deal
  std::map<int, Open> open_;
  bool counting_ = false;
  std::map<int, Census> censuses_;
  bool ended_ = false;
};

}  // namespace reduce
