// The measurements between two ranks while the others sleep.
//
// Rank 0 measures, a partner answers, and the other ranks only increase P. Each quantity results from a simple
// exchange, whose time in the model (libemu/rank/semantics.md) is:
//
//   send     a send call, k <= S                                  o_s(k)
//   receive  a receive call after the message surely has arrived  o_r(k)
//   round    there and back, k <= S     2 (o_s(k) + L + (k-1)G + o_r(k))
//            k > S, n trips             2 ((n+1)L + 2 (c_s + c_r) + o_s(k) + (k-1)G + o_r(k))
//   burst    a send among many in a row, 1 byte                   max(g, o_s(1))
//   train    as burst, long messages, until they are received     max(g, o_s(k), o_r(k))
//            with serial cards                                    also (k-1)G
//   warm-send, warm-receive   as send and receive, from and into warm buffers, where the others are cold (buffers.h)
//   poll     an Iprobe that answers false
//   limit    S: the longest message that is sent although the receiver has not begun to receive it
//   kernel   the fixed kernel on the CPU
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace calibrate {

struct Sample {
  std::string kind;  // as above
  std::int64_t bytes = 0;
  std::vector<double> seconds;
};

struct Measurement {
  std::vector<Sample> samples;
  std::int64_t eager_limit = -1;  // S; -1: longer than the longest message that was tried
};

struct Extent {
  std::int64_t longest = std::int64_t{4} << 20;  // bytes of a message
  bool quick = false;                            // fewer repeats
  bool cold = false;                             // each message has memory that is in no cache
  bool limit_known = false;                      // S is known, and not measured
  std::int64_t limit = -1;
};

// The clock. Reading it takes no time on the target; natively, reading takes a little time, which is measured too.
double clock_seconds();

// The work of rank 0, which calls `step` after each of its `steps` steps.
Measurement measure(int partner, const Extent& extent, const std::function<void()>& step);
int steps(const Extent& extent);

// The work of the partner and of the other ranks until rank 0 has finished.
void answer(const Extent& extent);
void idle();
// Rank 0: ends answer() and idle() of all others.
void dismiss(int ranks);

}  // namespace calibrate
