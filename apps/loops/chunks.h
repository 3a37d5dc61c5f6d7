// The rules of self-scheduling: how many iterations the next slave gets that asks.
//
// Sources: guided: Polychronopoulos and Kuck 1987; factoring: Hummel, Schonberg and Flynn 1992; trapezoid:
// Tzen and Ni 1993; weighted factoring: Hummel, Schmidt, Uma and Wein 1996; adaptive weighted factoring:
// Banicescu, Velusamy and Devaprasad 2003, its variant that adapts with each chunk.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace loops {

enum class Rule { fixed, self, guided, factoring, trapezoid, weighted, adaptive };

// The names of the rules on the command line, in their order.
const std::vector<std::string>& rule_names();

class Chunks {
 public:
  virtual ~Chunks() = default;
  // The size of the chunk for `slave`, from 1 to `left`, the iterations nobody has got yet (at least 1).
  virtual std::int32_t next(int slave, std::int32_t left) = 0;
  // `slave` took `seconds` for a chunk of `iterations`.
  virtual void took(int slave, std::int32_t iterations, double seconds);
};

// For `iterations` dealt to `slaves` (at least 1). `weights`: of the weighted rule, the slaves' speeds
// relative to each other, one for each.
std::unique_ptr<Chunks> make_chunks(Rule rule, std::int32_t iterations, int slaves,
                                    const std::vector<double>& weights);

}  // namespace loops
