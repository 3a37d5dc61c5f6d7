// One master of strategy DY, the first or a secondary one.
#pragma once

#include <mpi.h>

#include <optional>
#include <vector>

#include "block.h"
#include "dynamic_messages.h"
#include "strategy.h"

namespace strategies::dynamic {

// What all masters share.
struct Setting {
  const Workload& workload;
  std::int32_t task_items;
  const Adaptation& adaptation;
  double round_trip;  // seconds, while nobody else communicates
  MPI_Comm comm;
};

class Master {
 public:
  // Answers for `range`. `expected` ranks will ask it for work. `parent`: where they and this rank go when it
  // is done; nobody: the first master.
  Master(const Setting& setting, Range range, int expected, std::optional<int> parent);

  // The first task to a rank that expects one without having asked.
  void begin_with(int slave);
  // Deals until all tasks are done, or until it is worth giving back. No rank is under this master then.
  void serve();
  // After serve(), a secondary master: hands what was done and what is left to the parent.
  void go_back() const;
  // After serve(), the first master: stops everybody.
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

  int working_ = 0;        // slaves that have a task of this master
  int away_ = 0;           // ranks that will come (back) to this master
  std::vector<int> idle_;  // the first master's: there is nothing to do for them now

  int moving_ = 0;     // the next so many slaves go ...
  int moving_to_ = 0;  // ... to this secondary master
  bool split_wanted_ = false;
  bool merging_ = false;

  double waited_ = 0;  // since the mean was last considered: sum, ...
  int waits_ = 0;      // ... and of how many
  int splits_ = 0;
  int merges_ = 0;
};

}  // namespace strategies::dynamic
