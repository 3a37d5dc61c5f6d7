// Messages of collective operations: for each operation, one rank's part of it as a list of point-to-point steps. Pure
// functions of rank, size and byte counts.
//
// The algorithms and the sizes at which they change are those of MPICH 4.0.2 with default settings, where
// every process is on a node of its own (those by node leaders are in model/two_level.h). They are described
// in R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of Collective Communication Operations in MPICH",
// IJHPCA 19(1), 2005. MPICH 4 no longer selects them by code but by a table that is built into the library
// (its "generic" tuning file); the thresholds here are those of that table's branch for a flat communicator.
// They differ between releases: MPICH 3 says "less than" in places where 4.0.2 says "up to", and later
// releases compare the size per process in places where 4.0.2 compares the total. A test compares all this
// with messages recorded from 4.0.2 itself (tests/unit/model/mpich).
//
// Conventions
// - All sizes are in bytes of packed data.
// - `input` is what the caller contributes, `output` what it gets. A schedule copies its own contribution
//   itself. Where a rank gets nothing (not the root of a gather or reduce), `output` is not touched; where it
//   contributes nothing (not the root of a scatter), `input` is not.
// - `in_place`: the caller gave MPI_IN_PLACE. `input` is then not touched, and the contribution stands in
//   `output` where MPI has it. In rooted operations only the root can; elsewhere the argument has no effect.
// - A blocking send is send and wait; a blocking exchange posts the receive, then the send, then waits, which
//   is the order MPICH uses.
// - Between two ranks messages match in the order of the steps; no tags are needed.
// - `combine` is emitted with the operands in the order MPICH has them: for an operation that is not
//   commutative the result is a_0 op a_1 op ... op a_{size-1}, with brackets as MPICH sets them (where
//   processes share a node MPICH itself brackets otherwise, so rounding may differ from a run on one host).
// - What a rank sends to itself (alltoall) is a `copy`: MPICH, too, never shows it to the network.
// - Messages of zero bytes. With nothing at all to move (count 0) nothing is sent, with these exceptions: the
//   barrier, whose messages are all empty; alltoallv in place; allreduce, and reduce_scatter (but not
//   reduce_scatter_block) with equal counts on a power of two, by an operation that is not commutative. With only some parts empty, those are
//   still sent as empty messages by allgatherv (recursive doubling, Bruck), the allgather phase of bcast (if
//   size does not divide bytes) and reduce_scatter (pairs, doubling); they are left out by gatherv, scatterv,
//   alltoallv, the ring of allgatherv, the scatter phase of bcast and reduce_scatter (halving).
//
// - `as`: another algorithm than MPICH would take. One that cannot do it is not taken, but MPICH's: recursive doubling and
//   scatter-doubling need a power of two; Rabenseifner's and the ring of allreduce cut the vector, as do a pipeline and a binary tree
//   of a reduction: they need a commutative operation, as halving and pairs do, and MPICH's own choice a predefined one; neighbours exchange blocks where the ranks are even, and not those of allgatherv, which takes the ring. In place, alltoall is always as MPICH has it.
//
// Scratch areas begin at multiples of 16 bytes, so that elements that are aligned in a packed buffer are so
// in scratch.
#pragma once

#include <span>

#include "model/algorithms.h"
#include "model/schedule.h"

namespace emu::model {

// What is reduced, and how.
struct Reduction {
  Bytes count = 0;          // elements each rank contributes
  Bytes element = 1;        // packed bytes per element
  bool commutative = true;  // all predefined operations are
  bool predefined =
      true;  // MPI_SUM and the like; MPICH never splits a reduction by an operation of MPI_Op_create

  constexpr Bytes bytes() const { return count * element; }
};

// Where a rank's part stands in the input or output of an operation whose parts differ.
struct Block {
  Bytes offset = 0;
  Bytes bytes = 0;
};

// The type in which allgatherv counts; it cuts long blocks into whole elements.
struct Element {
  Bytes size = 1;    // packed bytes
  Bytes extent = 1;  // bytes from one to the next in the caller's memory; at least 1
};

// Dissemination, ceil(log2 size) rounds of empty messages (Hensgen, Finkel, Manber 1988).
Schedule barrier(int rank, int size, Algorithm as = Algorithm::mpich);

// Works on `output` only (`bytes` long), which holds the data on the root at first, on all in the end.
// Binomial tree up to 12288 bytes or below 8 ranks; above, scatter and allgather: by recursive doubling
// up to 524288 bytes if the size is a power of two, else by a ring (van de Geijn).
Schedule bcast(int rank, int size, int root, Bytes bytes, AlgorithmChoice as = {});

// Binomial tree up to 2048 bytes, for user-defined operations, and for fewer elements than the largest power
// of two in size; else Rabenseifner's reduce-scatter and gather.
Schedule reduce(int rank, int size, int root, const Reduction& what, bool in_place = false,
                AlgorithmChoice as = {});

// Recursive doubling up to 8 bytes, for user-defined operations, and for fewer elements than the largest
// power of two in size; else Rabenseifner's reduce-scatter and allgather.
Schedule allreduce(int rank, int size, const Reduction& what, bool in_place = false,
                   Algorithm as = Algorithm::mpich);

// `what.count` elements for each rank; `input` holds size times as many (in place: `output` does, and the
// result stands at its beginning). As reduce_scatter with equal counts.
Schedule reduce_scatter_block(int rank, int size, const Reduction& what, bool in_place = false,
                              Algorithm as = Algorithm::mpich);

// `counts[i]` elements for rank i; what.count is not used. Commutative: recursive halving below 524288 bytes
// in all, else exchanges by pairs. Otherwise: Traeff's butterfly for equal counts on a power of two, else
// recursive doubling.
Schedule reduce_scatter(int rank, int size, std::span<const Bytes> counts, const Reduction& what,
                        bool in_place = false, Algorithm as = Algorithm::mpich);

// Recursive doubling. Exscan leaves `output` of rank 0 as it is.
Schedule scan(int rank, int size, const Reduction& what, bool in_place = false);
Schedule exscan(int rank, int size, const Reduction& what, bool in_place = false);

// Binomial tree. `block`: bytes of each rank; root's output is size * block in rank order.
Schedule gather(int rank, int size, int root, Bytes block, bool in_place = false,
                Algorithm as = Algorithm::mpich);

// Everyone straight to the root. `own`: bytes of this rank; `blocks`: at the root, where each rank's part
// goes in `output` (elsewhere empty). MPICH 4.0.2 uses synchronous sends here from 32 ranks on, see
// gatherv_synchronous().
Schedule gatherv(int rank, int size, int root, Bytes own, std::span<const Block> blocks,
                 bool in_place = false);

// True if MPICH makes the sends of gatherv synchronous, so that they cannot overrun the root: whoever carries
// a gatherv schedule out has to send it in synchronous mode then.
constexpr bool gatherv_synchronous(int size) { return size >= 32; }

// Binomial tree. Root's input is size * block in rank order; `output` is one block. In place (at the root):
// the root's own block stays where it is in `input`, and it is `output` that is not touched.
Schedule scatter(int rank, int size, int root, Bytes block, bool in_place = false,
                 Algorithm as = Algorithm::mpich);

// The root straight to everyone. `blocks`: at the root, where each rank's part stands in `input`; `own`:
// bytes this rank gets. In place as in scatter.
Schedule scatterv(int rank, int size, int root, std::span<const Block> blocks, Bytes own,
                  bool in_place = false);

// `block`: bytes of each rank; output is size * block in rank order. On a power of two below 524288 bytes in all:
// recursive doubling; else below 81920: Bruck; else a ring.
Schedule allgather(int rank, int size, Bytes block, bool in_place = false, Algorithm as = Algorithm::mpich);

// `blocks[i]`: where rank i's part goes in `output`, the same bytes on all ranks. Chosen as allgather, by the
// sum; the ring is pipelined in pieces of 32768 bytes of the caller's memory.
Schedule allgatherv(int rank, int size, std::span<const Block> blocks, Element element = {},
                    bool in_place = false, Algorithm as = Algorithm::mpich);

// `block`: bytes for each rank; input and output are size * block in rank order. Above 8 ranks up to 256
// bytes: Bruck; up to 32768: all at once, 32 at a time; else by pairs. In place: exchanges with ranks 0, 1,
// 2, ...
Schedule alltoall(int rank, int size, Bytes block, bool in_place = false, Algorithm as = Algorithm::mpich);

// `sends[i]`: what goes to rank i, in `input`; `receives[i]`: what comes from it, in `output`. All at once,
// 32 at a time. In place: as alltoall in place, `sends` not used, and receives[i] on j has the bytes of
// receives[j] on i.
Schedule alltoallv(int rank, int size, std::span<const Block> sends, std::span<const Block> receives,
                   bool in_place = false);

// What this rank sends to each of its neighbours, and gets from each; a negative one is nobody. `sends` stand in `input`,
// `receives` in `output`. All at once: the sends, then the receives, both in order. So of several edges from one rank to another the
// first one of the sender is the first one of the receiver. `grid`: neighbours are pairs, the one before and the one behind in each
// dimension, and the receives of each pair are swapped: what goes forward comes from behind, also where both are one rank, in
// periodic dimensions of one or two ranks. MPI 4.0, "Neighborhood Collective Communication"; MPICH 4.0.2 reverses all receives in
// alltoall and none in alltoallv and alltoallw.
Schedule neighborhood(std::span<const int> destinations, std::span<const Block> sends,
                      std::span<const int> sources, std::span<const Block> receives, bool grid = false);

}  // namespace emu::model
