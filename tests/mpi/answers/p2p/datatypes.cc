// Derived datatypes: every constructor, different types on both sides, and messages that end inside an element.
#include <sys/mman.h>

#include "answers.h"

namespace {

// Sends `count` of `send_type` from 0 to 1, received as `receive_count` of `receive_type`.
void exchange(const Answers& me, const char* name, int count, MPI_Datatype send_type, int receive_count,
              MPI_Datatype receive_type, MPI_Aint origin = 0) {
  std::vector<int> memory = me.rank == 0 ? counting(120, 1000) : counting(120, -500);
  char* at = reinterpret_cast<char*>(memory.data()) + origin;
  if (me.rank == 0) MPI_Send(at, count, send_type, 1, 3, MPI_COMM_WORLD);
  if (me.rank != 1) return;
  MPI_Status status;
  MPI_Recv(at, receive_count, receive_type, 0, 3, MPI_COMM_WORLD, &status);
  show(name, memory);
  show(numbered("  from", memory[0]), memory.data(), 40);
  show(name, status, receive_type);
}

// Both directions: with the datatype on one side, and plain numbers on the other.
void try_type(const Answers& me, const char* name, MPI_Datatype type, MPI_Aint origin = 0) {
  MPI_Type_commit(&type);
  int size;
  MPI_Type_size(type, &size);
  const int numbers = size / static_cast<int>(sizeof(int));
  exchange(me, name, 3, type, 3, type, origin);
  exchange(me, name, 2, type, 2 * numbers, MPI_INT, origin);
  exchange(me, name, 2 * numbers, MPI_INT, 2, type, origin);
  exchange(me, name, 1, type, 3, type, origin);               // fewer elements than there is room for
  exchange(me, name, numbers + 1, MPI_INT, 3, type, origin);  // ends within the second element
  exchange(me, name, numbers - 1, MPI_INT, 3, type, origin);  // ends within the first
  exchange(me, name, 0, type, 3, type, origin);
  MPI_Type_free(&type);
}

void constructors(const Answers& me) {
  MPI_Datatype type, inner;
  MPI_Type_contiguous(3, MPI_INT, &type);
  try_type(me, "contiguous", type);
  MPI_Type_vector(3, 2, 5, MPI_INT, &type);
  try_type(me, "vector", type);
  MPI_Type_vector(3, 1, -2, MPI_INT, &type);
  try_type(me, "vector backwards", type, 60);
  MPI_Type_create_hvector(2, 3, 20, MPI_INT, &type);
  try_type(me, "hvector", type);
  const int lengths[] = {2, 1, 3}, places[] = {7, 0, 2};
  MPI_Type_indexed(3, lengths, places, MPI_INT, &type);
  try_type(me, "indexed", type);
  MPI_Type_create_indexed_block(3, 2, places, MPI_INT, &type);
  try_type(me, "indexed block", type);
  const int sizes[] = {4, 5}, subsizes[] = {2, 3}, starts[] = {1, 2};
  MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_C, MPI_INT, &type);
  try_type(me, "subarray", type);
  MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_FORTRAN, MPI_INT, &type);
  try_type(me, "subarray by columns", type);
  MPI_Type_vector(2, 1, 3, MPI_INT, &inner);
  MPI_Type_create_resized(inner, -8, 32, &type);
  try_type(me, "negative lower bound", type, 16);
  MPI_Type_create_resized(inner, 0, 4, &type);
  try_type(me, "interleaved", type);
  MPI_Type_contiguous(2, inner, &type);
  try_type(me, "nested", type);
  MPI_Type_free(&inner);
  MPI_Type_dup(MPI_INT, &type);
  try_type(me, "dup", type);
}

struct Record {
  char letter;
  double value;
  int numbers[3];
  char tail[5];
};

// The order of fields in the message differs from their order in memory.
void permuted_struct(const Answers& me) {
  Record r[3] = {};
  for (int i = 0; i < 3; ++i) r[i] = {char('a' + i), me.rank + i / 4.0, {i, i + 10, me.rank}, "text"};
  const int lengths[] = {3, 1, 5, 1};
  const MPI_Aint places[] = {offsetof(Record, numbers), offsetof(Record, letter), offsetof(Record, tail),
                             offsetof(Record, value)};
  const MPI_Datatype types[] = {MPI_INT, MPI_CHAR, MPI_CHAR, MPI_DOUBLE};
  MPI_Datatype fields, record;
  MPI_Type_create_struct(4, lengths, places, types, &fields);
  MPI_Type_create_resized(fields, 0, sizeof(Record), &record);
  MPI_Type_commit(&record);
  if (me.rank == 0) MPI_Send(r, 2, record, 1, 0, MPI_COMM_WORLD);
  if (me.rank == 1) {
    MPI_Status status;
    MPI_Recv(r, 3, record, 0, 0, MPI_COMM_WORLD, &status);
    show("records", status, record);
    for (const Record& x : r)
      std::printf("record %c %g %d %d %d %s\n", x.letter, x.value, x.numbers[0], x.numbers[1], x.numbers[2],
                  x.tail);
  }
  MPI_Type_free(&record);
  MPI_Type_free(&fields);
}

// MPI_BOTTOM: the datatype holds the addresses.
void absolute(const Answers& me) {
  int a = me.rank == 0 ? 17 : -1;
  double b[2] = {me.rank == 0 ? 2.5 : 0, me.rank == 0 ? 3.5 : 0};
  MPI_Aint places[2];
  MPI_Get_address(&a, &places[0]);
  MPI_Get_address(b, &places[1]);
  show("address difference is kept", MPI_Aint_diff(MPI_Aint_add(places[0], 24), places[0]));
  const int lengths[] = {1, 2};
  const MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE};
  MPI_Datatype type;
  MPI_Type_create_struct(2, lengths, places, types, &type);
  MPI_Type_commit(&type);
  if (me.rank == 0) MPI_Send(MPI_BOTTOM, 1, type, 1, 0, MPI_COMM_WORLD);
  if (me.rank == 1) MPI_Recv(MPI_BOTTOM, 1, type, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  show("point to point, bottom", a);
  a += me.rank == 0 ? 100 : 0;
  MPI_Bcast(MPI_BOTTOM, 1, type, 0, MPI_COMM_WORLD);
  show("broadcast, bottom", a);
  show("broadcast, bottom", b, 2);
  MPI_Type_free(&type);
}

// A datatype may be freed, and its handle reused, while a message that uses it is in transit.
void freed_early(const Answers& me) {
  std::vector<int> memory = me.rank == 0 ? counting(64, 1) : std::vector<int>(64, 0);
  MPI_Datatype type, other;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Type_vector(8, 1, 3, MPI_INT, &type);
  MPI_Type_commit(&type);
  if (me.rank == 1) MPI_Irecv(memory.data(), 2, type, 0, 0, MPI_COMM_WORLD, &request);
  if (me.rank == 0) MPI_Issend(memory.data(), 2, type, 1, 0, MPI_COMM_WORLD, &request);
  MPI_Type_free(&type);
  MPI_Type_vector(16, 1, 2, MPI_SHORT, &other);
  MPI_Type_commit(&other);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  show("freed early", memory);
  show("freed early", memory.data(), 30);
  MPI_Type_free(&other);
}

// Memory of which only the accessed pages exist.
class Pages {
 public:
  explicit Pages(std::size_t bytes)
      : bytes_(bytes),
        address_(static_cast<char*>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))) {}
  ~Pages() { munmap(address_, bytes_); }
  Pages(const Pages&) = delete;
  int* at(std::size_t offset) const { return reinterpret_cast<int*>(address_ + offset); }
  void forbid(std::size_t from) const { mprotect(address_ + from, bytes_ - from, PROT_NONE); }

 private:
  std::size_t bytes_;
  char* address_;
};

// After a message that ends inside an element, memory behind its end is not accessed, not even to rewrite it.
void nothing_behind(const Answers& me) {
  constexpr int page = 4096;
  const Pages pages(8 * page);
  const int lengths[] = {2, 3}, places[] = {0, page / 4};
  MPI_Datatype type;
  MPI_Type_indexed(2, lengths, places, MPI_INT, &type);
  MPI_Type_commit(&type);
  const std::vector<int> numbers = counting(10, 1);
  if (me.rank == 0)
    for (int n = 1; n <= 2; ++n) MPI_Send(numbers.data(), n, MPI_INT, 1, 0, MPI_COMM_WORLD);
  if (me.rank == 1) {
    pages.forbid(page);
    for (int n = 1; n <= 2; ++n) {
      MPI_Status status;
      MPI_Recv(pages.at(0), 1, type, 0, 0, MPI_COMM_WORLD, &status);
      show(numbered("the front of an element", n), pages.at(0), 4);
      show("  its status", status, type);
    }
  }
  MPI_Type_free(&type);
}

// Elements whose distance exceeds the range of an int.
void far_apart(const Answers& me) {
  constexpr std::size_t far = std::size_t{3} << 28;
  const Pages pages(4 * far);
  MPI_Datatype type;
  MPI_Type_create_resized(MPI_INT, 0, far, &type);
  MPI_Type_commit(&type);
  for (std::size_t i = 0; i < 4; ++i) *pages.at(i * far) = static_cast<int>(i) + 10 * me.rank;
  const int other = 1 - me.rank;
  MPI_Sendrecv_replace(pages.at(0), 4, type, other, 0, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (std::size_t i = 0; i < 4; ++i) show("far apart, replaced", *pages.at(i * far));
  MPI_Bcast(pages.at(0), 4, type, 1, MPI_COMM_WORLD);
  for (std::size_t i = 0; i < 4; ++i) show("far apart, from rank 1", *pages.at(i * far));
  MPI_Type_free(&type);
}

// With more than a thousand datatypes, MPICH packs too few bytes of some that were created after others were freed. So
// there must not be a datatype for each message in transit.
void many_under_way(const Answers& me) {
  constexpr int slots = 4000, steps = 16000, parts = 8, most = 50;
  MPI_Datatype pair;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  std::vector<std::vector<int>> memory(slots, counting(2 * most, 0));
  std::vector<MPI_Request> requests(slots, MPI_REQUEST_NULL);
  std::vector<bool> waits(slots, false);
  unsigned random = 1;
  std::vector<int> sum(2 * most, 0);
  for (int step = 0; step < steps + slots; ++step) {
    random = random * 1103515245 + 12345;
    const int slot = step < steps ? static_cast<int>(random >> 16) % slots : step - steps;
    const int count = 1 + slot % (most - 1);
    const auto at = static_cast<std::size_t>(slot);
    if (step == steps) MPI_Type_free(&pair);
    if (step < steps && !waits[at]) {
      waits[at] = true;
      if (me.rank != 0) continue;
      memory[at] = counting(2 * most, step + slot);
      MPI_Isend(memory[at].data(), count, pair, 1, slot, MPI_COMM_WORLD, &requests[at]);
    } else if (waits[at]) {
      waits[at] = false;
      if (me.rank == 0) MPI_Wait(&requests[at], MPI_STATUS_IGNORE);
      if (me.rank != 1) continue;
      MPI_Recv(memory[at].data(), 2 * count, MPI_INT, 0, slot, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += memory[at][k];
    }
    if (me.rank == 1 && step % (steps / parts) == 0) show(numbered("many under way", step), sum);
  }
  if (me.rank == 1) show("many under way", sum);
}

template <class T>
void predefined(const Answers& me, const char* name, MPI_Datatype type) {
  std::vector<T> values(5);
  for (int i = 0; i < 5; ++i)
    values[static_cast<std::size_t>(i)] = static_cast<T>(me.rank == 0 ? i * 7 + 1 : 0);
  if (me.rank == 0) MPI_Send(values.data(), 4, type, 1, 0, MPI_COMM_WORLD);
  if (me.rank != 1) return;
  MPI_Status status;
  MPI_Recv(values.data(), 5, type, 0, 0, MPI_COMM_WORLD, &status);
  show(name, values);
  show(name, status, type);
}

}  // namespace

int main(int argc, char** argv) {
  const Answers me(&argc, &argv);
  predefined<char>(me, "char", MPI_CHAR);
  predefined<signed char>(me, "signed char", MPI_SIGNED_CHAR);
  predefined<unsigned short>(me, "unsigned short", MPI_UNSIGNED_SHORT);
  predefined<long>(me, "long", MPI_LONG);
  predefined<unsigned long long>(me, "unsigned long long", MPI_UNSIGNED_LONG_LONG);
  predefined<float>(me, "float", MPI_FLOAT);
  predefined<long double>(me, "long double", MPI_LONG_DOUBLE);
  predefined<std::int8_t>(me, "int8", MPI_INT8_T);
  predefined<std::uint64_t>(me, "uint64", MPI_UINT64_T);
  predefined<wchar_t>(me, "wchar", MPI_WCHAR);
  predefined<unsigned char>(me, "bool", MPI_CXX_BOOL);
  predefined<MPI_Aint>(me, "aint", MPI_AINT);
  predefined<unsigned char>(me, "byte", MPI_BYTE);
  constructors(me);
  nothing_behind(me);
  far_apart(me);
  permuted_struct(me);
  absolute(me);
  freed_early(me);
  many_under_way(me);
}
