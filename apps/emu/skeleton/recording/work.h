// Unit of work by which the recorder measures this machine's speed: a chain of multiplications and additions, each of
// which depends on the preceding one. Every skeleton contains this function (prelude.h) in place of the program's own
// work.
#pragma once

namespace emu::skeleton {

inline double emu_work(long units) {
  volatile double seed = 1.0;
  double x = seed;
  for (long i = 0; i < units; ++i) x = x * 0.999999 + 1e-6;
  seed = x;
  return seed;
}

}  // namespace emu::skeleton
