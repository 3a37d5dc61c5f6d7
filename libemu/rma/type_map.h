// Places of a datatype's bytes, or elements, in memory: what describes the target of a one-sided operation.
//
// A datatype is flattened once, from how the program made it, into runs of blocks; MPICH keeps them beside the datatype, as an
// attribute, until it frees that. A vector is one run, however many blocks it has, so an operation costs what it moves, and not
// what the datatype spans.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "model/network.h"

namespace emu::mpi {

// Blocks of one length at equal distances.
struct Run {
  std::int64_t offset;  // of the first block, in bytes
  std::int64_t count;   // elements of a block, one behind the other
  std::int64_t stride;  // bytes from the begin of a block to that of the next one
  std::int64_t blocks;

  bool operator==(const Run&) const = default;
};

// Runs of elements of `extent` bytes, in the order of packing, merged where they continue each other.
class Runs {
 public:
  explicit Runs(std::int64_t extent) : extent_(extent) {}

  void add(Run run);
  // `part` at `at`, and `count` times in all, `stride` bytes apart.
  void repeat(const Runs& part, std::int64_t count, std::int64_t stride, std::int64_t at);
  const std::vector<Run>& all() const { return runs_; }
  std::vector<Run> take() { return std::move(runs_); }

 private:
  // Whether the last run takes it in.
  bool continued(const Run& run);
  void append(const Run& run);

  std::int64_t extent_;
  std::vector<Run> runs_;
};

// Elements of one predefined datatype.
struct TypeMap {
  MPI_Datatype element = MPI_BYTE;
  std::vector<Run> runs;
  model::Bytes bytes = 0;           // packed
  std::int64_t begin = 0, end = 0;  // of the memory that they touch, relative to the displacement
};

// `count` elements of `type`, as bytes, or (`basic`) as elements of the one predefined datatype that it is made of. Throws
// Error if there are several.
TypeMap type_map(MPI_Count count, MPI_Datatype type, bool basic);

}  // namespace emu::mpi
