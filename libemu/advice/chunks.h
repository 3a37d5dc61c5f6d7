// The rules of self-scheduling: the number of iterations for the slave that asks next.
//
// Sources: fixed-size chunking (fsc): Kruskal and Weiss 1985; guided: Polychronopoulos and Kuck 1987; factoring:
// Hummel, Schonberg and Flynn 1992; trapezoid: Tzen and Ni 1993; weighted factoring: Hummel, Schmidt, Uma and Wein
// 1996; adaptive weighted factoring: Banicescu, Velusamy and Devaprasad 2003, in its variant that adapts with each
// chunk; adaptive factoring (af): Banicescu and Liu 2000; its weighted relatives (awf-b, awf-c, awf-d, awf-e): Carino
// and Banicescu 2008. mfsc, with as many chunks of one size as factoring has chunks, is the rule of the library DLS4LB.
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
  awf_c,    // weights and batch change with each chunk
  awf_d,    // as awf-b, by times that include the wait for the master
  awf_e,    // as awf-c, by times that include the wait for the master
  advised,  // the rule of the shortest predicted time: apps/loops/advised.h implements it
};
inline constexpr std::size_t rules_to_choose_from = static_cast<std::size_t>(Rule::advised);

// The names of the rules on the command line, in the order of the enumeration.
const std::vector<std::string>& rule_names();

// True if chunks depend on the times of earlier chunks, or on the slaves' speeds: then the master has to deal them.
bool needs_times(Rule rule);
// True if the times of chunks are measured at the master, from the dealing of a chunk to the next request.
bool needs_turnaround(Rule rule);
// True if the master tries out some iterations before it deals any, and passes its clock to the rule.
inline bool needs_clock(Rule rule) { return rule == Rule::advised; }
// The number of iterations that are tried out, the last ones.
inline std::int32_t tried_out(std::int32_t iterations) { return std::min(iterations, 2); }

class Chunks {
 public:
  virtual ~Chunks() = default;
  // The size of the chunk for `slave`, from 1 to `left`, the number of iterations that have not been dealt (at least
  // 1).
  virtual std::int32_t next(int slave, std::int32_t left) = 0;
  // `slave` took `seconds` for a chunk of `iterations`.
  virtual void took(int slave, std::int32_t iterations, double seconds);
  // The master's clock, before calls of the two functions above, if the rule needs it.
  virtual void clock(double now);
};

// Costs on which fixed-size chunking depends, in seconds.
struct Costs {
  double overhead = 0;   // of dealing a chunk
  double deviation = 0;  // standard deviation of the cost of an iteration
};

// A rule for `iterations` dealt to `slaves` (at least 1). `weights`: for the weighted rule, the slaves' relative
// speeds, one for each. `rule` is not `advised`.
std::unique_ptr<Chunks> make_chunks(Rule rule, std::int32_t iterations, int slaves,
                                    const std::vector<double>& weights, const Costs& costs = {});

}  // namespace emu::advice
