#include "model/algorithms.h"

#include "model/openmpi.h"

namespace emu::model {
namespace {
namespace names {

using enum Algorithm;

constexpr NamedAlgorithm by_mpich = {mpich, "mpich"}, flat_mpich = {flat, "flat"};
constexpr NamedAlgorithm barriers[] = {by_mpich,
                                       {dissemination, "dissemination"},
                                       flat_mpich,
                                       {linear, "linear"},
                                       {recursive_doubling, "recursive-doubling"},
                                       {recursive_doubling_halves, "recursive-doubling-halves"},
                                       {tree, "tree"}};
constexpr NamedAlgorithm bcasts[] = {by_mpich,
                                     {binary, "binary"},
                                     {binomial, "binomial"},
                                     {binomial_doubling, "binomial-doubling"},
                                     {chains, "chains"},
                                     flat_mpich,
                                     {knomial, "knomial"},
                                     {linear, "linear"},
                                     {pipeline, "pipeline"},
                                     {scatter_doubling, "scatter-doubling"},
                                     {scatter_ring, "scatter-ring"},
                                     {split_binary, "split-binary"}};
constexpr NamedAlgorithm reduces[] = {
    by_mpich,   {binary, "binary"}, {binomial, "binomial"}, {chains, "chains"},
    flat_mpich, {linear, "linear"}, {pipeline, "pipeline"}, {rabenseifner, "rabenseifner"}};
constexpr NamedAlgorithm allreduces[] = {by_mpich,
                                         flat_mpich,
                                         {rabenseifner, "rabenseifner"},
                                         {recursive_doubling, "recursive-doubling"},
                                         {reduce_bcast, "reduce-bcast"},
                                         {reduce_bcast_openmpi, "reduce-bcast-openmpi"},
                                         {ring, "ring"}};
constexpr NamedAlgorithm reduce_scatters[] = {by_mpich,
                                              {butterfly, "butterfly"},
                                              {halving, "halving"},
                                              {pairwise, "pairwise"},
                                              {recursive_doubling, "recursive-doubling"},
                                              {reduce_scatter_openmpi, "reduce-scatter-openmpi"},
                                              {ring, "ring"}};
constexpr NamedAlgorithm gathers[] = {by_mpich, {binomial, "binomial"}, {linear, "linear"}};
constexpr NamedAlgorithm allgathers[] = {by_mpich,
                                         {bruck, "bruck"},
                                         {neighbor_exchange, "neighbor-exchange"},
                                         {recursive_doubling, "recursive-doubling"},
                                         {ring, "ring"}};
constexpr NamedAlgorithm alltoalls[] = {
    by_mpich, {bruck, "bruck"}, {linear, "linear"}, {pairwise, "pairwise"}, {rotation, "rotation"}};

constexpr NamedCollective all[] = {
    {Collective::barrier, "barrier", barriers},
    {Collective::bcast, "bcast", bcasts},
    {Collective::reduce, "reduce", reduces},
    {Collective::allreduce, "allreduce", allreduces},
    {Collective::reduce_scatter, "reduce_scatter", reduce_scatters},
    {Collective::gather, "gather", gathers},
    {Collective::allgather, "allgather", allgathers},
    {Collective::alltoall, "alltoall", alltoalls},
};
static_assert(std::size(all) == collectives);

}  // namespace names
}  // namespace

std::span<const NamedCollective> named_collectives() { return names::all; }

AlgorithmChoice Algorithms::of(const AlgorithmQuery& asked) const {
  for (const Choice& choice : choices(asked.operation))
    if (asked.bytes <= choice.up_to) return choice.algorithm;
  switch (library) {
    case Library::mpich:
      return {};
    case Library::openmpi:
      return openmpi(asked);
    case Library::openmpi_4_1:
      return openmpi_4_1(asked);
  }
  return {};
}

}  // namespace emu::model
