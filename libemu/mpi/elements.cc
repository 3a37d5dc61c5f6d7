#include "mpi/elements.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

namespace emu::mpi {

namespace {

// Structure of a datatype: a basic one, or blocks of others. Offsets are in bytes.
struct Node;
struct Block {
  MPI_Count offset, count, stride;
  std::shared_ptr<const Node> of;
};
struct Node {
  model::Bytes size = 0;    // of a basic one; the first part if MPI has two types as one
  model::Bytes second = 0;  // bytes of the second part
  MPI_Count second_at = 0;
  std::vector<Block> blocks;  // none: a basic datatype
};
using Nodes = std::shared_ptr<const Node>;

MPI_Count extent_of(MPI_Datatype type) {
  MPI_Count lower, extent;
  PMPI_Type_get_extent_c(type, &lower, &extent);
  return extent;
}

Nodes basic(MPI_Datatype type) {
  struct Pair {
    MPI_Datatype type;
    model::Bytes first, second;
    MPI_Count at;
  };
  struct DoubleInt {
    double a;
    int b;
  };
  struct LongInt {
    long a;
    int b;
  };
  struct ShortInt {
    short a;
    int b;
  };
  struct LongDoubleInt {
    long double a;
    int b;
  };
  static const Pair pairs[] = {
      {MPI_DOUBLE_INT, sizeof(double), sizeof(int), offsetof(DoubleInt, b)},
      {MPI_LONG_INT, sizeof(long), sizeof(int), offsetof(LongInt, b)},
      {MPI_SHORT_INT, sizeof(short), sizeof(int), offsetof(ShortInt, b)},
      {MPI_LONG_DOUBLE_INT, sizeof(long double), sizeof(int), offsetof(LongDoubleInt, b)}};
  auto node = std::make_shared<Node>();
  MPI_Count size = 0;
  PMPI_Type_size_c(type, &size);
  node->size = size;
  for (const Pair& pair : pairs)
    if (pair.type == type) *node = {pair.first, pair.second, pair.at, {}};
  return node;
}

// The arguments that created a datatype. Counts, which may be large, precede the displacements.
class CreationArguments {
 public:
  explicit CreationArguments(MPI_Datatype type) {
    MPI_Count integers, addresses, counts, types;
    PMPI_Type_get_envelope_c(type, &integers, &addresses, &counts, &types, &combiner);
    if (is_basic(combiner)) return;
    std::vector<int> small(static_cast<std::size_t>(integers));
    std::vector<MPI_Aint> places(static_cast<std::size_t>(addresses));
    std::vector<MPI_Count> large(static_cast<std::size_t>(counts));
    types_.resize(static_cast<std::size_t>(types));
    PMPI_Type_get_contents_c(type, integers, addresses, counts, types, small.data(), places.data(),
                             large.data(), types_.data());
    values_.assign(small.begin(), small.end());
    values_.insert(values_.end(), places.begin(), places.end());
    values_.insert(values_.end(), large.begin(), large.end());
    large_ = counts > 0;
  }
  ~CreationArguments() {
    for (MPI_Datatype type : types_) {
      MPI_Count ignored;
      int how;
      PMPI_Type_get_envelope_c(type, &ignored, &ignored, &ignored, &ignored, &how);
      if (!is_basic(how)) PMPI_Type_free(&type);
    }
  }
  CreationArguments(const CreationArguments&) = delete;

  static bool is_basic(int combiner) {
    return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL ||
           combiner == MPI_COMBINER_F90_COMPLEX || combiner == MPI_COMBINER_F90_INTEGER;
  }
  MPI_Count value(MPI_Count i) const { return values_[static_cast<std::size_t>(i)]; }
  MPI_Datatype type(MPI_Count i = 0) const { return types_[static_cast<std::size_t>(i)]; }
  bool large() const { return large_; }

  int combiner = MPI_COMBINER_NAMED;

 private:
  std::vector<MPI_Count> values_;
  std::vector<MPI_Datatype> types_;
  bool large_ = false;
};

Nodes node_of(MPI_Datatype type);

// The indices of each dimension of an array that belong to the datatype.
struct Dimension {
  MPI_Count length;
  std::vector<MPI_Count> indices;
};

Nodes array_of(const std::vector<Dimension>& dimensions, bool c, MPI_Datatype type) {
  Nodes inner = node_of(type);
  MPI_Count stride = extent_of(type);
  const std::size_t n = dimensions.size();
  for (std::size_t i = 0; i < n; ++i) {
    const Dimension& dimension = dimensions[c ? n - 1 - i : i];
    auto node = std::make_shared<Node>();
    for (const MPI_Count index : dimension.indices) node->blocks.push_back({index * stride, 1, 0, inner});
    stride *= dimension.length;
    inner = std::move(node);
  }
  return inner;
}

Nodes subarray(const CreationArguments& made) {
  const MPI_Count n = made.value(0), first = made.large() ? 2 : 1;
  std::vector<Dimension> dimensions;
  for (MPI_Count i = 0; i < n; ++i) {
    Dimension dimension{made.value(first + i), {}};
    for (MPI_Count k = 0; k < made.value(first + n + i); ++k)
      dimension.indices.push_back(made.value(first + 2 * n + i) + k);
    dimensions.push_back(std::move(dimension));
  }
  return array_of(dimensions, made.value(made.large() ? 1 : 1 + 3 * n) == MPI_ORDER_C, made.type());
}

// The part of a dimension that process `place` of `processes` has.
Dimension share(MPI_Count length, MPI_Count way, MPI_Count argument, MPI_Count processes, MPI_Count place) {
  Dimension dimension{length, {}};
  MPI_Count block = argument;
  if (way == MPI_DISTRIBUTE_NONE)
    block = length;
  else if (argument == MPI_DISTRIBUTE_DFLT_DARG)
    block = way == MPI_DISTRIBUTE_BLOCK ? (length + processes - 1) / processes : 1;
  for (MPI_Count from = place * block; from < length; from += processes * block)
    for (MPI_Count i = from; i < std::min(from + block, length); ++i) dimension.indices.push_back(i);
  return dimension;
}

Nodes distributed(const CreationArguments& made) {
  const MPI_Count n = made.value(2), small = made.large() ? 0 : n, ways = 3 + small;
  MPI_Count processes = made.value(0), rank = made.value(1);
  std::vector<Dimension> dimensions;
  for (MPI_Count i = 0; i < n; ++i) {
    const MPI_Count here = made.value(ways + 2 * n + i);
    processes /= here;
    dimensions.push_back(share(made.value(made.large() ? 4 + 3 * n + i : 3 + i), made.value(ways + i),
                               made.value(ways + n + i), here, rank / processes));
    rank %= processes;
  }
  return array_of(dimensions, made.value(ways + 3 * n) == MPI_ORDER_C, made.type());
}

// Blocks of one datatype. `length(i)`, `offset(i)`: of block i.
template <class Length, class Offset>
Nodes blocks_of(MPI_Datatype type, MPI_Count count, Length length, Offset offset) {
  const MPI_Count extent = extent_of(type);
  const Nodes of = node_of(type);
  auto node = std::make_shared<Node>();
  for (MPI_Count i = 0; i < count; ++i) node->blocks.push_back({offset(i), length(i), extent, of});
  return node;
}

Nodes structure(const CreationArguments& made) {
  const MPI_Count n = made.value(0);
  auto node = std::make_shared<Node>();
  for (MPI_Count i = 0; i < n; ++i)
    node->blocks.push_back(
        {made.value(1 + n + i), made.value(1 + i), extent_of(made.type(i)), node_of(made.type(i))});
  return node;
}

Nodes node_of(MPI_Datatype type) {
  const CreationArguments made(type);
  if (CreationArguments::is_basic(made.combiner)) return basic(type);
  const MPI_Datatype of = made.combiner == MPI_COMBINER_STRUCT ? MPI_DATATYPE_NULL : made.type();
  const auto value = [&](MPI_Count i) { return made.value(i); };
  const auto same = [&](MPI_Count) { return value(1); };
  const auto own = [&](MPI_Count i) { return value(1 + i); };
  const auto in_extents = [&](MPI_Count n) { return n * extent_of(of); };
  switch (made.combiner) {
    case MPI_COMBINER_CONTIGUOUS:
      return blocks_of(
          of, 1, [&](MPI_Count) { return value(0); }, [](MPI_Count) { return MPI_Count{0}; });
    case MPI_COMBINER_VECTOR:
      return blocks_of(of, value(0), same, [&](MPI_Count i) { return in_extents(i * value(2)); });
    case MPI_COMBINER_HVECTOR:
      return blocks_of(of, value(0), same, [&](MPI_Count i) { return i * value(2); });
    case MPI_COMBINER_INDEXED:
      return blocks_of(of, value(0), own, [&](MPI_Count i) { return in_extents(value(1 + value(0) + i)); });
    case MPI_COMBINER_HINDEXED:
      return blocks_of(of, value(0), own, [&](MPI_Count i) { return value(1 + value(0) + i); });
    case MPI_COMBINER_INDEXED_BLOCK:
      return blocks_of(of, value(0), same, [&](MPI_Count i) { return in_extents(value(2 + i)); });
    case MPI_COMBINER_HINDEXED_BLOCK:
      return blocks_of(of, value(0), same, [&](MPI_Count i) { return value(2 + i); });
    case MPI_COMBINER_STRUCT:
      return structure(made);
    case MPI_COMBINER_SUBARRAY:
      return subarray(made);
    case MPI_COMBINER_DARRAY:
      return distributed(made);
    default:  // a duplicate, or one with another extent
      return node_of(of);
  }
}

// Calls take(offset, bytes, bytes of the second part) for each basic element, until it returns false.
template <class Take>
bool visit(const Node& node, MPI_Count offset, Take& take) {
  if (node.blocks.empty())
    return node.size == 0 || (take(offset, node.size, node.second) &&
                              (node.second == 0 || take(offset + node.second_at, node.second, 0)));
  for (const Block& block : node.blocks)
    for (MPI_Count i = 0; i < block.count; ++i)
      if (!visit(*block.of, offset + block.offset + i * block.stride, take)) return false;
  return true;
}

bool has_no_gaps(const Node& node, MPI_Datatype type) {
  MPI_Count next = -1, size = 0;
  auto take = [&](MPI_Count offset, model::Bytes bytes, model::Bytes) {
    if (next >= 0 && offset != next) return false;
    next = offset + bytes;
    return true;
  };
  PMPI_Type_size_c(type, &size);
  return size == extent_of(type) && visit(node, 0, take);
}

}  // namespace

bool unpack_front(const std::byte* from, model::Bytes bytes, void* to, MPI_Datatype type) {
  const Nodes node = node_of(type);
  bool fits = true;
  auto take = [&](MPI_Count offset, model::Bytes size, model::Bytes rest) {
    if (bytes < size + rest && !has_no_gaps(*node, type)) {
      fits = false;
      return false;
    }
    const model::Bytes n = std::min(bytes, size);
    std::memcpy(static_cast<std::byte*>(to) + offset, from, static_cast<std::size_t>(n));
    from += n;
    bytes -= n;
    return bytes > 0;
  };
  visit(*node, 0, take);
  return fits;
}

}  // namespace emu::mpi
