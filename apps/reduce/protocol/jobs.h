// Jobs of one rank: the pieces of inputs, the sums of blocks and the results at the rank, and their transfers.
#pragma once

#include <deque>
#include <map>
#include <set>
#include <vector>

#include "reduce/protocol/dealer.h"
#include "reduce/protocol/plan.h"
#include "reduce/protocol/protocol.h"
#include "reduce/protocol/seams.h"
#include "reduce/protocol/speed_meter.h"

namespace reduce {

// A job: a vector that is reduced. All ranks start the same jobs in the same order.
struct Spec {
  Terms terms;
  const Arithmetic* arithmetic = nullptr;  // outlives the job
  Memory input;                            // read only
  Memory output;                           // at the root: memory for the result; null: the job allocates it
  bool ordered = false;                    // combine in the order of ranks
  int speed = 0;                           // recent speed of this rank; 0: as measured before
};

class Jobs {
 public:
  // The rank that the jobs belong to.
  class Office {
   public:
    virtual ~Office() = default;
    virtual bool gone(int rank) const = 0;  // it has failed in the present view
    virtual int view() const = 0;
    virtual void tell_dealer(Control control) = 0;
    virtual void progressed() = 0;  // more jobs may be dealt
    virtual void deliver() = 0;     // handle the messages of the rank to itself
  };

  Jobs(int rank, const Settings& settings, Wire& wire, Office& office);

  void start(int number, const Spec& spec) {
    jobs_[number].spec = spec;
    if (spec.speed != 0) speed_.note(spec.speed);
  }

  // Orders of the dealer, and (pull) a request of another rank.
  void plan(const Control& control);
  void fetch(const Control& control);
  void gather(const Control& control);
  void finish(int number, const Outcome& outcome);
  void pull(int from, const Control& control);

  void arrived(int transfer);
  void missed(int transfer);
  // No more messages will arrive from these ranks.
  void give_up(const std::set<int>& failed);
  // See Peer::work().
  bool work(std::int64_t bytes);

  bool any() const { return !jobs_.empty(); }
  bool open(int job) const { return jobs_.contains(job); }
  bool is_idle() const { return tasks_.empty(); }
  bool has_pushed(int job) const { return !jobs_.contains(job) || jobs_.at(job).pushed; }
  // True if this rank has no work left for the job, although it may have to wait.
  bool done_with(int job) const;
  const Terms& terms(int job) const { return jobs_.at(job).spec.terms; }
  const SpeedMeter& speed() const { return speed_; }
  std::int64_t held_bytes() const;
  const std::vector<double>& last_pieces() const { return last_pieces_; }
  std::vector<Census::Job> census() const;

  const std::map<int, Outcome>& outcomes() const { return outcomes_; }
  const Outcome* outcome(int job) const;
  Memory take_result(int job);
  void release(int job) { released_.insert(job); }
  // Forgets the outcomes of earlier jobs that were released.
  void forget_before(int number);

 private:
  struct Block {
    bool combining = false;
    std::vector<State> state;   // of the piece of each input
    std::vector<Memory> piece;  // of each input
    Memory sum;
    int combined = 0;  // number of inputs combined
    int next = 0;      // ordered: the next input to combine
    bool made = false;
    std::vector<std::pair<int, int>> pulls;  // rank and tag of each request for the result
  };
  struct Job {
    Spec spec;
    std::vector<std::int32_t> words;  // the plan's list; empty: not dealt yet
    Plan plan;
    std::map<int, Block> blocks;
    bool target = false;
    Memory whole;
    std::vector<State> got;                      // state of the result of each block
    int missing = 0;                             // number of missing results
    std::vector<std::pair<int, Control>> early;  // pulls that came before the plan
    bool pushed = false;                         // this rank's input was sent
  };
  struct Transfer {
    int job = none;
    int block = none;
    int input = none;  // none: the transfer of a result
    int from = none;
  };
  struct Task {
    int job = none;
    int block = none;
    int input = none;
  };

  void push_if_free(int number, Job& job);
  void push_input(int number, Job& job);
  void expect(int number, Job& job);
  Block& block(Job& job, int k);
  void receive_piece(int number, Job& job, int k, int i, int from, int tag);
  void receive_result(int number, Job& job, int k, int from, int tag);
  void have_piece(int number, Job& job, int k, int i);
  void combine_block(int number, Job& job, int k);
  void made(int number, Job& job, int k);
  void got_result(int number, Job& job, int k);
  void become_target(int number, Job& job);
  void say_if_whole(int number, const Job& job);
  Memory own_piece(const Job& job, int k) const;
  bool combine_one();
  bool combine_next(int number, Job& job, Block& block, int k, int input);
  int piece_tag(int job, int i, int k) const;
  int result_tag(int job, int k) const;
  int ask_for(int from, int job, int k, int input);

  const int rank_;
  const Settings& settings_;
  Wire& wire_;
  Office& office_;
  std::map<int, Job> jobs_;  // jobs without an outcome
  std::map<int, Outcome> outcomes_;
  std::map<int, Memory> results_;
  std::set<int> released_;
  std::map<int, Transfer> transfers_;
  std::deque<Task> tasks_;
  int pulls_ = 0;
  SpeedMeter speed_;
  bool made_one_ = false;            // a block was made since the speed was measured
  std::vector<double> last_pieces_;  // by rank
};

}  // namespace reduce
