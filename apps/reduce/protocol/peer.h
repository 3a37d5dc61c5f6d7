// One rank of the protocol: its jobs, its part in the view, and the dealer if the rank is the dealer. A
// Peer does not use MPI: the caller passes in arriving messages, and the Peer sends through the wire.
#pragma once

#include <deque>
#include <optional>
#include <set>
#include <vector>

#include "reduce/protocol/dealer.h"
#include "reduce/protocol/group.h"
#include "reduce/protocol/jobs.h"
#include "reduce/protocol/protocol.h"
#include "reduce/protocol/seams.h"

namespace reduce {

class Peer : private Dealer::Office, private Jobs::Office {
 public:
  Peer(int rank, const Settings& settings, Wire& wire);

  // Returns the job's number: 0, 1, ...
  int start(const Spec& spec);
  // Announces that this rank starts no more reductions. Other ranks may need it until ended() is true.
  void leave();

  void hear(int from, const Control& control);
  void arrived(int transfer);
  void missed(int transfer);  // the sender of the transfer has failed
  void suspect(int rank);     // `rank` has failed
  // Combines pieces of at least `bytes` bytes, or all if there are fewer; false: there is nothing to do.
  bool work(std::int64_t bytes) { return jobs_.work(bytes); }

  bool ended() const { return ended_; }
  bool excluded() const { return excluded_; }  // the others assume that this rank has failed
  // Null: the job is not over yet.
  const Outcome* outcome(int job) const { return jobs_.outcome(job); }
  // After that, once: the whole result at ranks that collected it; else null.
  Memory take_result(int job) { return jobs_.take_result(job); }
  // The caller does not ask for the outcome again.
  void release(int job) { jobs_.release(job); }
  // True if this rank needs others.
  bool busy() const { return jobs_.any() || (leaving_ && !ended_); }
  bool is_idle() const { return jobs_.is_idle(); }  // work() has nothing to do
  // True if all of this rank's input of `job` was passed to the wire.
  bool has_pushed(int job) const { return jobs_.has_pushed(job); }
  int rank() const { return rank_; }
  int dealer_rank() const;
  bool deals() const { return dealer_.has_value(); }
  bool failed(int rank) const { return failed_.contains(rank) || suspects_.contains(rank); }
  int view() const override { return view_; }
  // Size of the pieces, sums and collected results at this rank, without the inputs.
  std::int64_t held_bytes() const { return jobs_.held_bytes(); }
  // Time when the latest piece of each other rank's input arrived here (Wire::now).
  const std::vector<double>& last_pieces() const { return jobs_.last_pieces(); }

 private:
  // Dealer::Office
  void tell(int to, Control control) override;
  void tell_all(Control control) override;
  Terms terms(int job) const override;

  // Jobs::Office
  bool gone(int rank) const override { return failed_.contains(rank); }
  void tell_dealer(Control control) override;
  void progressed() override;
  void deliver() override;

  void handle(int from, const Control& control);
  void obey(const Control& control);

  void report_ready();
  void collect_ready(const Control& control);
  void relay(const Control& control);
  bool by_tree() const { return settings_.tree && view_ == 0; }

  void begin_view(int after);
  void enter_view(const Control& control);
  Census census() const;
  void end();
  void end_all();

  const int rank_;
  const Settings settings_;
  Wire& wire_;
  int view_ = 0;
  Group group_;
  std::optional<Dealer> dealer_;
  std::set<int> failed_;         // failed ranks of the view
  std::set<int> suspects_;       // failed ranks that this rank detected
  std::deque<Control> to_self_;  // not handled yet
  bool delivering_ = false;
  int started_ = 0;  // number of jobs
  int upto_ = none;  // the last job that may be dealt, as reported to the dealer
  Jobs jobs_;
  bool leaving_ = false;
  int standby_ = none;  // at a deputy: the dealer that is sending the end to the others
  bool ended_ = false;
  bool excluded_ = false;
};

}  // namespace reduce
