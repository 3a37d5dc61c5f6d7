// datatypes SEED COUNT [shared]: one-sided operations with random datatypes at the target. They change memory
// like MPI_Unpack, and return the data of MPI_Pack. All ranks draw the same datatypes; rank 0 operates on the
// memory of the last rank. The program prints the number of datatypes of each kind that it tried.
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

namespace {

constexpr int window_bytes = 1 << 16, middle = window_bytes / 2;
constexpr MPI_Count most_bytes = 4000, most_extent = 12000;

using Bytes = std::vector<std::byte>;

class Drawn {
 public:
  explicit Drawn(unsigned seed) : random_(seed) {}

  int in(int from, int to) { return std::uniform_int_distribution<int>(from, to)(random_); }

  // Made from one predefined datatype (if `one`), or from several.
  MPI_Datatype type(bool one) {
    basic_ = basics[in(0, static_cast<int>(std::size(basics)) - 1)];
    for (;;) {
      MPI_Datatype made = nested(in(1, 3), one);
      MPI_Count size, lower, extent, true_lower, true_extent;
      MPI_Type_commit(&made);
      MPI_Type_size_c(made, &size);
      MPI_Type_get_extent_c(made, &lower, &extent);
      MPI_Type_get_true_extent_c(made, &true_lower, &true_extent);
      const bool fits = size > 0 && size <= most_bytes && std::abs(lower) + std::abs(extent) <= most_extent &&
                        std::abs(true_lower) + true_extent <= most_extent;
      if (fits) return made;
      MPI_Type_free(&made);
    }
  }
  MPI_Datatype basic() const { return basic_; }

 private:
  static inline const MPI_Datatype basics[] = {MPI_INT, MPI_DOUBLE, MPI_SHORT, MPI_CHAR, MPI_LONG_LONG};
  static inline const MPI_Datatype pairs[] = {MPI_DOUBLE_INT, MPI_SHORT_INT, MPI_2INT, MPI_FLOAT_INT};

  MPI_Datatype leaf(bool one) {
    if (one) return basic_;
    return in(0, 3) == 0 ? pairs[in(0, 3)] : basics[in(0, 4)];
  }

  MPI_Datatype nested(int depth, bool one) {
    MPI_Datatype old = depth > 1 ? nested(depth - 1, one) : leaf(one), made = old;
    MPI_Count lower, extent;
    MPI_Type_get_extent_c(old, &lower, &extent);
    const bool wide = in(0, 1) == 1;
    switch (in(0, 11)) {
      case 0:
        wide ? MPI_Type_contiguous_c(in(0, 5), old, &made) : MPI_Type_contiguous(in(1, 5), old, &made);
        break;
      case 1:
        wide ? MPI_Type_vector_c(in(1, 6), in(0, 3), in(-4, 6), old, &made)
             : MPI_Type_vector(in(1, 6), in(1, 3), in(-4, 6), old, &made);
        break;
      case 2: {
        const int stride = static_cast<int>(extent) * in(-3, 4) + in(0, 9);
        wide ? MPI_Type_create_hvector_c(in(1, 5), in(1, 3), stride, old, &made)
             : MPI_Type_create_hvector(in(1, 5), in(1, 3), stride, old, &made);
        break;
      }
      case 3:
      case 4:
        made = indexed(old, extent, wide);
        break;
      case 5:
      case 6:
        made = structure(old, depth, one, wide);
        break;
      case 7:
        made = subarray(old, wide);
        break;
      case 8:
      case 9:
        made = distributed(old, wide);
        break;
      case 10: {
        const int by = in(-20, 20);
        wide ? MPI_Type_create_resized_c(old, by, extent + in(-9, 30), &made)
             : MPI_Type_create_resized(old, by, extent + in(-9, 30), &made);
        break;
      }
      default:
        MPI_Type_dup(old, &made);
    }
    if (depth > 1) MPI_Type_free(&old);
    return made;
  }

  MPI_Datatype indexed(MPI_Datatype old, MPI_Count extent, bool wide) {
    const int n = in(1, 5), kind = in(0, 3);
    int lengths[5], places[5];
    MPI_Aint at[5];
    MPI_Count many[5], far[5];
    for (int i = 0; i < n; ++i) {
      many[i] = lengths[i] = in(0, 3);
      places[i] = in(-2, 4) + 4 * (i % 2 == 0 ? i : n - i);
      far[i] = at[i] = extent * places[i] + in(0, 3);
    }
    MPI_Datatype made;
    if (kind == 0)
      MPI_Type_indexed(n, lengths, places, old, &made);
    else if (kind == 1)
      wide ? MPI_Type_create_hindexed_c(n, many, far, old, &made)
           : MPI_Type_create_hindexed(n, lengths, at, old, &made);
    else if (kind == 2)
      MPI_Type_create_indexed_block(n, in(1, 2), places, old, &made);
    else
      wide ? MPI_Type_create_hindexed_block_c(n, in(1, 2), far, old, &made)
           : MPI_Type_create_hindexed_block(n, in(1, 2), at, old, &made);
    return made;
  }

  MPI_Datatype structure(MPI_Datatype old, int depth, bool one, bool wide) {
    const int n = in(1, 4);
    MPI_Datatype parts[4], made;
    int lengths[4];
    MPI_Aint at[4], next = in(-60, 40);
    MPI_Count many[4], far[4];
    for (int i = 0; i < n; ++i) {
      parts[i] = i % 2 == 0 ? old : leaf(one);
      many[i] = lengths[i] = in(0, 3);
      MPI_Count lower, extent;
      MPI_Type_get_extent_c(parts[i], &lower, &extent);
      far[i] = at[i] = next;
      next += static_cast<MPI_Aint>(std::abs(extent)) * lengths[i] + 8 * in(0, 2 * depth);
    }
    if (in(0, 2) == 0) {
      std::swap(at[0], at[n - 1]);
      std::swap(far[0], far[n - 1]);
    }
    wide ? MPI_Type_create_struct_c(n, many, far, parts, &made)
         : MPI_Type_create_struct(n, lengths, at, parts, &made);
    return made;
  }

  int order() { return in(0, 1) == 0 ? MPI_ORDER_C : MPI_ORDER_FORTRAN; }

  MPI_Datatype subarray(MPI_Datatype old, bool wide) {
    const int n = in(1, 3);
    int sizes[3], parts[3], begins[3];
    MPI_Count wide_sizes[3], wide_parts[3], wide_begins[3];
    for (int d = 0; d < n; ++d) {
      wide_sizes[d] = sizes[d] = in(1, 5);
      wide_parts[d] = parts[d] = in(1, sizes[d]);
      wide_begins[d] = begins[d] = in(0, sizes[d] - parts[d]);
    }
    MPI_Datatype made;
    wide ? MPI_Type_create_subarray_c(n, wide_sizes, wide_parts, wide_begins, order(), old, &made)
         : MPI_Type_create_subarray(n, sizes, parts, begins, order(), old, &made);
    return made;
  }

  MPI_Datatype distributed(MPI_Datatype old, bool wide) {
    const int n = in(1, 3);
    int sizes[3], how[3], arguments[3], grid[3], processes = 1;
    MPI_Count wide_sizes[3];
    for (int d = 0; d < n; ++d) {
      wide_sizes[d] = sizes[d] = in(1, 7);
      const int kind = in(0, 4);
      how[d] = kind == 0 ? MPI_DISTRIBUTE_NONE : kind < 3 ? MPI_DISTRIBUTE_BLOCK : MPI_DISTRIBUTE_CYCLIC;
      grid[d] = kind == 0 ? 1 : in(1, 3);
      arguments[d] = MPI_DISTRIBUTE_DFLT_DARG;
      if (kind == 2) arguments[d] = (sizes[d] + grid[d] - 1) / grid[d] + in(0, 1);
      if (kind == 4) arguments[d] = in(1, 3);
      processes *= grid[d];
    }
    const int rank = in(0, processes - 1);
    MPI_Datatype made;
    wide ? MPI_Type_create_darray_c(processes, rank, n, wide_sizes, how, arguments, grid, order(), old, &made)
         : MPI_Type_create_darray(processes, rank, n, sizes, how, arguments, grid, order(), old, &made);
    return made;
  }

  std::mt19937 random_;
  MPI_Datatype basic_ = MPI_INT;
};

struct Target {
  MPI_Datatype type;
  int count, at;  // elements; bytes in the window
  int bytes;      // packed
};

Bytes packed(const Bytes& memory, const Target& t) {
  Bytes all(static_cast<std::size_t>(t.bytes));
  int position = 0;
  MPI_Pack(memory.data() + t.at, t.count, t.type, all.data(), t.bytes, &position, MPI_COMM_SELF);
  return all;
}

void unpack(const Bytes& from, const Target& t, Bytes& memory) {
  int position = 0;
  MPI_Unpack(from.data(), t.bytes, &position, memory.data() + t.at, t.count, t.type, MPI_COMM_SELF);
}

// True if it contains some byte twice: operations must not write then.
bool overlaps(const Target& t) {
  Bytes low(window_bytes), high(window_bytes);
  for (int i = 0; i < window_bytes; ++i) {
    low[static_cast<std::size_t>(i)] = static_cast<std::byte>(i);
    high[static_cast<std::size_t>(i)] = static_cast<std::byte>(i >> 8);
  }
  const Bytes a = packed(low, t), b = packed(high, t);
  std::vector<bool> seen(window_bytes);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto place = std::to_integer<std::size_t>(a[i]) | std::to_integer<std::size_t>(b[i]) << 8;
    if (seen[place]) return true;
    seen[place] = true;
  }
  return false;
}

// Adds packed values of one predefined datatype to others.
void add(const Bytes& values, MPI_Datatype basic, Bytes& into) {
  int size;
  MPI_Type_size(basic, &size);
  MPI_Reduce_local(values.data(), into.data(), static_cast<int>(values.size()) / size, basic, MPI_SUM);
}

class Trial {
 public:
  Trial(unsigned seed, bool shared) : drawn_(seed), target_(0), expected_(window_bytes) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    target_ = size_ - 1;
    const int unit = drawn_.in(0, 1) == 0 ? 1 : 8;
    unit_ = unit;
    if (shared)
      MPI_Win_allocate_shared(window_bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &memory_, &window_);
    else
      MPI_Win_allocate(window_bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &memory_, &window_);
    for (std::byte& b : expected_) b = random_byte();
    std::memcpy(memory_, expected_.data(), expected_.size());
    MPI_Win_fence(0, window_);
  }
  ~Trial() { MPI_Win_free(&window_); }
  Trial(const Trial&) = delete;

  void run(bool one) {
    Target t = draw(one);
    if (!overlaps(t)) {
      put(t);
      if (one) accumulate(t, drawn_.basic());
      if (one) get_accumulate(t, drawn_.basic());
      ++(one ? sums : puts);
    }
    get(t);
    ++gets;
    MPI_Type_free(&t.type);
  }

  int puts = 0, sums = 0, gets = 0, wrong = 0;

 private:
  std::byte random_byte() { return static_cast<std::byte>(drawn_.in(0, 255)); }

  Target draw(bool one) {
    Target t{drawn_.type(one), drawn_.in(0, 2) == 0 ? drawn_.in(2, 4) : 1, 0, 0};
    int size;
    MPI_Aint lower, extent;
    MPI_Type_size(t.type, &size);
    MPI_Type_get_extent(t.type, &lower, &extent);
    if (std::abs(lower) + std::abs(extent) > 4000) t.count = 1;
    t.bytes = t.count * size;
    t.at = middle + 8 * drawn_.in(-100, 100);
    return t;
  }
  Bytes values(const Target& t) {
    Bytes all(static_cast<std::size_t>(t.bytes));
    for (std::byte& b : all) b = random_byte();
    return all;
  }
  void check(const char* what, bool right) {
    MPI_Win_fence(0, window_);
    if (right) return;
    ++wrong;
    std::fprintf(stderr, "%s: wrong on rank %d, trial %d\n", what, rank_, gets);
  }
  void check_memory(const char* what) {
    MPI_Win_fence(0, window_);
    check(what, rank_ != target_ || std::memcmp(memory_, expected_.data(), expected_.size()) == 0);
  }

  void put(const Target& t) {
    const Bytes data = values(t);
    if (rank_ == 0) MPI_Put(data.data(), t.bytes, MPI_BYTE, target_, t.at / unit_, t.count, t.type, window_);
    unpack(data, t, expected_);
    check_memory("put");
  }

  void get(const Target& t) {
    Bytes into(static_cast<std::size_t>(t.bytes));
    if (rank_ == 0) MPI_Get(into.data(), t.bytes, MPI_BYTE, target_, t.at / unit_, t.count, t.type, window_);
    MPI_Win_fence(0, window_);
    check("get", rank_ != 0 || into == packed(expected_, t));
  }

  // Values whose sums are finite numbers.
  Bytes small_values(const Target& t, MPI_Datatype basic) {
    Bytes all = values(t);
    if (basic != MPI_DOUBLE) return all;
    for (std::size_t i = 0; i + sizeof(double) <= all.size(); i += sizeof(double)) {
      const double value = drawn_.in(-1000, 1000);
      std::memcpy(&all[i], &value, sizeof value);
    }
    return all;
  }

  void accumulate(const Target& t, MPI_Datatype basic) {
    const Bytes first = small_values(t, basic), data = small_values(t, basic);
    int size;
    MPI_Type_size(basic, &size);
    if (rank_ == 0)
      MPI_Accumulate(first.data(), t.bytes / size, basic, target_, t.at / unit_, t.count, t.type, MPI_REPLACE,
                     window_);
    unpack(first, t, expected_);
    check_memory("replace");
    if (rank_ == 0)
      MPI_Accumulate(data.data(), t.bytes / size, basic, target_, t.at / unit_, t.count, t.type, MPI_SUM,
                     window_);
    Bytes there = packed(expected_, t);
    add(data, basic, there);
    unpack(there, t, expected_);
    check_memory("accumulate");
  }

  void get_accumulate(const Target& t, MPI_Datatype basic) {
    const Bytes data = small_values(t, basic);
    Bytes into(static_cast<std::size_t>(t.bytes));
    int size;
    MPI_Type_size(basic, &size);
    if (rank_ == 0)
      MPI_Get_accumulate(data.data(), t.bytes / size, basic, into.data(), t.bytes / size, basic, target_,
                         t.at / unit_, t.count, t.type, MPI_SUM, window_);
    Bytes there = packed(expected_, t);
    MPI_Win_fence(0, window_);
    check("get_accumulate, before", rank_ != 0 || into == there);
    add(data, basic, there);
    unpack(there, t, expected_);
    check_memory("get_accumulate");
  }

  Drawn drawn_;
  int rank_ = 0, size_ = 0, target_, unit_ = 1;
  Bytes expected_;  // the target's memory
  void* memory_ = nullptr;
  MPI_Win window_ = MPI_WIN_NULL;
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc < 3) MPI_Abort(MPI_COMM_WORLD, 2);
  int rank, wrong = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  {
    Trial trial(static_cast<unsigned>(std::atoi(argv[1])), argc > 3);
    const int count = std::atoi(argv[2]);
    for (int i = 0; i < count; ++i) trial.run(i % 2 == 0);
    MPI_Allreduce(&trial.wrong, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
      std::printf("put %d accumulate %d get %d wrong %d\n", trial.puts, trial.sums, trial.gets, wrong);
  }
  MPI_Finalize();
  return wrong == 0 ? 0 : 1;
}
