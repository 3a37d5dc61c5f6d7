// One-sided operations with the functions whose counts have type MPI_Count; windows.cc tests those with int.
#include <array>

#include "answers.h"

namespace {

// Windows of each of these functions have this many numbers.
constexpr std::size_t length = 24;
constexpr MPI_Aint bytes = length * sizeof(int), unit = sizeof(int);

// Every operation, to the next rank.
void operations(const Answers& me, MPI_Win win, const int* memory) {
  const int to = (me.rank + 1) % me.size;
  const std::vector<int> values = counting(4, 100 * me.rank), more{1000, 2000};
  std::array<int, 4> got{}, fetched{};
  MPI_Win_fence(0, win);
  MPI_Put_c(values.data(), 4, MPI_INT, to, 0, 4, MPI_INT, win);
  MPI_Accumulate_c(more.data(), 2, MPI_INT, to, 4, 2, MPI_INT, MPI_SUM, win);
  MPI_Win_fence(0, win);
  MPI_Get_c(got.data(), 4, MPI_INT, to, 2, 4, MPI_INT, win);
  MPI_Win_fence(0, win);
  MPI_Get_accumulate_c(more.data(), 2, MPI_INT, fetched.data(), 2, MPI_INT, to, 4, 2, MPI_INT, MPI_SUM, win);
  MPI_Win_fence(0, win);
  show("got", got.data(), got.size());
  show("fetched", fetched.data(), 2);
  show("memory", memory, length);
}

void with_requests(const Answers& me, MPI_Win win, const int* memory) {
  const int to = (me.rank + 1) % me.size;
  const std::vector<int> values = counting(4, 100 * me.rank + 7), more{10, 20, 30, 40};
  std::array<int, 4> got{}, fetched{};
  std::array<MPI_Request, 4> requests;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  MPI_Rput_c(values.data(), 4, MPI_INT, to, 8, 4, MPI_INT, win, &requests[0]);
  MPI_Rget_c(got.data(), 4, MPI_INT, to, 12, 4, MPI_INT, win, &requests[1]);
  MPI_Raccumulate_c(more.data(), 4, MPI_INT, to, 16, 4, MPI_INT, MPI_SUM, win, &requests[2]);
  MPI_Rget_accumulate_c(more.data(), 4, MPI_INT, fetched.data(), 4, MPI_INT, to, 20, 4, MPI_INT, MPI_MAX, win,
                        &requests[3]);
  MPI_Waitall(4, requests.data(), MPI_STATUSES_IGNORE);
  MPI_Win_flush_local_all(win);
  MPI_Win_flush_all(win);
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  show("got with a request", got.data(), got.size());
  show("fetched with a request", fetched.data(), fetched.size());
  MPI_Win_lock(MPI_LOCK_SHARED, me.rank, 0, win);
  show("memory after requests", memory, length);
  MPI_Win_unlock(me.rank, win);
  MPI_Barrier(MPI_COMM_WORLD);
}

void played(const char* how, const Answers& me, MPI_Win win, int* memory) {
  std::printf("%s\n", how);
  for (std::size_t i = 0; i < length; ++i) memory[i] = 50 * me.rank + static_cast<int>(i);
  operations(me, win, memory);
  with_requests(me, win, memory);
}

void attributes(MPI_Win win) {
  int key = MPI_KEYVAL_INVALID, value = 77, found = -1;
  int* seen = nullptr;
  const auto deleted = [](MPI_Win, int, void* of, void* extra) {
    std::printf("deleted: %d %d\n", *static_cast<int*>(of), *static_cast<int*>(extra));
    return MPI_SUCCESS;
  };
  static int extra = 5;
  MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, deleted, &key, &extra);
  MPI_Win_get_attr(win, key, &seen, &found);
  show("before", found);
  MPI_Win_set_attr(win, key, &value);
  MPI_Win_get_attr(win, key, &seen, &found);
  show("attribute", found ? *seen : -1);
  MPI_Win_free_keyval(&key);
}

}  // namespace

int main(int argc, char** argv) {
  const Answers me(&argc, &argv);
  std::array<int, length> own{};
  int* memory = own.data();
  MPI_Win win;
  MPI_Win_create_c(memory, bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  attributes(win);
  played("created", me, win, memory);
  MPI_Win_free(&win);
  MPI_Win_allocate_c(bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  played("allocated", me, win, memory);
  MPI_Win_free(&win);
  MPI_Win_allocate_shared_c(bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  played("shared", me, win, memory);
  MPI_Win_fence(0, win);
  for (int other = 0; other < me.size; ++other) {
    MPI_Aint size = -1, element = -1;
    int* theirs = nullptr;
    MPI_Win_shared_query_c(win, other, &size, &element, &theirs);
    show(numbered("memory of", other), theirs, static_cast<std::size_t>(size) / sizeof(int));
    show("unit", element);
  }
  MPI_Win_fence(0, win);
  MPI_Win_free(&win);
}
