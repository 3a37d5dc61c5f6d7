// Messages of collective operations: for each operation, one rank's part of it as a list of point-to-point steps. Pure
// functions of rank, size and byte counts.
//
// The algorithms and the sizes at which they change are those of MPICH 4.0.2 with default settings and
// every process on a node of its own (model/two_level.h has the algorithms by node leaders). They are described
// in R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of Collective Communication Operations in MPICH",
// IJHPCA 19(1), 2005. MPICH 4 no longer selects them by code but by a table that is built into the library
// (its "generic" tuning file); the thresholds here are those of that table's branch for a flat communicator.
// They differ between releases: MPICH 3 has "less than" in places where 4.0.2 has "up to", and later
// releases compare the size per process in places where 4.0.2 compares the total. A test compares all this
// with messages recorded from 4.0.2 itself (tests/unit/model/mpich).
//
// Conventions
// - All sizes are in bytes of packed data.
// - `input` is the caller's contribution, `output` its result. A schedule copies its own contribution
//   itself. A rank without a result (not the root of a gather or reduce) does not use `output`; a rank that
//   contributes nothing (not the root of a scatter) does not use `input`.
// - `in_place`: the caller gave MPI_IN_PLACE. `input` is then unused, and the contribution is in `output`, at the
//   place that MPI defines. In rooted operations only the root can give it; elsewhere the argument has no effect.
// - A blocking send is send and wait; a blocking exchange posts the receive, then the send, then waits, which
//   is the order MPICH uses.
// - Between two ranks messages match in the order of the steps; no tags are needed.
// - `combine` has its operands in MPICH's order: for an operation that is not
//   commutative the result is a_0 op a_1 op ... op a_{size-1}, with MPICH's brackets (if processes share
//   a node, MPICH itself uses other brackets, so rounding may differ from a run on one host).
// - A message of a rank to itself (alltoall) is a `copy`: MPICH does not send it over the network either.
// - Messages of zero bytes. With no data at all (count 0) nothing is sent, with these exceptions: the barrier, whose
//   messages are all empty; alltoallv in place; allreduce, and reduce_scatter (but not reduce_scatter_block) with
//   equal counts on a power of two, by a noncommutative operation. If only some parts are empty, they are sent as
//   empty messages by allgatherv (recursive doubling, Bruck, neighbour exchange), the allgather phase of bcast (if size
//   does not divide bytes) and reduce_scatter (pairs, doubling, butterfly); they are left out by gatherv, scatterv,
//   alltoallv, the ring of allgatherv, the scatter phase of bcast and reduce_scatter (halving).
// - `as`: an algorithm in place of MPICH's choice, if it is applicable. Recursive doubling (but for reduce_scatter)
//   and scatter-doubling need a power of two. Rabenseifner's, the ring of allreduce, and a pipeline or binary tree of
//   a reduction cut the vector, so they need a commutative operation, as do halving and pairs; MPICH's own choice
//   cuts for predefined operations only. Neighbour exchange needs an even number of ranks; allgatherv takes the ring
//   in its place. In place, alltoall is always MPICH's.
// - Scratch areas begin at multiples of 16 bytes, so that elements that are aligned in a packed buffer are aligned in
//   scratch, too. So the size of each part of the temporary memory counts as a multiple of 16 bytes.
//
// Work. MPICH's choices have these copies, reductions and parts of temporary memory; what is not listed has none, but
// for the recursive doubling of a reduce_scatter (collectives/reduce_scatter.cc). Copies of no bytes are left out.
// - reduce: a rank that receives vectors copies its own to the sum, and takes a vector of memory to receive in. The sum
//   is the result at the root, else a vector of memory. Other ranks send their vectors from their places. Each received
//   vector or part is reduced. The top of the tree has a sum also if it receives nothing.
// - Halving uses that part of the memory in which it receives that the rank keeps in the first step: about a half. A rank
//   that another one joins receives the whole vector of that rank first.
// - allreduce: as reduce; the sum is the result on each rank that reduces. A rank alone copies only.
// - If the order of operands matters, and the received vector is the right one, the reduced vector is then copied.
// - reduce_scatter, halving: the vector is copied to memory, a second vector receives, and at the end the own part is
//   copied to the result. Pairs: the own part is copied to the result, and a part of memory receives; in place, the own
//   part is copied to that memory and from there to the result at the end. Butterfly: as halving, but a rank that joins
//   another one copies its vector, too, and a part that is sent at the end is not copied to the result.
//   reduce_scatter_block on a power of two copies the vector part by part. Reduction and scatter: those of both, and a
//   vector of memory at rank 0, which has the sum.
// - scan, exscan: two vectors of memory, a sum of all ranks heard and one to receive in. The own vector is copied to
//   that sum, and by scan to the result. A received vector is reduced into that sum, and then, if its ranks are lower,
//   into the result; the first one of exscan is copied there.
// - gather: the root copies its block to the result. A rank with others below it in the tree copies its block to memory
//   for all these blocks. At the root, a message whose blocks pass the last rank comes to memory, from which its two
//   pieces are copied.
// - scatter: a root other than 0 copies all blocks to memory, in two pieces. A rank with others below it receives in
//   memory. It copies its own block from there at the end, as the root does.
// - gatherv, scatterv: the root copies its own part, between the messages of the preceding and the following rank.
// - allgather: the own block is copied to the result. Bruck: to memory for all blocks, from which each block is copied
//   at the end. allgatherv by recursive doubling: to such memory, too, from which each block is copied at the end.
// - alltoall, alltoallv: the own block is copied first. In place: memory for the longest block, to which each block is
//   copied before it is sent. Bruck: memory for all blocks, and twice for half of them, rounded up. All blocks are
//   copied in two pieces, from the own block on; each step copies its runs of blocks before the message and after it;
//   in the end each block is copied to its place.
// - By node leaders: the leader of a node with several members has the sum of the node, as the root of a reduce; so
//   does the leader of the last reduction. A barrier takes a byte of memory.
// In place, the copy of the own data to the result is left out.
#pragma once

#include <span>

#include "model/algorithms.h"
#include "model/schedule.h"

namespace emu::model {

// Operands of a reduction, and properties of its operation.
struct Reduction {
  Bytes count = 0;          // elements that each rank contributes
  Bytes element = 1;        // packed bytes per element
  bool commutative = true;  // true for all predefined operations
  bool predefined =
      true;  // MPI_SUM and the like; MPICH never cuts a reduction by an operation of MPI_Op_create

  constexpr Bytes bytes() const { return count * element; }
};

// A rank's part of the input or output of an operation with different parts.
struct Block {
  Bytes offset = 0;
  Bytes bytes = 0;
};

// The datatype of allgatherv's counts: long blocks are cut into whole elements.
struct Element {
  Bytes size = 1;    // packed bytes
  Bytes extent = 1;  // distance of elements in the caller's memory; at least 1
};

// Dissemination, ceil(log2 size) rounds of empty messages (Hensgen, Finkel, Manber 1988).
Schedule barrier(int rank, int size, Algorithm as = Algorithm::mpich);

// Uses `output` only (`bytes` long), which holds the data on the root at first, and on all ranks at the end.
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
// result is at its beginning). As reduce_scatter with equal counts.
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

// All ranks send directly to the root. `own`: bytes of this rank; `blocks`: at the root, the place of each rank's
// part in `output` (empty elsewhere). MPICH 4.0.2 uses synchronous sends from 32 ranks on, see
// gatherv_synchronous().
Schedule gatherv(int rank, int size, int root, Bytes own, std::span<const Block> blocks,
                 bool in_place = false);

// True if MPICH makes the sends of gatherv synchronous, so that they cannot overrun the root: then the gatherv
// schedule has to be carried out with synchronous sends.
constexpr bool gatherv_synchronous(int size) { return size >= 32; }

// Binomial tree. Root's input is size * block in rank order; `output` is one block. In place (at the root):
// the root's own block stays in `input`, and `output` is unused.
Schedule scatter(int rank, int size, int root, Bytes block, bool in_place = false,
                 Algorithm as = Algorithm::mpich);

// The root sends directly to all ranks. `blocks`: at the root, the place of each rank's part in `input`; `own`:
// bytes that this rank receives. In place as in scatter.
Schedule scatterv(int rank, int size, int root, std::span<const Block> blocks, Bytes own,
                  bool in_place = false);

// `block`: bytes of each rank; output is size * block in rank order. On a power of two below 524288 bytes in all:
// recursive doubling; else below 81920: Bruck; else a ring.
Schedule allgather(int rank, int size, Bytes block, bool in_place = false, Algorithm as = Algorithm::mpich);

// `blocks[i]`: the place of rank i's part in `output`, with equal sizes on all ranks. The algorithm is
// chosen as in allgather, by the sum; the ring is pipelined in pieces of 32768 bytes of the caller's memory.
Schedule allgatherv(int rank, int size, std::span<const Block> blocks, Element element = {},
                    bool in_place = false, Algorithm as = Algorithm::mpich);

// `block`: bytes for each rank; input and output are size * block in rank order. Above 8 ranks up to 256
// bytes: Bruck; up to 32768: all at once, 32 at a time; else by pairs. In place: exchanges with ranks 0, 1,
// 2, ...
Schedule alltoall(int rank, int size, Bytes block, bool in_place = false, Algorithm as = Algorithm::mpich);

// `sends[i]`: the data for rank i, in `input`; `receives[i]`: the data from it, in `output`. All at once,
// 32 at a time. In place: as alltoall in place; `sends` is unused, and receives[i] on j has the bytes of
// receives[j] on i.
Schedule alltoallv(int rank, int size, std::span<const Block> sends, std::span<const Block> receives,
                   bool in_place = false);

// Exchanges data with each neighbour; a negative neighbour is none. `sends` are in `input`, `receives` in `output`.
// All transfers are started at once: the sends, then the receives, both in order. So of several edges from one rank
// to another, the sender's first matches the receiver's first. `grid`: neighbours are pairs, the preceding and the
// following one in each dimension, and the receives of each pair are swapped: data sent forward come from behind,
// also if both neighbours are one rank, in periodic dimensions of one or two ranks. MPI 4.0, "Neighborhood
// Collective Communication"; MPICH 4.0.2 reverses all receives in alltoall and none in alltoallv and alltoallw.
Schedule neighborhood(std::span<const int> destinations, std::span<const Block> sends,
                      std::span<const int> sources, std::span<const Block> receives, bool grid = false);

}  // namespace emu::model
