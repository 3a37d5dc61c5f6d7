// A collective operation as one rank's list of point-to-point steps: pure data, made by pure functions
// (model/collectives.h), carried out by libemu/rank through the very send and receive that programs
// use.
#pragma once

#include <cstdint>
#include <vector>

#include "model/network.h"

namespace emu::model {

// The three memories a schedule works on. All hold packed bytes.
enum class Space : std::uint8_t {
  input,    // what the caller contributes; read only
  output,   // what the caller gets; for in-place operations it holds the contribution at first
  scratch,  // temporary, Schedule::scratch bytes
};

struct Slice {
  Space space = Space::output;
  Bytes offset = 0;
  Bytes bytes = 0;
};

struct Step {
  enum class Kind : std::uint8_t {
    send,     // starts sending `slice` to `peer` (non-blocking)
    receive,  // posts a receive from `peer` into `slice` (non-blocking)
    wait,     // waits for all that was started since the wait before
    copy,     // `slice` := `from` (equal bytes, no overlap); free in virtual time
    access,   // the storage begins to take `slice.bytes`, which are moved otherwise
    combine,  // `slice` := `from` op `slice`, the operands in this order (as MPI_Reduce_local)
  };
  Kind kind;
  int peer = -1;  // rank in the communicator
  Slice slice;
  Slice from;
};

struct Schedule {
  std::vector<Step> steps;  // ends with a wait if anything was started
  Bytes scratch = 0;
  bool synchronous = false;  // sends wait until they are matched, whatever their size
  bool exact = false;  // a message that is shorter than its place is an error, as a longer one always is
};

}  // namespace emu::model
