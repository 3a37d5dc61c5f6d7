// Reductions: predefined and user-defined operations, pairs, derived types, in place, all roots, sizes around the
// thresholds.
#include <algorithm>
#include <tuple>

#include "answers.h"

namespace {

// 2 x 2 matrices modulo a prime: their product depends on the order.
struct Matrix {
  int a, b, c, d;
};

void multiply(void* in, void* inout, int* count, MPI_Datatype*) {
  const auto* x = static_cast<const Matrix*>(in);
  auto* y = static_cast<Matrix*>(inout);
  for (int i = 0; i < *count; ++i) {
    const auto f = [](long long v) { return static_cast<int>(v % 10007); };
    y[i] = {
        f(1LL * x[i].a * y[i].a + 1LL * x[i].b * y[i].c), f(1LL * x[i].a * y[i].b + 1LL * x[i].b * y[i].d),
        f(1LL * x[i].c * y[i].a + 1LL * x[i].d * y[i].c), f(1LL * x[i].c * y[i].b + 1LL * x[i].d * y[i].d)};
  }
}

// Elements of two numbers with a gap between them. Their extent is 24 bytes, and they begin 8 bytes before the address.
void combine_holes(void* in, void* inout, int* count, MPI_Datatype* type) {
  MPI_Aint lower, extent;
  MPI_Type_get_extent(*type, &lower, &extent);
  for (int i = 0; i < *count; ++i) {
    const auto* x = reinterpret_cast<const int*>(static_cast<char*>(in) + i * extent + lower);
    auto* y = reinterpret_cast<int*>(static_cast<char*>(inout) + i * extent + lower);
    y[0] = (x[0] * 3 + y[0]) % 10007;
    y[3] = x[3] + y[3];
  }
}

void predefined(const Answers& me) {
  const struct {
    const char* name;
    MPI_Op op;
  } ops[] = {{"sum", MPI_SUM}, {"prod", MPI_PROD}, {"max", MPI_MAX},   {"min", MPI_MIN}, {"land", MPI_LAND},
             {"lor", MPI_LOR}, {"lxor", MPI_LXOR}, {"band", MPI_BAND}, {"bor", MPI_BOR}, {"bxor", MPI_BXOR}};
  for (const auto& [name, op] : ops) {
    long long in[3] = {me.rank + 1, me.rank % 2, 6 - me.rank}, out[3] = {-1, -1, -1};
    MPI_Allreduce(in, out, 3, MPI_LONG_LONG, op, MPI_COMM_WORLD);
    show(name, out, 3);
  }
  for (const int count : {0, 1, 2, 3, 256, 257, 3000}) {
    std::vector<double> in(static_cast<std::size_t>(count)), out(in.size(), -1);
    for (int i = 0; i < count; ++i) in[static_cast<std::size_t>(i)] = (me.rank + 1) * (i % 100) * 0.25;
    MPI_Allreduce(in.data(), out.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    show(numbered("allreduce", count), out);
    MPI_Allreduce(MPI_IN_PLACE, in.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    show(numbered("allreduce in place", count), in);
    for (int root = 0; root < me.size; root += 2) {
      std::vector<double> sum(in.size(), -2), own = in;
      MPI_Reduce(in.data(), sum.data(), count, MPI_DOUBLE, MPI_SUM, root, MPI_COMM_WORLD);
      show(numbered("reduce", root), sum);
      if (root > 0 && count > 256) continue;  // MPICH 4.0.2 crashes
      MPI_Reduce(me.rank == root ? MPI_IN_PLACE : own.data(), own.data(), count, MPI_DOUBLE, MPI_MAX, root,
                 MPI_COMM_WORLD);
      show(numbered("reduce in place", root), own);
    }
  }
}

void pairs(const Answers& me) {
  struct {
    double value;
    int index;
  } in[4], out[4] = {};
  for (int i = 0; i < 4; ++i) in[i] = {static_cast<double>((me.rank * 3 + i) % 4), me.rank * 10 + i};
  for (const MPI_Op op : {MPI_MINLOC, MPI_MAXLOC}) {
    MPI_Allreduce(in, out, 4, MPI_DOUBLE_INT, op, MPI_COMM_WORLD);
    for (const auto& x : out) std::printf("double, int: %g at %d\n", x.value, x.index);
  }
  struct {
    short value;
    int index;
  } s = {static_cast<short>(7 - me.rank), me.rank}, least = {};
  MPI_Reduce(&s, &least, 1, MPI_SHORT_INT, MPI_MINLOC, me.size - 1, MPI_COMM_WORLD);
  std::printf("short, int: %d at %d\n", least.value, least.index);
  int p[2] = {5, me.rank}, best[2];
  MPI_Allreduce(p, best, 1, MPI_2INT, MPI_MINLOC, MPI_COMM_WORLD);
  std::printf("2 int: %d at %d\n", best[0], best[1]);
}

void own_operations(const Answers& me) {
  MPI_Datatype matrix, holes, spread;
  MPI_Op product, combination;
  MPI_Type_contiguous(4, MPI_INT, &matrix);
  MPI_Type_commit(&matrix);
  MPI_Op_create(&multiply, 0, &product);
  const int places[] = {-2, 1};
  MPI_Type_create_indexed_block(2, 1, places, MPI_INT, &holes);
  MPI_Type_create_resized(holes, -8, 24, &spread);
  MPI_Type_commit(&spread);
  MPI_Op_create(&combine_holes, 0, &combination);
  for (const int count : {1, 200}) {
    const auto n = static_cast<std::size_t>(count);
    std::vector<Matrix> in(n), out(n);
    for (int i = 0; i < count; ++i)
      in[static_cast<std::size_t>(i)] = {me.rank + 1, i + 2, 3, me.rank * i + 1};
    MPI_Allreduce(in.data(), out.data(), count, matrix, product, MPI_COMM_WORLD);
    show(numbered("product", count), &out[0].a, 4 * n);
    for (int root = 0; root < me.size; root += 2) {
      std::vector<Matrix> result(n);
      MPI_Reduce(in.data(), result.data(), count, matrix, product, root, MPI_COMM_WORLD);
      show(numbered("product at", root), &result[0].a, 4 * n);
    }
    std::vector<int> x = counting(6 * n, me.rank * 100), y(6 * n, -7);
    MPI_Allreduce(x.data() + 2, y.data() + 2, count, spread, combination, MPI_COMM_WORLD);
    show(numbered("with holes", count), y);
    MPI_Reduce(me.rank == 1 % me.size ? MPI_IN_PLACE : x.data() + 2, x.data() + 2, count, spread, combination,
               1 % me.size, MPI_COMM_WORLD);
    show(numbered("with holes in place", count), x);
  }
  MPI_Op_free(&product);
  MPI_Op_free(&combination);
  for (MPI_Datatype* type : {&matrix, &holes, &spread}) MPI_Type_free(type);
}

// Results to which only some ranks contribute, with an operation that does not commute.
void prefixes_and_parts(const Answers& me) {
  MPI_Datatype matrix;
  MPI_Op product;
  MPI_Type_contiguous(4, MPI_INT, &matrix);
  MPI_Type_commit(&matrix);
  MPI_Op_create(&multiply, 0, &product);
  for (const int count : {0, 1, 300}) {
    const auto n = static_cast<std::size_t>(count), ranks = static_cast<std::size_t>(me.size);
    std::vector<int> parts;
    for (int i = 0; i < me.size; ++i) parts.push_back(i == 1 ? 0 : count * (i + 1));
    const std::size_t all = n * ranks * (ranks + 1);
    std::vector<Matrix> in(all + 1);
    for (std::size_t i = 0; i < in.size(); ++i)
      in[i] = {me.rank + 1, static_cast<int>(i % 50), 3, me.rank * 2 + 1};
    const auto try_one = [&](const char* name, auto call) {
      std::vector<Matrix> out(all + 1, Matrix{-1, -2, -3, -4});
      call(in.data(), out.data());
      show(numbered(name, count), &out[0].a,
           4 * std::max<std::size_t>(n, parts[static_cast<std::size_t>(me.rank)]));
      out = in;
      call(MPI_IN_PLACE, out.data());
      show(numbered(name, count) + " in place", &out[0].a,
           4 * std::min<std::size_t>(n, parts[static_cast<std::size_t>(me.rank)]));
    };
    for (const auto& [type, op, factor] : {std::tuple{matrix, product, 1}, std::tuple{MPI_INT, MPI_SUM, 4}}) {
      std::vector<int> counts = parts;
      for (int& c : counts) c *= factor;
      const int k = count * factor;
      try_one("scan", [&](const void* x, void* y) { MPI_Scan(x, y, k, type, op, MPI_COMM_WORLD); });
      try_one("exscan", [&](const void* x, void* y) { MPI_Exscan(x, y, k, type, op, MPI_COMM_WORLD); });
      try_one("block",
              [&](const void* x, void* y) { MPI_Reduce_scatter_block(x, y, k, type, op, MPI_COMM_WORLD); });
      try_one("parts", [&](const void* x, void* y) {
        MPI_Reduce_scatter(x, y, counts.data(), type, op, MPI_COMM_WORLD);
      });
    }
  }
  MPI_Op_free(&product);
  MPI_Type_free(&matrix);
}

}  // namespace

int main(int argc, char** argv) {
  const Answers me(&argc, &argv);
  predefined(me);
  pairs(me);
  own_operations(me);
  prefixes_and_parts(me);
}
