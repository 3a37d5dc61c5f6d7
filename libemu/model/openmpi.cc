#include "model/openmpi.h"

#include <bit>

namespace emu::model {
namespace {
namespace rules {

constexpr Bytes KiB = 1024;

bool is_power(int ranks) { return std::has_single_bit(static_cast<unsigned>(ranks)); }

// Boundary between two algorithms: ranks as a linear function of bytes.
struct Line {
  double per_byte, at_zero;
  double of(Bytes bytes) const { return per_byte * static_cast<double>(bytes) + at_zero; }
};

AlgorithmChoice barrier(int ranks) {
  return is_power(ranks) ? Algorithm::recursive_doubling : Algorithm::dissemination;
}

AlgorithmChoice bcast(Bytes bytes, int ranks) {
  constexpr Line in_128{1.6134e-6, 2.1102}, in_64{2.3679e-6, 1.1787}, in_16{3.2118e-6, 8.7936};
  if (bytes < 2048) return Algorithm::binomial;
  if (bytes < 370728) return {Algorithm::split_binary, KiB};
  if (ranks < in_128.of(bytes)) return {Algorithm::pipeline, 128 * KiB};
  if (ranks < 13) return {Algorithm::split_binary, 8 * KiB};
  if (ranks < in_64.of(bytes)) return {Algorithm::pipeline, 64 * KiB};
  if (ranks < in_16.of(bytes)) return {Algorithm::pipeline, 16 * KiB};
  return {Algorithm::pipeline, 8 * KiB};
}

AlgorithmChoice reduce(const AlgorithmQuery& asked) {
  constexpr Line binomial{0.6016 / 1024, 1.3496}, chain{0.0410 / 1024, 9.7128}, binary{0.0422 / 1024, 1.1614},
      long_chain{0.0033 / 1024, 1.6761};
  const auto& [operation, bytes, ranks, elements, commutative, scatters, differ] = asked;
  if (!commutative) return Algorithm::mpich;
  if (ranks < 8 && bytes < 512) return Algorithm::linear;
  if ((ranks < 8 && bytes < 20480) || bytes < 2048 || elements <= 1) return Algorithm::binomial;
  if (ranks > binomial.of(bytes)) return {Algorithm::binomial, KiB};
  if (ranks > chain.of(bytes)) return {Algorithm::pipeline, KiB};
  if (ranks > binary.of(bytes)) return {Algorithm::binary, 32 * KiB};
  return {Algorithm::pipeline, ranks > long_chain.of(bytes) ? 32 * KiB : 64 * KiB};
}

AlgorithmChoice allreduce(const AlgorithmQuery& asked) {
  if (asked.bytes < 10000) return Algorithm::recursive_doubling;
  return asked.commutative && asked.elements > asked.ranks ? Algorithm::ring : Algorithm::reduce_bcast;
}

AlgorithmChoice reduce_scatter(Bytes bytes, int ranks) {
  constexpr Line halving{0.0012, 8};
  const bool halves =
      bytes <= 12 * KiB || (bytes <= 256 * KiB && is_power(ranks)) || ranks >= halving.of(bytes);
  return halves ? Algorithm::halving : Algorithm::ring;
}

AlgorithmChoice gather(Bytes block, int ranks) {
  if (block > 6000) return Algorithm::linear;
  return ranks > 60 || (ranks > 10 && block < 1024) ? Algorithm::binomial : Algorithm::linear;
}

AlgorithmChoice scatter(Bytes block, int ranks) {
  return ranks > 10 && block < 300 ? Algorithm::binomial : Algorithm::linear;
}

AlgorithmChoice allgather(Bytes bytes, int ranks, bool lists_counts) {
  if (ranks == 2) return Algorithm::recursive_doubling;
  if (bytes < 50000)
    return is_power(ranks) && !lists_counts ? Algorithm::recursive_doubling : Algorithm::bruck;
  return ranks % 2 == 0 ? Algorithm::neighbor_exchange : Algorithm::ring;
}

AlgorithmChoice alltoall(Bytes block, int ranks) {
  if (ranks == 2) return Algorithm::rotation;
  if (block < 200 && ranks > 12) return Algorithm::bruck;
  return block < 3000 ? Algorithm::linear : Algorithm::rotation;
}

}  // namespace rules
}  // namespace

AlgorithmChoice openmpi(const AlgorithmQuery& asked) {
  const auto& [operation, bytes, ranks, elements, commutative, scatters, differ] = asked;
  switch (operation) {
    case Collective::barrier:
      return rules::barrier(ranks);
    case Collective::bcast:
      return rules::bcast(bytes, ranks);
    case Collective::reduce:
      return rules::reduce(asked);
    case Collective::allreduce:
      return rules::allreduce(asked);
    case Collective::reduce_scatter:
      return commutative ? rules::reduce_scatter(bytes, ranks) : AlgorithmChoice(Algorithm::mpich);
    case Collective::gather:
      return scatters ? rules::scatter(bytes / ranks, ranks) : rules::gather(bytes / ranks, ranks);
    case Collective::allgather:
      return rules::allgather(bytes, ranks, differ);
    case Collective::alltoall:
      return rules::alltoall(bytes, ranks);
  }
  return Algorithm::mpich;
}

}  // namespace emu::model
