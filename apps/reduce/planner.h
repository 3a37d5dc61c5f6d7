// The master's decisions: which two partial results are combined next, and where; and what to do when a
// worker fails. Without MPI: reports go in, orders come out.
//
// Workers are numbered 0, 1, ... Worker i's input of a reduction is its partial result number i; worker i + 1
// (the last one's: worker 0) holds a copy of it. Other partial results get numbers as they are made. Inputs
// stay where they are until the reduction is complete, so that whatever a failed worker held can be made
// again from them.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "messages.h"

namespace reduce {

class Planner {
 public:
  using Tell = std::function<void(int worker, const Order& order)>;

  // `tell` is called for each order; it must not call back.
  Planner(int workers, Tell tell) : workers_(workers), tell_(std::move(tell)), last_(workers, 0.0) {}

  void heard(int worker, const Report& report);
  // `worker` has failed: nothing more will come from it, and what it says later does not count.
  void failed(int worker);

  bool failed_before(int worker) const { return failed_.contains(worker); }
  // Whether a reduction is under way.
  bool busy() const { return open_ != 0; }
  int living() const { return workers_ - static_cast<int>(failed_.size()); }
  int holder_of_copy(int input) const { return (input + 1) % workers_; }

 private:
  struct Partial {
    int owner = 0;
    std::vector<int> inputs;
  };
  struct Task {
    int reduction = 0;
    int executor = 0;
    int sender = 0;
    int kept = none;  // the executor's partial result; none: the sender's is handed to the root
    int sent = 0;     // the sender's
    int result = 0;
    bool dropping = false;  // the sender has failed, and the executor was told
  };
  struct Reduction {
    std::set<int> stored;  // inputs with a copy
    bool begun = false;
    bool over = false;
    std::set<int> given;  // inputs that were made ready
    int root = none;
    int next_partial = 0;
    std::map<int, Partial> partials;  // all that there are
    std::deque<int> ready;            // those that no task has, in the order in which they became ready
    std::set<int> tasks;              // under way
  };

  Reduction& reduction(int number);
  void given(int number, int worker, int root);
  // Once every input is stored twice, or as often as failures let it.
  void begin_when_stored(int number);
  void give_for(int number, int worker);
  void pair(int number);
  void combine(int number, int a, int b);
  void finish(int number);
  void done(int worker, const Report& report);
  void dropped(int worker, const Report& report);
  void lose_tasks(int number, int worker);
  void lose_partials(int number, int worker);
  // Makes what `partial` was made of ready again, from the inputs.
  void rebuild(int number, int partial);
  void complete(int number, int partial);

  const int workers_;
  const Tell tell_;
  std::vector<double> last_;  // what each worker's last task took, in seconds
  std::set<int> failed_;
  std::map<int, Reduction> reductions_;
  std::map<int, Task> tasks_;
  int next_task_ = 0;
  int open_ = 0;  // reductions under way
};

}  // namespace reduce
