// One-sided operations with all synchronizations: fences, groups, locks. The final contents of memory are shown.

#include <array>

#include "answers.h"

namespace {

struct Window {
  Window(void* base, MPI_Aint bytes, int unit) {
    MPI_Win_create(base, bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  }
  ~Window() { MPI_Win_free(&win); }
  MPI_Win win = MPI_WIN_NULL;
};

void fences(const Answers& a) {
  std::vector<int> memory(static_cast<std::size_t>(a.size) + 8, -1);
  Window w(memory.data(), static_cast<MPI_Aint>(memory.size() * sizeof(int)), sizeof(int));
  MPI_Win_fence(MPI_MODE_NOPRECEDE, w.win);
  const std::vector<int> values = counting(static_cast<std::size_t>(a.size), 100 * a.rank);
  for (int to = 0; to < a.size; ++to)
    MPI_Put(&values[static_cast<std::size_t>(to)], 1, MPI_INT, to, a.rank, 1, MPI_INT, w.win);
  MPI_Win_fence(0, w.win);
  show("put by all", memory);
  std::vector<int> seen(static_cast<std::size_t>(a.size));
  for (int from = 0; from < a.size; ++from)
    MPI_Get(&seen[static_cast<std::size_t>(from)], 1, MPI_INT, from, (a.rank + 1) % a.size, 1, MPI_INT,
            w.win);
  MPI_Win_fence(0, w.win);
  show("got", seen);
  const int more[] = {a.rank + 1, 1 << a.rank};
  for (int to = 0; to < a.size; ++to) {
    MPI_Accumulate(more, 1, MPI_INT, to, a.size, 1, MPI_INT, MPI_SUM, w.win);
    MPI_Accumulate(more + 1, 1, MPI_INT, to, a.size + 1, 1, MPI_INT, MPI_BXOR, w.win);
    MPI_Accumulate(more, 1, MPI_INT, to, a.size + 2, 1, MPI_INT, MPI_MAX, w.win);
  }
  MPI_Put(nullptr, 0, MPI_INT, 0, 0, 0, MPI_INT, w.win);
  MPI_Put(&seen[0], 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, w.win);
  MPI_Win_fence(0, w.win);
  int before = -1;
  MPI_Get_accumulate(more, 1, MPI_INT, &before, 1, MPI_INT, (a.rank + 1) % a.size, a.size + 2, 1, MPI_INT,
                     MPI_SUM, w.win);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, w.win);
  show("accumulated", memory);
  show("before that", before);
}

// Long operations, which use a handshake if they are messages.
void long_ones(const Answers& a) {
  constexpr std::size_t n = 20'000;
  std::vector<double> memory(2 * n, 1), values(n), seen(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = a.rank + static_cast<double>(i) / 4;
  Window w(memory.data(), static_cast<MPI_Aint>(memory.size() * sizeof(double)), 1);
  const int next = (a.rank + 1) % a.size;
  MPI_Win_fence(0, w.win);
  MPI_Put(values.data(), n, MPI_DOUBLE, next, 0, n, MPI_DOUBLE, w.win);
  MPI_Accumulate(values.data(), n, MPI_DOUBLE, next, n * sizeof(double), n, MPI_DOUBLE, MPI_PROD, w.win);
  MPI_Win_fence(0, w.win);
  MPI_Get(seen.data(), n, MPI_DOUBLE, next, 0, n, MPI_DOUBLE, w.win);
  MPI_Win_fence(0, w.win);
  show("long ones", memory);
  show("long ones that were read", seen);
}

void locks(const Answers& a) {
  std::array<long, 8> memory{};
  Window w(memory.data(), sizeof memory, sizeof(long));
  MPI_Barrier(MPI_COMM_WORLD);
  long one = 1, before = -1, sum = 0;
  for (int i = 0; i < 20; ++i) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, w.win);
    MPI_Get(&before, 1, MPI_LONG, 0, 0, 1, MPI_LONG, w.win);
    MPI_Win_flush(0, w.win);
    const long after = before + 1;
    MPI_Put(&after, 1, MPI_LONG, 0, 0, 1, MPI_LONG, w.win);
    MPI_Win_unlock(0, w.win);
  }
  MPI_Win_lock_all(0, w.win);
  for (int i = 0; i < 20; ++i) {
    MPI_Fetch_and_op(&one, &before, MPI_LONG, i % a.size, 1, MPI_SUM, w.win);
    MPI_Win_flush(i % a.size, w.win);
    sum += before;
  }
  MPI_Win_unlock_all(w.win);
  MPI_Barrier(MPI_COMM_WORLD);
  long all = 0;
  MPI_Allreduce(&sum, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  show("what all fetched", all);
  MPI_Win_lock(MPI_LOCK_SHARED, a.rank, 0, w.win);
  show("counted", memory.data(), memory.size());
  MPI_Win_unlock(a.rank, w.win);
}

// Each rank takes a spin lock by compare and swap.
void swaps(const Answers& a) {
  std::array<int, 2> memory{};
  Window w(memory.data(), sizeof memory, sizeof(int));
  MPI_Barrier(MPI_COMM_WORLD);
  const int free = 0, own = a.rank + 1;
  int found = -1;
  MPI_Win_lock_all(0, w.win);
  for (int i = 0; i < 5; ++i) {
    do {
      MPI_Compare_and_swap(&own, &free, &found, MPI_INT, 0, 0, w.win);
      MPI_Win_flush(0, w.win);
    } while (found != free);
    int value = 0;
    MPI_Get(&value, 1, MPI_INT, 0, 1, 1, MPI_INT, w.win);
    MPI_Win_flush(0, w.win);
    ++value;
    MPI_Put(&value, 1, MPI_INT, 0, 1, 1, MPI_INT, w.win);
    MPI_Win_flush(0, w.win);
    MPI_Accumulate(&free, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_REPLACE, w.win);
    MPI_Win_flush(0, w.win);
  }
  MPI_Win_unlock_all(w.win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (a.rank == 0) show("under a spin lock", memory.data(), memory.size());
}

void groups(const Answers& a) {
  std::vector<int> memory(static_cast<std::size_t>(2 * a.size), -1);
  Window w(memory.data(), static_cast<MPI_Aint>(memory.size() * sizeof(int)), sizeof(int));
  MPI_Group world, left, right;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  const int before = (a.rank + a.size - 1) % a.size, after = (a.rank + 1) % a.size;
  MPI_Group_incl(world, 1, &before, &left);
  MPI_Group_incl(world, 1, &after, &right);
  for (int round = 0; round < 3; ++round) {
    MPI_Win_post(left, 0, w.win);
    MPI_Win_start(right, 0, w.win);
    const int value = 10 * a.rank + round;
    int seen = -1;
    MPI_Put(&value, 1, MPI_INT, after, round % 2, 1, MPI_INT, w.win);
    MPI_Get(&seen, 1, MPI_INT, after, a.size, 1, MPI_INT, w.win);
    MPI_Win_complete(w.win);
    if (round == 1) {
      int done = 0;
      while (!done) MPI_Win_test(w.win, &done);
    } else {
      MPI_Win_wait(w.win);
    }
    show("seen", seen);
    show("after a round of groups", memory);
    memory[static_cast<std::size_t>(a.size)] = round;
  }
  for (MPI_Group* group : {&world, &left, &right}) MPI_Group_free(group);
}

void requests(const Answers& a) {
  std::array<int, 16> memory{};
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = 100 * a.rank + static_cast<int>(i);
  Window w(memory.data(), sizeof memory, sizeof(int));
  MPI_Barrier(MPI_COMM_WORLD);
  const int to = (a.rank + 1) % a.size;
  int got[4] = {}, fetched = -1, put = 7 + a.rank, more = 1000;
  MPI_Request all[4];
  MPI_Win_lock_all(0, w.win);
  MPI_Rget(got, 4, MPI_INT, to, 4, 4, MPI_INT, w.win, &all[0]);
  MPI_Rput(&put, 1, MPI_INT, to, 0, 1, MPI_INT, w.win, &all[1]);
  MPI_Raccumulate(&more, 1, MPI_INT, to, 1, 1, MPI_INT, MPI_SUM, w.win, &all[2]);
  MPI_Rget_accumulate(&more, 1, MPI_INT, &fetched, 1, MPI_INT, to, 2, 1, MPI_INT, MPI_SUM, w.win, &all[3]);
  int done = 0;
  while (!done) MPI_Test(&all[0], &done, MPI_STATUS_IGNORE);
  MPI_Waitall(3, all + 1, MPI_STATUSES_IGNORE);
  show("got with a request", got, 4);
  show("fetched with a request", fetched);
  MPI_Win_unlock_all(w.win);
  MPI_Barrier(MPI_COMM_WORLD);
  show("after requests", memory.data(), memory.size());
}

// Derived datatypes on both sides, and pairs, whose elements have gaps.
void datatypes(const Answers& a) {
  std::array<int, 64> memory{};
  Window w(memory.data(), sizeof memory, sizeof(int));
  MPI_Datatype column, triangle, pieces;
  MPI_Type_vector(4, 1, 8, MPI_INT, &column);
  const int lengths[] = {3, 2, 1}, places[] = {0, 9, 18};
  MPI_Type_indexed(3, lengths, places, MPI_INT, &triangle);
  const MPI_Aint offsets[] = {4, 12, 40};
  MPI_Type_create_hindexed_block(3, 1, offsets, MPI_INT, &pieces);
  for (MPI_Datatype* type : {&column, &triangle, &pieces}) MPI_Type_commit(type);
  const std::vector<int> values = counting(64, 1000 * (a.rank + 1));
  std::array<int, 64> seen{};
  const int to = (a.rank + 1) % a.size;
  MPI_Win_fence(0, w.win);
  MPI_Put(values.data(), 4, MPI_INT, to, 1, 1, column, w.win);
  MPI_Put(values.data(), 1, triangle, to, 30, 6, MPI_INT, w.win);
  MPI_Win_fence(0, w.win);
  // No rank accumulates before all have read and all gets are complete.
  MPI_Get(seen.data(), 1, triangle, to, 0, 2, pieces, w.win);
  show("put by columns", memory.data(), memory.size());
  MPI_Win_fence(0, w.win);
  MPI_Accumulate(values.data(), 1, pieces, to, 40, 3, MPI_INT, MPI_SUM, w.win);
  MPI_Accumulate(values.data(), 8, MPI_INT, to, 2, 2, column, MPI_SUM, w.win);
  MPI_Win_fence(0, w.win);
  show("got by triangles", seen.data(), seen.size());
  show("accumulated by pieces", memory.data(), memory.size());
  for (MPI_Datatype* type : {&column, &triangle, &pieces}) MPI_Type_free(type);
}

void pairs(const Answers& a) {
  struct Pair {
    double value;
    int place;
  };
  std::array<Pair, 3> memory{};
  Window w(memory.data(), sizeof memory, sizeof(Pair));
  MPI_Win_fence(0, w.win);
  const Pair own[2] = {{(a.rank * 7) % 5 + 1.0, a.rank}, {1.0 - a.rank, a.rank}};
  MPI_Accumulate(own, 2, MPI_DOUBLE_INT, 0, 0, 2, MPI_DOUBLE_INT, MPI_MAXLOC, w.win);
  MPI_Win_fence(0, w.win);
  if (a.rank != 0) return;
  for (const Pair& pair : memory) std::printf("pair: %g %d\n", pair.value, pair.place);
}

void allocated(const Answers& a) {
  int* memory = nullptr;
  MPI_Win win;
  MPI_Win_allocate(8 * static_cast<MPI_Aint>(sizeof(int)), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD,
                   &memory, &win);
  for (int i = 0; i < 8; ++i) memory[i] = a.rank;
  void *base = nullptr, *flavor = nullptr, *size = nullptr, *unit = nullptr;
  int found[4];
  MPI_Win_get_attr(win, MPI_WIN_BASE, &base, &found[0]);
  MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &flavor, &found[1]);
  MPI_Win_get_attr(win, MPI_WIN_SIZE, &size, &found[2]);
  MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &unit, &found[3]);
  show("attributes found", found, 4);
  show("its own memory", base == memory);
  show("flavour", *static_cast<int*>(flavor));
  show("size", *static_cast<MPI_Aint*>(size));
  show("unit", *static_cast<int*>(unit));
  char name[MPI_MAX_OBJECT_NAME] = "";
  int length = 0;
  MPI_Win_set_name(win, "a name");
  MPI_Win_get_name(win, name, &length);
  std::printf("name: %s %d\n", name, length);
  MPI_Group group;
  int members = 0, own = -1;
  MPI_Win_get_group(win, &group);
  MPI_Group_size(group, &members);
  MPI_Group_rank(group, &own);
  show("group", members * 100 + own);
  MPI_Group_free(&group);
  MPI_Win_fence(0, win);
  const int value = 50 + a.rank;
  MPI_Put(&value, 1, MPI_INT, (a.rank + 1) % a.size, 3, 1, MPI_INT, win);
  MPI_Win_fence(0, win);
  show("allocated", memory, 8);
  MPI_Win_free(&win);
  show("no window", win == MPI_WIN_NULL);
}

void shared(const Answers& a) {
  int* memory = nullptr;
  MPI_Win win;
  MPI_Win_allocate_shared(4 * static_cast<MPI_Aint>(sizeof(int)) * (a.rank + 1), sizeof(int), MPI_INFO_NULL,
                          MPI_COMM_WORLD, &memory, &win);
  for (int i = 0; i < 4 * (a.rank + 1); ++i) memory[i] = 1000 * a.rank + i;
  MPI_Win_fence(0, win);
  for (int other = 0; other < a.size; ++other) {
    MPI_Aint bytes = 0;
    int unit = 0, *theirs = nullptr;
    MPI_Win_shared_query(win, other, &bytes, &unit, &theirs);
    show(numbered("memory of", other), theirs, static_cast<std::size_t>(bytes) / sizeof(int));
    show("unit", unit);
  }
  MPI_Win_fence(0, win);
  const int value = -5;
  MPI_Put(&value, 1, MPI_INT, (a.rank + 1) % a.size, 2, 1, MPI_INT, win);
  MPI_Win_fence(0, win);
  show("shared", memory, 4);
  MPI_Win_free(&win);
}

// Every second rank has no memory in the window.
void shared_in_part(const Answers& a) {
  int* memory = nullptr;
  MPI_Win win;
  MPI_Win_allocate_shared(a.rank % 2 == 0 ? 8 : 0, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  show("of its own", memory != nullptr);
  for (int other = 0; other < a.size; ++other) {
    MPI_Aint bytes = -1;
    int unit = -1, *theirs = nullptr;
    MPI_Win_shared_query(win, other, &bytes, &unit, &theirs);
    show("of another", std::vector<long long>{bytes, theirs != nullptr});
  }
  MPI_Win_free(&win);
}

void dynamic(const Answers& a) {
  std::array<int, 4> memory{};
  MPI_Win win;
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_attach(win, memory.data(), sizeof memory);
  MPI_Aint own;
  MPI_Get_address(memory.data(), &own);
  std::vector<MPI_Aint> all(static_cast<std::size_t>(a.size));
  MPI_Allgather(&own, 1, MPI_AINT, all.data(), 1, MPI_AINT, MPI_COMM_WORLD);
  const int to = (a.rank + 1) % a.size, value = 9 + a.rank;
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, to, 0, win);
  MPI_Put(&value, 1, MPI_INT, to, MPI_Aint_add(all[static_cast<std::size_t>(to)], 8), 1, MPI_INT, win);
  MPI_Win_unlock(to, win);
  MPI_Barrier(MPI_COMM_WORLD);
  show("attached", memory.data(), memory.size());
  MPI_Win_detach(win, memory.data());
  MPI_Win_free(&win);
}

}  // namespace

int main(int argc, char** argv) {
  const Answers a(&argc, &argv);
  fences(a);
  long_ones(a);
  locks(a);
  swaps(a);
  groups(a);
  requests(a);
  datatypes(a);
  pairs(a);
  allocated(a);
  shared(a);
  shared_in_part(a);
  dynamic(a);
}
