#include <bit>
#include <span>

#include "model/openmpi.h"

namespace emu::model {
namespace {
namespace tables {

using enum Algorithm;

constexpr Bytes all = std::numeric_limits<Bytes>::max();
constexpr int any = std::numeric_limits<int>::max();
constexpr Bytes KiB = 1024, MiB = 1024 * KiB;

// In ascending order; the last one applies to all longer messages.
struct Step {
  Bytes below;
  Algorithm as;
};
struct Row {
  int ranks_below;
  std::span<const Step> steps;
};

Algorithm look_up(std::span<const Row> rows, int ranks, Bytes bytes) {
  for (const Row& row : rows) {
    if (ranks >= row.ranks_below) continue;
    for (const Step& step : row.steps)
      if (bytes < step.below) return step.as;
  }
  return mpich;
}

// --- by bytes of the message. The tables' chains have a number of 0, which Open MPI takes as one chain: a pipeline.

constexpr Step bcast_4[] = {{32, pipeline},        {256, binary},       {512, pipeline},
                            {1024, knomial},       {32 * KiB, linear},  {128 * KiB, binary},
                            {256 * KiB, pipeline}, {512 * KiB, linear}, {MiB, binomial_doubling},
                            {all, binary}};
constexpr Step bcast_8[] = {{64, binary},      {128, binomial_doubling},
                            {2 * KiB, binary}, {8 * KiB, binomial_doubling},
                            {MiB, linear},     {all, pipeline}};
constexpr Step bcast_16[] = {
    {8, knomial}, {64, binary}, {4 * KiB, knomial}, {16 * KiB, binary}, {32 * KiB, binomial_doubling},
    {all, linear}};
constexpr Step bcast_32[] = {{4 * KiB, knomial}, {MiB, binomial_doubling}, {all, scatter_doubling}};
constexpr Step bcast_64[] = {{2 * KiB, binomial_doubling}, {all, knomial}};
constexpr Step bcast_128[] = {{all, knomial}};
constexpr Step bcast_256[] = {
    {2, binomial_doubling}, {16 * KiB, binary}, {32 * KiB, linear}, {64 * KiB, binary}, {all, knomial}};
constexpr Step bcast_1024[] = {{16 * KiB, knomial}, {32 * KiB, split_binary}, {all, knomial}};
constexpr Step bcast_2048[] = {{512 * KiB, knomial}, {all, scatter_doubling}};
constexpr Step bcast_4096[] = {{256 * KiB, knomial}, {all, scatter_doubling}};
constexpr Step bcast_more[] = {
    {8 * KiB, knomial}, {16 * KiB, binary}, {256 * KiB, knomial}, {all, scatter_doubling}};
constexpr Row bcasts[] = {{4, bcast_4},       {8, bcast_8},       {16, bcast_16},   {32, bcast_32},
                          {64, bcast_64},     {128, bcast_128},   {256, bcast_256}, {1024, bcast_1024},
                          {2048, bcast_2048}, {4096, bcast_4096}, {any, bcast_more}};

// --- by bytes of a rank's vector

constexpr Step reduce_4[] = {
    {8, rabenseifner}, {16, binary}, {32, pipeline}, {256 * KiB, linear}, {all, pipeline}};
constexpr Step reduce_8[] = {{4 * KiB, binary},   {64 * KiB, pipeline}, {256 * KiB, binomial},
                             {512 * KiB, linear}, {MiB, binomial},      {all, linear}};
constexpr Step reduce_16[] = {{8 * KiB, binary}, {all, binomial}};
constexpr Step reduce_32[] = {{4 * KiB, binary}, {all, binomial}};
constexpr Step reduce_more[] = {{all, binomial}};
constexpr Row reduces[] = {
    {4, reduce_4}, {8, reduce_8}, {16, reduce_16}, {32, reduce_32}, {any, reduce_more}};

constexpr Step allreduce_4[] = {{8, ring},         {4 * KiB, recursive_doubling},
                                {8 * KiB, ring},   {16 * KiB, recursive_doubling},
                                {256 * KiB, ring}, {all, rabenseifner}};
constexpr Step allreduce_8[] = {{16, ring}, {8 * KiB, recursive_doubling}, {all, rabenseifner}};
constexpr Step allreduce_16[] = {{8 * KiB, recursive_doubling}, {all, rabenseifner}};
constexpr Step allreduce_32[] = {{64, ring}, {4 * KiB, recursive_doubling}, {all, rabenseifner}};
constexpr Step allreduce_64[] = {{128, ring}, {all, rabenseifner}};
constexpr Step allreduce_128[] = {{256 * KiB, recursive_doubling}, {all, rabenseifner}};
constexpr Step allreduce_256[] = {
    {128 * KiB, reduce_bcast_openmpi}, {256 * KiB, recursive_doubling}, {all, rabenseifner}};
constexpr Step allreduce_512[] = {{4 * KiB, reduce_bcast_openmpi}, {all, rabenseifner}};
constexpr Step allreduce_2048[] = {
    {2 * KiB, reduce_bcast_openmpi}, {16 * KiB, recursive_doubling}, {all, rabenseifner}};
constexpr Step allreduce_4096[] = {
    {2 * KiB, reduce_bcast_openmpi}, {4 * KiB, ring}, {16 * KiB, recursive_doubling}, {all, rabenseifner}};
constexpr Step allreduce_more[] = {
    {2 * KiB, reduce_bcast_openmpi}, {16 * KiB, ring}, {32 * KiB, recursive_doubling}, {all, rabenseifner}};
constexpr Row allreduces[] = {{4, allreduce_4},       {8, allreduce_8},     {16, allreduce_16},
                              {32, allreduce_32},     {64, allreduce_64},   {128, allreduce_128},
                              {256, allreduce_256},   {512, allreduce_512}, {2048, allreduce_2048},
                              {4096, allreduce_4096}, {any, allreduce_more}};

// --- by bytes of the whole vector

constexpr Step parts_4[] = {{64 * KiB, ring}, {128 * KiB, butterfly}, {all, ring}};
constexpr Step parts_8[] = {{8, reduce_scatter_openmpi}, {256 * KiB, halving}, {all, ring}};
constexpr Step parts_32[] = {{256 * KiB, halving}, {all, ring}};
constexpr Step parts_64[] = {
    {64, reduce_scatter_openmpi}, {2 * KiB, halving}, {512 * KiB, butterfly}, {all, ring}};
constexpr Step parts_128[] = {{256, reduce_scatter_openmpi},
                              {512, halving},
                              {2 * KiB, butterfly},
                              {4 * KiB, halving},
                              {all, butterfly}};
constexpr Step parts_256[] = {{256, reduce_scatter_openmpi}, {512, halving}, {all, butterfly}};
constexpr Step parts_512[] = {{256, reduce_scatter_openmpi}, {1024, halving}, {all, butterfly}};
constexpr Step parts_1024[] = {{512, reduce_scatter_openmpi},
                               {2 * KiB, halving},
                               {8 * KiB, butterfly},
                               {16 * KiB, halving},
                               {all, butterfly}};
constexpr Step parts_2048[] = {{512, reduce_scatter_openmpi},
                               {4 * KiB, halving},
                               {16 * KiB, butterfly},
                               {32 * KiB, halving},
                               {all, butterfly}};
constexpr Step parts_4096[] = {{512, reduce_scatter_openmpi}, {4 * KiB, halving}, {all, butterfly}};
constexpr Step parts_more[] = {{1024, reduce_scatter_openmpi}, {8 * KiB, halving}, {all, butterfly}};
constexpr Row reduce_scatters[] = {{4, parts_4},       {8, parts_8},       {32, parts_32},
                                   {64, parts_64},     {128, parts_128},   {256, parts_256},
                                   {512, parts_512},   {1024, parts_1024}, {2048, parts_2048},
                                   {4096, parts_4096}, {any, parts_more}};

// --- by bytes of a block

constexpr Step equal_parts_4[] = {
    {4, recursive_doubling}, {8, butterfly},         {16, halving},
    {128, butterfly},        {256, halving},         {4 * KiB, butterfly},
    {8 * KiB, halving},      {128 * KiB, butterfly}, {all, reduce_scatter_openmpi}};
constexpr Step equal_parts_8[] = {
    {8, halving},   {32, recursive_doubling},     {256, butterfly}, {8 * KiB, halving}, {16 * KiB, butterfly},
    {MiB, halving}, {all, reduce_scatter_openmpi}};
constexpr Step equal_parts_16[] = {
    {4, reduce_scatter_openmpi},       {32, halving},   {128, butterfly}, {512 * KiB, halving},
    {4 * MiB, reduce_scatter_openmpi}, {all, butterfly}};
constexpr Step equal_parts_32[] = {{32, reduce_scatter_openmpi},
                                   {512 * KiB, halving},
                                   {2 * MiB, reduce_scatter_openmpi},
                                   {4 * MiB, halving},
                                   {all, butterfly}};
constexpr Step equal_parts_more[] = {{4, halving},
                                     {16, reduce_scatter_openmpi},
                                     {64 * KiB, butterfly},
                                     {256 * KiB, reduce_scatter_openmpi},
                                     {all, butterfly}};
constexpr Row reduce_scatter_blocks[] = {{4, equal_parts_4},
                                         {8, equal_parts_8},
                                         {16, equal_parts_16},
                                         {32, equal_parts_32},
                                         {any, equal_parts_more}};

constexpr Step allgather_3[] = {{all, recursive_doubling}};
constexpr Step allgather_64[] = {{1024, recursive_doubling}, {64 * KiB, neighbor_exchange}, {all, ring}};
constexpr Step allgather_128[] = {{512, recursive_doubling}, {64 * KiB, neighbor_exchange}, {all, ring}};
constexpr Step allgather_256[] = {{512, recursive_doubling},
                                  {128 * KiB, neighbor_exchange},
                                  {512 * KiB, ring},
                                  {MiB, neighbor_exchange},
                                  {all, ring}};
constexpr Step allgather_512[] = {{32, recursive_doubling},
                                  {128, bruck},
                                  {1024, recursive_doubling},
                                  {128 * KiB, neighbor_exchange},
                                  {512 * KiB, ring},
                                  {MiB, neighbor_exchange},
                                  {all, ring}};
constexpr Step allgather_1024[] = {
    {64, recursive_doubling}, {256, bruck}, {2 * KiB, recursive_doubling}, {all, neighbor_exchange}};
constexpr Step allgather_2048[] = {
    {4, recursive_doubling},   {8, bruck},   {16, recursive_doubling},      {32, bruck},
    {256, recursive_doubling}, {512, bruck}, {4 * KiB, recursive_doubling}, {all, neighbor_exchange}};
constexpr Step allgather_4096[] = {{32, bruck},
                                   {128, recursive_doubling},
                                   {512, bruck},
                                   {4 * KiB, recursive_doubling},
                                   {all, neighbor_exchange}};
constexpr Step allgather_more[] = {{2, recursive_doubling},       {8, bruck},
                                   {16, recursive_doubling},      {512, bruck},
                                   {4 * KiB, recursive_doubling}, {all, neighbor_exchange}};
constexpr Row allgathers[] = {{32, allgather_3},      {64, allgather_64},     {128, allgather_128},
                              {256, allgather_256},   {512, allgather_512},   {1024, allgather_1024},
                              {2048, allgather_2048}, {4096, allgather_4096}, {any, allgather_more}};

// For blocks of different lengths.
constexpr Step blocks_3[] = {{all, ring}};
constexpr Step blocks_8[] = {{256, bruck},       {4 * KiB, neighbor_exchange},
                             {8 * KiB, ring},    {16 * KiB, neighbor_exchange},
                             {256 * KiB, bruck}, {all, neighbor_exchange}};
constexpr Step blocks_16[] = {{all, bruck}};
constexpr Step blocks_32[] = {{256 * KiB, bruck}, {all, ring}};
constexpr Step blocks_64[] = {{8 * KiB, bruck}, {all, ring}};
constexpr Step blocks_128[] = {{4 * KiB, bruck}, {all, ring}};
constexpr Step blocks_256[] = {{1024, bruck}, {64 * KiB, neighbor_exchange}, {all, ring}};
constexpr Step blocks_512[] = {{1024, bruck}, {all, ring}};
constexpr Step blocks_1024[] = {{4 * KiB, bruck}, {MiB, neighbor_exchange}, {all, ring}};
constexpr Step blocks_more[] = {{4 * KiB, bruck}, {all, neighbor_exchange}};
constexpr Row allgathervs[] = {{3, blocks_3},       {8, blocks_8},     {16, blocks_16},   {32, blocks_32},
                               {64, blocks_64},     {128, blocks_128}, {256, blocks_256}, {512, blocks_512},
                               {1024, blocks_1024}, {any, blocks_more}};

constexpr Step alltoall_3[] = {{all, rotation}};
constexpr Step alltoall_8[] = {{512 * KiB, linear}, {MiB, rotation}, {all, linear}};
constexpr Step alltoall_16[] = {{all, linear}};
constexpr Step alltoall_32[] = {{4, linear}, {512, bruck}, {all, linear}};
constexpr Step alltoall_64[] = {{512, bruck}, {all, linear}};
constexpr Step alltoall_256[] = {{1024, bruck}, {256 * KiB, linear}, {all, rotation}};
constexpr Step alltoall_512[] = {{1024, bruck}, {32 * KiB, linear}, {all, rotation}};
constexpr Step alltoall_1024[] = {{512, bruck}, {256 * KiB, linear}, {all, rotation}};
constexpr Step alltoall_2048[] = {{512, bruck}, {all, linear}};
constexpr Step alltoall_4096[] = {{1024, bruck}, {all, linear}};
constexpr Step alltoall_more[] = {{2 * KiB, bruck}, {all, linear}};
constexpr Row alltoalls[] = {{3, alltoall_3},       {8, alltoall_8},       {16, alltoall_16},
                             {32, alltoall_32},     {64, alltoall_64},     {256, alltoall_256},
                             {512, alltoall_512},   {1024, alltoall_1024}, {2048, alltoall_2048},
                             {4096, alltoall_4096}, {any, alltoall_more}};

constexpr Step gather_4[] = {
    {4, linear}, {32 * KiB, binomial}, {64 * KiB, linear}, {128 * KiB, binomial}, {all, linear}};
constexpr Step gather_8[] = {{1024, binomial}, {8 * KiB, linear}, {32 * KiB, binomial}, {all, linear}};
constexpr Step gather_more[] = {{all, binomial}};
constexpr Step gather_512[] = {{2 * KiB, binomial}, {8 * KiB, linear}, {all, binomial}};
constexpr Row gathers[] = {
    {4, gather_4}, {8, gather_8}, {256, gather_more}, {512, gather_512}, {any, gather_more}};

constexpr Step out_4[] = {{all, linear}};
constexpr Step out_8[] = {{2 * KiB, binomial}, {4 * KiB, linear}, {8 * KiB, binomial}, {all, linear}};
constexpr Step out_32[] = {{16 * KiB, binomial}, {all, linear}};
constexpr Step out_64[] = {{512, binomial}, {8 * KiB, linear}, {16 * KiB, binomial}, {all, linear}};
constexpr Step out_more[] = {{512, binomial}, {all, linear}};
constexpr Row scatters[] = {{4, out_4}, {8, out_8}, {32, out_32}, {64, out_64}, {any, out_more}};

Algorithm barrier(int ranks) {
  if (ranks < 4) return recursive_doubling_halves;
  if (ranks < 8) return linear;
  if (ranks < 64) return recursive_doubling_halves;
  if (ranks < 256) return dissemination;
  if (ranks < 512) return tree;
  if (ranks < 1024) return dissemination;
  return ranks < 4096 ? tree : dissemination;
}

Algorithm allgather(Bytes block, int ranks) {
  const Algorithm as = look_up(allgathers, ranks, block);
  const bool power = std::has_single_bit(static_cast<unsigned>(ranks));
  return as == recursive_doubling && !power ? bruck : as;
}

}  // namespace tables
}  // namespace

AlgorithmChoice openmpi_4_1(const AlgorithmQuery& asked) {
  using namespace tables;
  const auto& [operation, bytes, ranks, elements, commutative, scatters_out, differ] = asked;
  switch (operation) {
    case Collective::barrier:
      return tables::barrier(ranks);
    case Collective::bcast:
      return {look_up(bcasts, ranks, bytes), AlgorithmChoice::whole};
    case Collective::reduce:
      return commutative ? AlgorithmChoice(look_up(reduces, ranks, bytes), AlgorithmChoice::whole)
                         : AlgorithmChoice(mpich);
    case Collective::allreduce: {
      if (!commutative) return recursive_doubling;
      const Algorithm as = look_up(allreduces, ranks, bytes);
      return as == ring && elements < ranks ? recursive_doubling : as;
    }
    case Collective::reduce_scatter:
      if (!commutative) return reduce_scatter_openmpi;
      return differ ? look_up(reduce_scatters, ranks, bytes)
                    : look_up(reduce_scatter_blocks, ranks, bytes / ranks);
    case Collective::gather:
      return look_up(scatters_out ? std::span<const Row>(scatters) : gathers, ranks, bytes / ranks);
    case Collective::allgather:
      return differ ? look_up(allgathervs, ranks, bytes / ranks) : tables::allgather(bytes / ranks, ranks);
    case Collective::alltoall:
      return look_up(alltoalls, ranks, bytes);
  }
  return mpich;
}

}  // namespace emu::model
