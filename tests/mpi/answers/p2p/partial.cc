// Receives into random datatypes that are filled in part: the data up to the end of the
// message, nothing behind it, and an error only if the message ends inside a basic element.
#include <random>

#include "answers.h"

namespace {

// A datatype, and the offsets and sizes of its basic elements, in the order of its type map.
struct Made {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  std::vector<std::pair<MPI_Aint, int>> map;  // offset, size
  MPI_Aint extent = 0;
};

class Maker {
 public:
  explicit Maker(unsigned seed) : random_(seed) {}

  Made make(int depth) { return depth == 0 ? basic() : derived(depth); }
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }

 private:
  Made basic() {
    static const std::pair<MPI_Datatype, int> all[] = {
        {MPI_CHAR, 1}, {MPI_SHORT, 2}, {MPI_INT, 4}, {MPI_DOUBLE, 8}, {MPI_C_DOUBLE_COMPLEX, 16}};
    const auto& [type, size] = all[below(5)];
    Made made;
    MPI_Type_dup(type, &made.type);
    made.map = {{0, size}};
    made.extent = size;
    return made;
  }

  static void put(Made& made, const Made& of, MPI_Aint at, int count) {
    for (int i = 0; i < count; ++i)
      for (const auto& [offset, size] : of.map) made.map.emplace_back(at + i * of.extent + offset, size);
  }

  // Blocks of some elements, with gaps between them.
  struct Blocks {
    std::vector<int> lengths, places;
    std::vector<MPI_Aint> bytes;
    std::vector<MPI_Count> large_lengths, large_places, large_bytes;
    int count() const { return static_cast<int>(lengths.size()); }
  };
  Blocks blocks(MPI_Aint extent, bool same) {
    Blocks found;
    const int count = 1 + below(3), all = 1 + below(3);
    int at = below(2);
    for (int i = 0; i < count; ++i) {
      const int length = same ? all : 1 + below(3);
      found.lengths.push_back(length);
      found.places.push_back(at);
      found.bytes.push_back(at * extent);
      found.large_lengths.push_back(length);
      found.large_places.push_back(at);
      found.large_bytes.push_back(at * extent);
      at += length + below(3);
    }
    return found;
  }

  void vector(Made& made, const Made& of, bool large) {
    const int count = 1 + below(3), length = 1 + below(3), stride = length + below(2);
    const MPI_Aint bytes = stride * of.extent;
    switch (below(3) + (large ? 3 : 0)) {
      case 0:
        MPI_Type_vector(count, length, stride, of.type, &made.type);
        break;
      case 1:
        MPI_Type_create_hvector(count, length, bytes, of.type, &made.type);
        break;
      case 3:
        MPI_Type_vector_c(count, length, stride, of.type, &made.type);
        break;
      case 4:
        MPI_Type_create_hvector_c(count, length, bytes, of.type, &made.type);
        break;
      case 2:
        MPI_Type_contiguous(count * length, of.type, &made.type);
        put(made, of, 0, count * length);
        return;
      default:
        MPI_Type_contiguous_c(count * length, of.type, &made.type);
        put(made, of, 0, count * length);
        return;
    }
    for (int i = 0; i < count; ++i) put(made, of, i * bytes, length);
  }

  void indexed(Made& made, const Made& of, bool large) {
    const bool same = below(2) == 1, bytes = below(2) == 1;
    const Blocks b = blocks(of.extent, same);
    const int n = b.count(), length = b.lengths[0];
    if (same && bytes && large)
      MPI_Type_create_hindexed_block_c(n, length, b.large_bytes.data(), of.type, &made.type);
    else if (same && bytes)
      MPI_Type_create_hindexed_block(n, length, b.bytes.data(), of.type, &made.type);
    else if (same && large)
      MPI_Type_create_indexed_block_c(n, length, b.large_places.data(), of.type, &made.type);
    else if (same)
      MPI_Type_create_indexed_block(n, length, b.places.data(), of.type, &made.type);
    else if (bytes && large)
      MPI_Type_create_hindexed_c(n, b.large_lengths.data(), b.large_bytes.data(), of.type, &made.type);
    else if (bytes)
      MPI_Type_create_hindexed(n, b.lengths.data(), b.bytes.data(), of.type, &made.type);
    else if (large)
      MPI_Type_indexed_c(n, b.large_lengths.data(), b.large_places.data(), of.type, &made.type);
    else
      MPI_Type_indexed(n, b.lengths.data(), b.places.data(), of.type, &made.type);
    for (int i = 0; i < n; ++i)
      put(made, of, b.bytes[static_cast<std::size_t>(i)], b.lengths[static_cast<std::size_t>(i)]);
  }

  void structure(Made& made, const Made& first, int depth, bool large) {
    const Made second = make(below(depth));
    const int lengths[] = {1 + below(3), 1 + below(3)};
    const MPI_Aint places[] = {8 * below(2), lengths[0] * first.extent + 8 + 8 * below(2)};
    const MPI_Datatype types[] = {first.type, second.type};
    const MPI_Count large_lengths[] = {lengths[0], lengths[1]}, large_places[] = {places[0], places[1]};
    if (large)
      MPI_Type_create_struct_c(2, large_lengths, large_places, types, &made.type);
    else
      MPI_Type_create_struct(2, lengths, places, types, &made.type);
    put(made, first, places[0], lengths[0]);
    put(made, second, places[1], lengths[1]);
    MPI_Datatype type = second.type;
    MPI_Type_free(&type);
  }

  // Two dimensions, in either order.
  void part(Made& made, const Made& of, bool large) {
    int all[2], some[2], first[2];
    for (int i = 0; i < 2; ++i) {
      all[i] = 2 + below(2);
      some[i] = 1 + below(all[i]);
      first[i] = below(all[i] - some[i] + 1);
    }
    const bool c = below(2) == 1;
    const int order = c ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
    const MPI_Count large_all[] = {all[0], all[1]}, large_some[] = {some[0], some[1]},
                    large_first[] = {first[0], first[1]};
    if (large)
      MPI_Type_create_subarray_c(2, large_all, large_some, large_first, order, of.type, &made.type);
    else
      MPI_Type_create_subarray(2, all, some, first, order, of.type, &made.type);
    const int outer = c ? 0 : 1, inner = 1 - outer;
    for (int i = first[outer]; i < first[outer] + some[outer]; ++i)
      put(made, of, (i * all[inner] + first[inner]) * of.extent, some[inner]);
  }

  // Every other one of six, for the second of two processes.
  void share(Made& made, const Made& of) {
    const int sizes[] = {6}, ways[] = {MPI_DISTRIBUTE_CYCLIC}, arguments[] = {MPI_DISTRIBUTE_DFLT_DARG},
              grid[] = {2};
    MPI_Type_create_darray(2, 1, 1, sizes, ways, arguments, grid, MPI_ORDER_C, of.type, &made.type);
    for (int i = 1; i < 6; i += 2) put(made, of, i * of.extent, 1);
  }

  Made derived(int depth) {
    const Made of = make(below(depth));
    Made made;
    const bool large = below(2) == 1;
    switch (below(6)) {
      case 0:
        vector(made, of, large);
        break;
      case 1:
        indexed(made, of, large);
        break;
      case 2:
        part(made, of, large);
        break;
      case 3:
        share(made, of);
        break;
      case 4:
        MPI_Type_create_resized(of.type, 0, of.extent + 8, &made.type);
        put(made, of, 0, 1);
        break;
      default:
        structure(made, of, depth, large);
    }
    MPI_Aint lower;
    MPI_Type_get_extent(made.type, &lower, &made.extent);
    made.extent += lower;  // from here on its lower bound is 0
    MPI_Datatype moved, type = of.type;
    MPI_Type_create_resized(made.type, 0, made.extent, &moved);
    MPI_Type_free(&made.type);
    MPI_Type_free(&type);
    made.type = moved;
    return made;
  }

  std::mt19937 random_;
};

constexpr int count = 3;

struct Sums {
  int right = 0, wrong = 0, errors = 0;
  std::vector<long long> counts;
};

// Receives a message of `bytes` bytes, the last of which belong to a basic element.
void receive(const Answers& me, const Made& made, int bytes, Sums& sums) {
  std::vector<signed char> out(static_cast<std::size_t>(bytes)),
      in(static_cast<std::size_t>(count * made.extent), -1), expected = in;
  for (int i = 0; i < bytes; ++i) out[static_cast<std::size_t>(i)] = static_cast<signed char>(i % 101);
  int next = 0;
  for (int i = 0; i < count && next < bytes; ++i)
    for (const auto& [offset, size] : made.map)
      for (int k = 0; k < size && next < bytes; ++k)
        expected[static_cast<std::size_t>(i * made.extent + offset + k)] =
            out[static_cast<std::size_t>(next++)];
  MPI_Request request;
  MPI_Status status;
  MPI_Isend(out.data(), bytes, MPI_BYTE, me.rank, 0, MPI_COMM_WORLD, &request);
  const int code = MPI_Recv(in.data(), count, made.type, me.rank, 0, MPI_COMM_WORLD, &status);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  sums.errors += code != MPI_SUCCESS;
  ++(in == expected ? sums.right : sums.wrong);
  int found = 0;
  MPI_Get_count(&status, MPI_BYTE, &found);
  sums.counts.push_back(found);
  MPI_Get_count(&status, made.type, &found);
  sums.counts.push_back(found);
}

void random_types(const Answers& me) {
  Maker maker(20'041);
  for (int n = 0; n < 200; ++n) {
    Made made = maker.make(1 + n % 4);
    MPI_Type_commit(&made.type);
    std::vector<int> ends;
    int end = 0;
    for (int i = 0; i < count; ++i)
      for (const auto& [offset, size] : made.map) ends.push_back(end += size);
    Sums sums;
    for (int i = 0; i < 8; ++i)
      receive(me, made, ends[static_cast<std::size_t>(maker.below(static_cast<int>(ends.size())))], sums);
    MPI_Type_free(&made.type);
    show(numbered("wrong, type", n), sums.wrong);
    show("  errors", sums.errors);
    show("  counts", sums.counts);
  }
}

// Messages from another rank that end inside a basic element: MPICH ends the process if the message is from the same
// rank.
void cut(const Answers& me) {
  const int lengths[] = {4, 8}, one[] = {1, 1};
  const MPI_Aint places[] = {0, 16}, near[] = {0, 8};
  const MPI_Datatype parts[] = {MPI_INT, MPI_DOUBLE};
  MPI_Datatype whole, spread, pair, two;
  MPI_Type_create_struct(2, lengths, places, parts, &whole);
  MPI_Type_create_struct(2, one, near, parts, &spread);
  MPI_Type_vector(2, 1, 2, MPI_DOUBLE, &pair);
  MPI_Type_contiguous(2, MPI_INT, &two);
  MPI_Datatype* const made[] = {&whole, &spread, &pair, &two};
  for (MPI_Datatype* type : made) MPI_Type_commit(type);
  const struct {
    MPI_Datatype type;
    int count, bytes;
  } all[] = {{MPI_INT, 1, 3}, {MPI_INT, 2, 6},        {two, 1, 6},    {two, 2, 10},
             {pair, 1, 12},   {spread, 1, 6},         {whole, 1, 20}, {whole, 2, 20},
             {whole, 2, 100}, {MPI_DOUBLE_INT, 1, 6}, {pair, 2, 20},  {spread, 3, 17}};
  for (const auto& [type, n, bytes] : all) {
    const std::vector<signed char> out(200, 1);
    std::vector<signed char> in(400, -1);
    if (me.rank == 0) MPI_Send(out.data(), bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    if (me.rank != 1) continue;
    int kind = -1;
    MPI_Error_class(MPI_Recv(in.data(), n, type, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE), &kind);
    show(numbered("cut", bytes), kind);
    if (kind == MPI_SUCCESS) show("  in", in);
  }
  for (MPI_Datatype* type : made) MPI_Type_free(type);
}

}  // namespace

int main(int argc, char** argv) {
  const Answers me(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  random_types(me);
  cut(me);
}
