// What the master of the task-parallel reduction and its workers tell each other. Data goes between workers
// directly.
#pragma once

#include <cstdint>

namespace reduce {

// Master to worker.
struct Order {
  enum Kind : std::int32_t {
    begin,     // every input of `reduction` is stored twice
    combine,   // receive `peer`'s partial result for `task`, and combine it with `partial` into `result`
    send,      // send `partial` to `peer` for `task`
    receive,   // as combine, but without one of one's own: the reduction's result, for its root
    drop,      // `task` will not be finished: its other end has failed
    complete,  // `reduction` is done, its result `partial` at the root; or has failed if `partial` is none
    ping,      // say something
    farewell,  // tell worker `peer`, which has failed, that nothing more will come
    end,       // `peer`: none; for those that are held for failed, the number of farewells to wait for
  };
  std::int32_t kind = ping;
  std::int32_t reduction = 0;
  std::int32_t task = 0;
  std::int32_t peer = 0;
  std::int32_t partial = 0;
  std::int32_t result = 0;
};
static_assert(sizeof(Order) == 24, "what an order takes on the wire");

// Worker to master.
struct Report {
  enum Kind : std::int32_t {
    stored,   // the copy of the neighbour's input of `reduction`
    ready,    // the own input of `reduction` may be combined; `seconds`: what making it took
    done,     // `task`; `seconds`: what combining took
    dropped,  // `task`, before it was done: the own partial result is as it was
    here,     // the answer to a ping
    bye,      // this worker starts no more reductions
  };
  std::int32_t kind = here;
  std::int32_t reduction = 0;
  std::int32_t task = 0;
  std::int32_t root = 0;  // of ready: the worker that wants the result
  double seconds = 0;
};
static_assert(sizeof(Report) == 24, "what a report takes on the wire");

inline constexpr int none = -1;

inline constexpr int order_tag = 1;
inline constexpr int report_tag = 2;
inline constexpr int farewell_tag = 3;
inline constexpr int first_copy_tag = 1000;   // + reduction mod most_reductions
inline constexpr int most_reductions = 1000;  // under way at once
inline constexpr int first_data_tag = 10000;  // + task mod most_tasks
inline constexpr int most_tasks = 1 << 24;    // under way at once

}  // namespace reduce
