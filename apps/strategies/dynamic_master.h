// One master of strategy DY, the first or a secondary one.
#pragma once

#include <mpi.h>

#include <optional>
#include <vector>

#include "block.h"
#include "dynamic_messages.h"
#include "strategy.h"

namespace strategies::dynamic {

// Settings that all masters share.
struct Setting {
  const Workload& workload;
  std::int32_t task_items;
  const Adaptation& adaptation;
  double round_trip;  // seconds, while no other rank communicates
  MPI_Comm comm;
};

class Master {
 public:
  // A master of `range`, which `expected` ranks will ask for work. `parent` is the master to which these and this
  // rank return when `range` is done; the first master has none.
  Master(const Setting& setting, Range range, int expected, std::optional<int> parent);

  // Sends the first task to a rank that expects one without asking.
  void begin_with(int slave);
  // Deals until all tasks are done, or giving back is worthwhile. After that, no rank is under this master.
  void serve();
  // After serve() of a secondary master: sends the results and the remaining tasks to the parent.
  void go_back() const;
  // After serve() of the first master: stops all ranks.
  void stop_all() const;

  Block& block() { return block_; }
  int splits() const { return splits_; }
  int merges() const { return merges_; }

 private:
  void store(const Report& report);
  void take_back(int child, const Report& report);
  void answer(int slave);
  void serve_idle();
  void give_work(int slave);
  void dismiss(int slave);
  bool split(int slave);
  void heard(float waited);
  void consider(double mean_wait);
  void send(int slave, const Order& order) const;

  const Setting& setting_;
  const std::optional<int> parent_;
  int self_ = 0;
  Block block_;
  std::vector<Range> to_do_;
  std::vector<std::byte> message_;

  int working_ = 0;        // number of slaves that have a task of this master
  int away_ = 0;           // number of ranks that will come (back) to this master
  std::vector<int> idle_;  // at the first master: slaves without work at present

  int moving_ = 0;     // this number of the next slaves moves ...
  int moving_to_ = 0;  // ... to this secondary master
  bool split_wanted_ = false;
  bool merging_ = false;

  double waited_ = 0;  // since the mean was last considered: sum of waits, ...
  int waits_ = 0;      // ... and their number
  int splits_ = 0;
  int merges_ = 0;
};

}  // namespace strategies::dynamic
