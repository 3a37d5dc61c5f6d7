// Positions of a datatype's bytes, or elements, in memory: the description of the target of a one-sided operation.
//
// A datatype is converted once, from its constructors, into runs of blocks. MPICH keeps the runs as an
// attribute of the datatype, until it frees the datatype. A vector is one run, whatever its number of
// blocks, so the cost of an operation is proportional to the data, and not to the extent of the datatype.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "model/network.h"

namespace emu::mpi {

// Blocks of one length at equal distances.
struct Run {
  std::int64_t offset;  // of the first block, in bytes
  std::int64_t count;   // elements of a block, without gaps
  std::int64_t stride;  // distance of the starts of two blocks, in bytes
  std::int64_t blocks;

  bool operator==(const Run&) const = default;
};

// Runs of elements of `extent` bytes, in the order of packing, merged if they continue each other.
class Runs {
 public:
  explicit Runs(std::int64_t extent) : extent_(extent) {}

  void add(Run run);
  // Appends `part` at `at`, `count` times, at distances of `stride` bytes.
  void repeat(const Runs& part, std::int64_t count, std::int64_t stride, std::int64_t at);
  const std::vector<Run>& all() const { return runs_; }
  std::vector<Run> take() { return std::move(runs_); }

 private:
  // Merges `run` with the last run if possible. Returns true if so.
  bool continued(const Run& run);
  void append(const Run& run);

  std::int64_t extent_;
  std::vector<Run> runs_;
};

// Elements of a predefined datatype.
struct TypeMap {
  MPI_Datatype element = MPI_BYTE;
  std::vector<Run> runs;
  model::Bytes bytes = 0;           // packed
  std::int64_t begin = 0, end = 0;  // of the touched memory, relative to the displacement
};

// `count` elements of `type`, as bytes, or (`basic`) as elements of the only
// predefined datatype that it consists of. Throws Error if there are several.
TypeMap type_map(MPI_Count count, MPI_Datatype type, bool basic);

}  // namespace emu::mpi
