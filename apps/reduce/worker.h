// A rank that takes part in task-parallel reductions. All workers start the same reductions, in the same
// order.
//
//   store   hands the input over, and a copy of it to a neighbour
//   start   once every input is stored twice, begins the reduction; test and wait end it, as those of MPI do
//
// Everything goes on inside these calls only, as with MPI: a worker that computes for long should test now
// and then. Until a reduction is complete its input stays here.
#pragma once

#include <mpi.h>

#include <limits>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "messages.h"
#include "operation.h"

namespace reduce {

class Worker {
 public:
  // Rank 0 of `comm` is the master. From `fails_at` on (MPI_Wtime) this worker neither sends nor receives.
  Worker(MPI_Comm comm, double fails_at = std::numeric_limits<double>::infinity());

  int number() const { return number_; }
  int workers() const { return workers_; }

  // Non-blocking. `operation` has to outlive the reduction. `seconds`: what making the input took.
  void store(int reduction, Vector input, const Operation& operation, double seconds);
  void wait_stored(int reduction);
  // Non-blocking, after wait_stored. Worker `root` gets the result.
  void start(int reduction, int root);
  bool test(int reduction);
  void wait(int reduction);
  // Blocking: start and wait.
  void reduce(int reduction, int root);

  // After wait, once: the result, at the root; nothing if the reduction has failed, or this worker has.
  std::optional<Vector> result(int reduction);

  // Serves until nobody starts another reduction. False: this worker is held for failed.
  bool finish();

 private:
  struct Reduction {
    const Operation* operation = nullptr;
    double seconds = 0;
    Vector input;
    Vector copy;  // of the neighbour's
    std::map<int, Vector> partials;
    bool stored = false;
    bool over = false;
    bool given_up = false;  // a transfer was: MPI may still use the vectors
    std::optional<Vector> result;
  };
  struct Transfer {
    enum Kind { order, copy_out, copy_in, data_out, data_in };
    Kind kind = order;
    int reduction = none;
    int task = none;
  };
  struct Waiting {
    Order order;
    Vector data;
  };

  void progress(bool block);
  void expect_order();
  void arrived(const Transfer& transfer);
  void obey(const Order& order);
  void combine(int task);
  void drop(const Order& order);
  void complete(const Order& order);
  void end(const Order& order);
  void add(Transfer transfer, MPI_Request request);
  void forget(int reduction, int task);
  void release(Reduction& reduction);
  Vector take(Reduction& reduction, int partial);
  const Vector& look(Reduction& reduction, int partial);
  void say(const Report& report) const;
  bool mute() const;

  const MPI_Comm comm_;
  const double fails_at_;
  int number_ = 0;
  int workers_ = 0;
  std::map<int, Reduction> reductions_;
  std::map<int, Waiting> waiting_;  // tasks that this worker combines for
  Order order_;
  std::vector<MPI_Request> requests_;
  std::vector<Transfer> transfers_;  // of the same index
  bool ended_ = false;
  bool held_for_failed_ = false;
};

}  // namespace reduce
