// The rules of self-scheduling: how many iterations the next slave gets that asks.
//
// Sources: fixed-size chunking (fsc): Kruskal and Weiss 1985; guided: Polychronopoulos and Kuck 1987; factoring: Hummel, Schonberg and Flynn 1992; trapezoid:
// Tzen and Ni 1993; weighted factoring: Hummel, Schmidt, Uma and Wein 1996; adaptive weighted factoring:
// Banicescu, Velusamy and Devaprasad 2003, its variant that adapts with each chunk; adaptive factoring (af): Banicescu and Liu
// 2000; its weighted relatives (awf-b, awf-c, awf-d, awf-e): Carino and Banicescu 2008. mfsc, fixed chunks as many as factoring
// has, is that of the library DLS4LB.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace emu::advice {

enum class Rule {
  fixed,
  self,
  guided,
  factoring,
  trapezoid,
  weighted,
  adaptive,
  fsc,
  mfsc,
  af,
  awf_b,    // weights change with each batch
  awf_c,    // with each chunk, and so does the batch
  awf_d,    // as awf-b, by times that have the waiting for the master in them
  awf_e,    // as awf-c, likewise
  advised,  // what is predicted to be best: apps/loops/advised.h makes it
};
inline constexpr std::size_t rules_to_choose_from = static_cast<std::size_t>(Rule::advised);

// The names of the rules on the command line, in their order.
const std::vector<std::string>& rule_names();

// Chunks depend on what slaves took for those before, or on their speeds: the master has to deal them.
bool needs_times(Rule rule);
// The times of chunks are those that the master sees, from the dealing of a chunk to the next request.
bool needs_turnaround(Rule rule);
// The master tries out some iterations before it deals any, and tells the time.
inline bool needs_clock(Rule rule) { return rule == Rule::advised; }
// The number of these, the last ones.
inline std::int32_t tried_out(std::int32_t iterations) { return std::min(iterations, 2); }

class Chunks {
 public:
  virtual ~Chunks() = default;
  // The size of the chunk for `slave`, from 1 to `left`, the iterations nobody has got yet (at least 1).
  virtual std::int32_t next(int slave, std::int32_t left) = 0;
  // `slave` took `seconds` for a chunk of `iterations`.
  virtual void took(int slave, std::int32_t iterations, double seconds);
  // The master's clock, before these two, if the rule needs it.
  virtual void clock(double now);
};

// What fixed-size chunking has to know, in seconds.
struct Costs {
  double overhead = 0;   // of dealing a chunk
  double deviation = 0;  // standard deviation of the cost of an iteration
};

// For `iterations` dealt to `slaves` (at least 1). `weights`: of the weighted rule, the slaves' speeds
// relative to each other, one for each.
// Not for `advised`.
std::unique_ptr<Chunks> make_chunks(Rule rule, std::int32_t iterations, int slaves,
                                    const std::vector<double>& weights, const Costs& costs = {});

}  // namespace emu::advice
