// One rank of the protocol: it holds pieces of inputs, combines those of its block, and collects results; it may be
// the dealer, too. Without MPI: what arrives goes in, what is sent goes out through the wire.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "dealer.h"
#include "plan.h"
#include "protocol.h"
#include "seams.h"

namespace reduce {

// A vector to be reduced. All ranks start the same jobs in the same order.
struct Spec {
  Terms terms;
  const Arithmetic* arithmetic = nullptr;  // outlives the job
  Memory input;                            // not written to
  Memory output;                           // at the root: where to collect the result; null: anywhere
  bool ordered = false;                    // combine in the order of ranks
  int speed = 0;                           // of this rank lately; 0: as measured before
};

class Peer : private Dealer::Office {
 public:
  Peer(int rank, const Settings& settings, Wire& wire);

  // Returns the job's number: 0, 1, ...
  int start(const Spec& spec);
  // Says that nothing will be started any more; until ended() others may need this rank.
  void leave();

  void hear(int from, const Control& control);
  void arrived(int transfer);
  void missed(int transfer);  // its sender has failed
  void suspect(int rank);     // it has failed
  // Combines pieces, of at least so many bytes if there are so many; false: there is nothing to do.
  bool work(std::int64_t bytes);

  bool ended() const { return ended_; }
  bool excluded() const { return excluded_; }  // held for failed
  // Null: not over yet.
  const Outcome* outcome(int job) const;
  // After that, once: the whole result, at the ranks that collected it; else null.
  Memory take_result(int job);
  // The outcome is not asked for again.
  void release(int job) { released_.insert(job); }
  // Whether others are needed for something.
  bool busy() const { return !jobs_.empty() || (leaving_ && !ended_); }
  bool is_idle() const { return tasks_.empty(); }  // work() has nothing to do
  // Whether all of this rank's input of `job` was handed to the wire.
  bool has_pushed(int job) const { return !jobs_.contains(job) || jobs_.at(job).pushed; }
  int rank() const { return rank_; }
  int dealer_rank() const;
  bool deals() const { return dealer_.has_value(); }
  bool failed(int rank) const { return failed_.contains(rank) || suspects_.contains(rank); }
  int view() const { return view_; }
  // Bytes of pieces, sums and collected results here; the inputs do not count.
  std::int64_t held_bytes() const;
  // When the latest piece of each other rank's input has come here (Wire::now).
  const std::vector<double>& last_pieces() const { return last_pieces_; }

 private:
  struct Block {
    bool combining = false;
    std::vector<State> state;   // of each input's piece
    std::vector<Memory> piece;  // likewise
    Memory sum;
    int combined = 0;  // inputs
    int next = 0;      // ordered: the input that comes next
    bool made = false;
    std::vector<std::pair<int, int>> pulls;  // rank and tag: who wants the result
  };
  struct Job {
    Spec spec;
    std::vector<std::int32_t> words;  // of the plan; empty: not dealt yet
    Plan plan;
    std::map<int, Block> blocks;
    bool target = false;
    Memory whole;
    std::vector<State> got;                      // of each block's result
    int missing = 0;                             // results
    std::vector<std::pair<int, Control>> early;  // pulls before the plan
    bool pushed = false;                         // this rank's input
  };
  struct Transfer {
    int job = none;
    int block = none;
    int input = none;  // none: the result
    int from = none;
  };
  struct Task {
    int job = none;
    int block = none;
    int input = none;
  };

  // Office
  void tell(int to, Control control) override;
  void tell_all(Control control) override;
  Terms terms(int job) const override;

  void deliver();  // what was told to this rank itself
  void handle(int from, const Control& control);
  void obey(const Control& control);
  void tell_dealer(Control control);

  bool done_with(int job) const;
  void note_speed(int speed);
  int seen_speed() const;
  void report_ready();
  void collect_ready(const Control& control);
  void relay(const Control& control);
  int leader_of(int rank) const { return rank / group_ * group_; }
  bool by_tree() const { return settings_.tree && view_ == 0; }

  // views.cc
  void begin_view(int after);
  void enter_view(const Control& control);
  Census census() const;
  void end();
  void end_all();

  // peer.cc
  void plan(const Control& control);
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
  void fetch(const Control& control);
  void gather(const Control& control);
  void pull(int from, const Control& control);
  void finish(int number, const Outcome& outcome);
  Memory own_piece(const Job& job, int k) const;
  bool combine_one();
  bool combine_next(int number, Job& job, Block& block, int k, int input);
  int piece_tag(int job, int i, int k) const;
  int result_tag(int job, int k) const;
  int ask_for(int from, int job, int k, int input);

  const int rank_;
  const Settings settings_;
  Wire& wire_;
  int view_;
  int group_ = 1;  // ranks in a group of the tree
  std::optional<Dealer> dealer_;
  std::set<int> failed_;    // those of the view
  std::set<int> suspects_;  // noticed here
  std::deque<Control> to_self_;
  bool delivering_ = false;
  int started_ = 0;
  int upto_ = none;         // said to the dealer
  std::deque<int> speeds_;  // as measured lately; the latest is the last
  std::int64_t combined_bytes_ = 0;
  double combined_seconds_ = 0;
  bool made_one_ = false;        // since the speed was measured
  std::vector<int> group_upto_;  // leaders: of each rank of the group
  std::vector<int> group_speed_;
  int group_said_ = none;
  std::map<int, Job> jobs_;  // without an outcome
  std::map<int, Outcome> outcomes_;
  std::map<int, Memory> results_;
  std::set<int> released_;
  std::map<int, Transfer> transfers_;
  std::deque<Task> tasks_;
  int pulls_ = 0;
  std::vector<double> last_pieces_;  // by rank
  bool leaving_ = false;
  int standby_ = none;  // a deputy: the dealer that is telling the others that all is over
  bool ended_ = false;
  bool excluded_ = false;
};

}  // namespace reduce
