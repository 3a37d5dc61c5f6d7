// A collective operation as one rank's list of point-to-point steps: pure data, made by pure functions
// (model/collectives.h), and carried out by libemu/rank with the sends and receives that programs
// use.
#pragma once

#include <cstdint>
#include <vector>

#include "model/network.h"

namespace emu::model {

// The three memories of a schedule. All hold packed bytes.
enum class Space : std::uint8_t {
  input,    // the caller's contribution; read only
  output,   // the caller's result; for in-place operations it holds the contribution at first
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
    wait,     // waits for all transfers started since the previous wait
    copy,     // `slice` := `from` (equal bytes, no overlap)
    access,   // the storage begins to transfer `slice.bytes`; the data are moved by other means
    combine,  // `slice` := `from` op `slice`, the operands in this order (as MPI_Reduce_local)
  };
  Kind kind;
  int peer = -1;  // rank in the communicator
  Slice slice;
  Slice from;
};

struct Schedule {
  std::vector<Step> steps;   // ends with a wait if it starts any transfer
  Bytes scratch = 0;         // bytes that the rank uses
  Bytes largest = 0;         // part that a library allocates at once; the rank may use less of it
  bool synchronous = false;  // sends wait until they are matched, whatever their size
  bool exact = false;        // a message shorter than its place is an error, as a longer one always is
};

}  // namespace emu::model
