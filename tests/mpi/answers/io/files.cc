// Files: their contents after accesses, and the data that ranks read, with every pointer, view
// and kind of access. Files that remain in the folder of the results are compared byte by byte.
#include "files.h"

#include "answers.h"

namespace {

// Individual pointers and explicit offsets, each rank in its own part.
void by_pointer(const Answers& me) {
  const int part = 100;
  auto mine = counting<int>(part, 1000 * me.rank);
  std::vector<int> got(part, -1);
  MPI_Status status;
  MPI_Offset position = -1, place = -1, size = -1;
  MPI_File file = opened("pointers", MPI_MODE_CREATE | MPI_MODE_RDWR);
  MPI_File_write_at(file, MPI_Offset{4} * part * me.rank, mine.data(), part, MPI_INT, &status);
  show("written at", status);
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_get_size(file, &size);
  show("size", size);
  MPI_File_seek(file, MPI_Offset{4} * part * ((me.rank + 1) % me.size), MPI_SEEK_SET);
  MPI_File_read(file, got.data(), part / 2, MPI_INT, &status);
  show("read", status);
  MPI_File_seek(file, 40, MPI_SEEK_CUR);
  MPI_File_read(file, got.data() + part / 2, part / 4, MPI_INT, &status);
  show("got", got);
  MPI_File_get_position(file, &position);
  show("position", position);
  MPI_File_get_byte_offset(file, 17, &place);
  show("byte offset", place);
  MPI_File_seek(file, -8, MPI_SEEK_END);
  MPI_File_read(file, got.data(), part, MPI_INT, &status);
  show("at the end", got.data(), 2);
  MPI_File_get_position(file, &position);
  show("position at the end", position);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_seek(file, 12 * me.rank, MPI_SEEK_SET);
  MPI_File_write(file, mine.data(), 3, MPI_INT, &status);
  MPI_File_read_at(file, 12 * me.rank, got.data(), 0, MPI_INT, &status);
  show("nothing", status);
  MPI_File_close(&file);
  show("closed", file == MPI_FILE_NULL);
}

// Every second block of a vector, blocks of a matrix, elements with holes.
void by_views(const Answers& me) {
  const int n = 12;
  MPI_File file = opened("views", MPI_MODE_CREATE | MPI_MODE_RDWR);
  MPI_File_set_size(file, 32768);
  MPI_Datatype stripes, block, holes;
  MPI_Type_vector(5, 3, 3 * me.size, MPI_DOUBLE, &stripes);
  MPI_Type_commit(&stripes);
  auto numbers = counting<double>(2 * 15, 100 * me.rank);
  std::vector<double> got(30, -1);
  MPI_Status status;
  MPI_File_set_view(file, 24 * me.rank, MPI_DOUBLE, stripes, "native", MPI_INFO_NULL);
  MPI_File_write_all(file, numbers.data(), 15, MPI_DOUBLE, &status);
  show("stripes", status);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_read_at_all(file, 3, got.data(), 9, MPI_DOUBLE, &status);
  show("stripes read", got);
  const int sizes[] = {n, 4 * me.size}, parts[] = {n, 4}, starts[] = {0, 4 * me.rank};
  MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_INT, &block);
  MPI_Type_commit(&block);
  const auto rows = counting<int>(4 * n, 1000 * (me.rank + 1));
  MPI_File_set_view(file, 4096, MPI_INT, block, "native", MPI_INFO_NULL);
  MPI_File_write_all(file, rows.data(), 4 * n, MPI_INT, &status);
  std::vector<int> back(4 * n);
  MPI_File_read_at(file, 0, back.data(), 4 * n, MPI_INT, &status);
  show("block", back);
  const int lengths[] = {1, 2};
  const MPI_Aint places[] = {0, 16};
  const MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE};
  MPI_Type_create_struct(2, lengths, places, types, &holes);
  MPI_Type_commit(&holes);
  struct Element {
    int i, unused[3];
    double d[2];
  } elements[3] = {}, read[3] = {};
  for (int i = 0; i < 3; ++i) elements[i] = {me.rank + i, {7, 7, 7}, {me.rank * 1.5, i * 2.5}};
  MPI_File_set_view(file, 16384 + 1024 * me.rank, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
  MPI_File_write(file, elements, 3, holes, &status);
  show("holes in memory", status);
  MPI_File_set_view(file, 16384 + 1024 * me.rank + 512, holes, holes, "native", MPI_INFO_NULL);
  MPI_File_write(file, elements, 3, holes, &status);
  MPI_File_seek(file, 1, MPI_SEEK_SET);
  MPI_File_read(file, read, 2, holes, &status);
  for (const Element& e : read) show("holes in the file", std::vector<double>{1.0 * e.i, e.d[0], e.d[1]});
  MPI_Offset displacement = 0;
  MPI_Datatype etype, filetype;
  char representation[MPI_MAX_DATAREP_STRING] = "";
  MPI_File_get_view(file, &displacement, &etype, &filetype, representation);
  std::printf("view: %lld %s\n", static_cast<long long>(displacement), representation);
  for (MPI_Datatype* type : {&stripes, &block, &holes, &etype, &filetype}) MPI_Type_free(type);
  MPI_File_close(&file);
}

void in_external32(const Answers& me) {
  MPI_File file = opened("external32", MPI_MODE_CREATE | MPI_MODE_RDWR);
  MPI_Status status;
  MPI_Aint extent = -1;
  const auto numbers = counting<double>(10, 10 * me.rank);
  std::vector<double> got(10);
  MPI_File_set_view(file, 80 * me.rank, MPI_DOUBLE, MPI_DOUBLE, "external32", MPI_INFO_NULL);
  MPI_File_get_type_extent(file, MPI_LONG, &extent);
  show("extent", extent);
  MPI_File_write(file, numbers.data(), 10, MPI_DOUBLE, &status);
  MPI_File_read_at(file, 2, got.data(), 8, MPI_DOUBLE, &status);
  show("external32", got);
  MPI_File_close(&file);
}

// Requests, alone and together, and split collective operations.
void in_the_background(const Answers& me) {
  MPI_File file = opened("background", MPI_MODE_CREATE | MPI_MODE_RDWR);
  const int part = 50;
  const MPI_Offset base = MPI_Offset{4} * part * 5 * me.rank;
  auto mine = counting<int>(5 * part, 10000 * me.rank);
  MPI_Request requests[4];
  MPI_Status statuses[4], status;
  MPI_File_iwrite_at(file, base, mine.data(), part, MPI_INT, &requests[0]);
  MPI_File_iwrite_at_all(file, base + 4 * part, mine.data() + part, part, MPI_INT, &requests[1]);
  MPI_File_seek(file, base + 8 * part, MPI_SEEK_SET);
  MPI_File_iwrite(file, mine.data() + 2 * part, part, MPI_INT, &requests[2]);
  MPI_File_iwrite_all(file, mine.data() + 3 * part, part, MPI_INT, &requests[3]);
  MPI_Waitall(4, requests, statuses);
  for (const MPI_Status& s : statuses) show("written in the background", s);
  MPI_File_write_at_all_begin(file, base + 16 * part, mine.data() + 4 * part, part, MPI_INT);
  MPI_File_write_at_all_end(file, mine.data() + 4 * part, &status);
  show("written in two halves", status);
  MPI_Barrier(MPI_COMM_WORLD);
  const MPI_Offset other = MPI_Offset{4} * part * 5 * ((me.rank + 1) % me.size);
  std::vector<int> got(5 * part, -1);
  MPI_File_seek(file, other, MPI_SEEK_SET);
  MPI_File_iread_all(file, got.data(), part, MPI_INT, &requests[0]);
  MPI_File_iread(file, got.data() + part, part, MPI_INT, &requests[1]);
  // ROMIO confuses two concurrent collective reads of a file.
  MPI_Wait(&requests[0], &status);
  MPI_File_iread_at_all(file, other + 8 * part, got.data() + 2 * part, part, MPI_INT, &requests[2]);
  MPI_File_iread_at(file, other + 12 * part, got.data() + 3 * part, part, MPI_INT, &requests[3]);
  for (int left = 3, at; left > 0; --left) MPI_Waitany(4, requests, &at, &status);
  MPI_File_seek(file, other + 16 * part, MPI_SEEK_SET);
  MPI_File_read_all_begin(file, got.data() + 4 * part, part, MPI_INT);
  MPI_File_read_all_end(file, got.data() + 4 * part, &status);
  show("read in two halves", status);
  for (int i = 0; i < 5; ++i) show(numbered("background", i), got.data() + part * i, 2);
  show("background", got);
  int flag = 0;
  MPI_File_iread_at(file, base, got.data(), 1, MPI_INT, &requests[0]);
  while (!flag) MPI_Test(&requests[0], &flag, &status);
  show("tested", status);
  MPI_File_iwrite_at(file, base, mine.data(), 1, MPI_INT, &requests[0]);
  MPI_Request_free(&requests[0]);
  MPI_File_close(&file);
}

// With the shared pointer, in the order of the ranks.
void in_order(const Answers& me) {
  MPI_File file = opened("ordered", MPI_MODE_CREATE | MPI_MODE_RDWR);
  MPI_Offset position = -1;
  MPI_Status status;
  auto mine = counting<int>(40, 100 * me.rank);
  MPI_File_set_view(file, 8, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  MPI_File_write_ordered(file, mine.data(), 3 + me.rank, MPI_INT, &status);
  show("ordered", status);
  MPI_File_write_ordered(file, mine.data() + 10, me.rank % 2, MPI_INT, &status);
  MPI_File_write_ordered_begin(file, mine.data() + 20, 2, MPI_INT);
  MPI_File_write_ordered_end(file, mine.data() + 20, &status);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_get_position_shared(file, &position);
  show("shared position", position);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_seek_shared(file, 2, MPI_SEEK_SET);
  std::vector<int> got(8, -1);
  MPI_File_read_ordered(file, got.data(), 2, MPI_INT, &status);
  MPI_File_read_ordered_begin(file, got.data() + 2, 1, MPI_INT);
  MPI_File_read_ordered_end(file, got.data() + 2, &status);
  MPI_File_seek_shared(file, -me.size, MPI_SEEK_CUR);
  MPI_File_read_ordered(file, got.data() + 3, 1, MPI_INT, &status);
  MPI_File_seek_shared(file, -2 * me.size, MPI_SEEK_END);
  MPI_File_read_ordered(file, got.data() + 4, 2, MPI_INT, &status);
  show("read in order", got);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_get_position_shared(file, &position);
  show("shared position", position);
  MPI_File_close(&file);
  MPI_File_open(MPI_COMM_WORLD, name("ordered").c_str(), MPI_MODE_WRONLY | MPI_MODE_APPEND, MPI_INFO_NULL,
                &file);
  MPI_File_get_position(file, &position);
  show("appends at", position);
  MPI_File_write_ordered(file, mine.data(), 1, MPI_INT, &status);
  MPI_File_close(&file);
  MPI_File_open(MPI_COMM_WORLD, name("ordered").c_str(), MPI_MODE_RDONLY | MPI_MODE_SEQUENTIAL, MPI_INFO_NULL,
                &file);
  MPI_File_read_ordered(file, got.data(), 2, MPI_INT, &status);
  MPI_File_set_view(file, MPI_DISPLACEMENT_CURRENT, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  MPI_File_read_ordered(file, got.data() + 2, 2, MPI_INT, &status);
  show("sequential", got);
  MPI_File_close(&file);
}

// A file that grows while it is open: all ranks begin at its former end, whichever writes first.
void at_the_end(const Answers& me) {
  constexpr int times = 20;
  const auto mine = counting<int>(300, 100 * me.rank);
  std::vector<long> ends;
  for (int i = 0; i < times; ++i) {
    MPI_File file = opened("appended", MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_APPEND);
    MPI_Offset position = -1;
    MPI_File_get_position(file, &position);
    ends.push_back(position);
    constexpr int bytes = 300 * sizeof(int);
    MPI_File_write_at(file, position + MPI_Offset{bytes} * me.rank, mine.data(), 300, MPI_INT,
                      MPI_STATUS_IGNORE);
    MPI_File_close(&file);
  }
  show("ends", ends);
}

// Offsets beyond 32 bits. The file has holes, and is deleted when it is closed.
void far_away(const Answers& me) {
  MPI_File file = opened("large", MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE);
  const MPI_Offset far = 5'000'000'000 + 1000 * me.rank;
  const auto mine = counting<long>(20, 7 * me.rank);
  std::vector<long> got(20);
  MPI_Status status;
  MPI_Offset size = -1, position = -1;
  MPI_File_write_at_c(file, far, mine.data(), 20, MPI_LONG, &status);
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_get_size(file, &size);
  show("large size", size);
  MPI_File_seek(file, 5'000'000'000 + 1000 * ((me.rank + 1) % me.size), MPI_SEEK_SET);
  MPI_File_read_all_c(file, got.data(), 20, MPI_LONG, &status);
  show("from far away", got);
  MPI_File_get_position(file, &position);
  show("position far away", position);
  MPI_File_set_view(file, 4'000'000'000, MPI_LONG, MPI_LONG, "native", MPI_INFO_NULL);
  MPI_File_read_at_all_c(file, 125'000'000 + 125 * me.rank, got.data(), 20, MPI_LONG, &status);
  show("by a view", got);
  MPI_File_set_size(file, 6'000'000'000);
  MPI_File_get_size(file, &size);
  show("set size", size);
  MPI_File_close(&file);
  MPI_File_open(MPI_COMM_WORLD, name("large").c_str(), MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
  show("gone", file == MPI_FILE_NULL);
  // One megabyte, 2100 times, so that it needs little memory and no disk.
  std::vector<char> megabyte(1 << 20);
  MPI_Datatype again;
  MPI_Type_create_resized(MPI_BYTE, 0, 1, &again);
  MPI_Type_free(&again);
  MPI_Type_create_hvector(2100, 1 << 20, 0, MPI_BYTE, &again);
  MPI_Type_commit(&again);
  MPI_File_open(MPI_COMM_SELF, "/dev/null", MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
  MPI_Count bytes = -1;
  MPI_File_write(file, megabyte.data(), 1, again, &status);
  MPI_Get_elements_x(&status, MPI_BYTE, &bytes);
  show("bytes at once", bytes);
  MPI_File_close(&file);
  MPI_Type_free(&again);
}

// Attributes of a file; communicators other than MPI_COMM_WORLD.
void properties(const Answers& me) {
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, me.rank % 2, -me.rank, &half);
  int rank = -1, mode = -1, flag = -1, result = -1;
  MPI_Comm_rank(half, &rank);
  MPI_File file;
  MPI_File_open(half, name(me.rank % 2 ? "odd" : "even").c_str(), MPI_MODE_CREATE | MPI_MODE_WRONLY,
                MPI_INFO_NULL, &file);
  MPI_Comm_free(&half);
  MPI_Group group, all;
  MPI_File_get_group(file, &group);
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_compare(group, all, &result);
  show("group", result);
  int place = -1, size = -1;
  MPI_Group_rank(group, &place);
  MPI_Group_size(group, &size);
  show("place in it", place);
  show("its size", size);
  MPI_File_get_amode(file, &mode);
  show("mode", mode);
  MPI_File_get_atomicity(file, &flag);
  show("atomic", flag);
  MPI_File_set_atomicity(file, 1);
  MPI_File_get_atomicity(file, &flag);
  show("atomic", flag);
  MPI_File_preallocate(file, 10'000);
  MPI_Offset bytes = -1;
  MPI_File_get_size(file, &bytes);
  show("preallocated", bytes);
  MPI_File_write_at_all(file, 4 * place, &place, 1, MPI_INT, MPI_STATUS_IGNORE);
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "cb_buffer_size", "65536");
  MPI_Info_set(info, "cb_config_list", "nobody:1");
  MPI_File_set_info(file, info);
  MPI_Info_free(&info);
  MPI_File_get_info(file, &info);
  char value[MPI_MAX_INFO_VAL + 1] = "";
  MPI_Info_get(info, "cb_buffer_size", MPI_MAX_INFO_VAL, value, &flag);
  std::printf("hint: %d\n", flag);
  MPI_Info_free(&info);
  const MPI_Fint number = MPI_File_c2f(file);
  show("the same in Fortran", MPI_File_f2c(number) == file);
  MPI_Group_free(&group);
  MPI_Group_free(&all);
  MPI_File_close(&file);
}

// A datatype whose lower bound is above 0 does not move elements.
void beginning_late(const Answers& me) {
  MPI_File file = opened("late", MPI_MODE_CREATE | MPI_MODE_RDWR);
  MPI_Datatype late;
  MPI_Type_create_resized(MPI_INT, 4, 12 * me.size, &late);
  MPI_Type_commit(&late);
  const auto mine = counting<int>(6, 10 * me.rank);
  std::vector<int> got(6, -1);
  MPI_File_set_size(file, 12 * me.size * 6);
  MPI_File_set_view(file, 12 * me.rank, MPI_INT, late, "native", MPI_INFO_NULL);
  for (int turn = 0; turn < me.size; ++turn) {
    if (me.rank == turn) MPI_File_write(file, mine.data(), 6, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_File_seek(file, 0, MPI_SEEK_SET);
  MPI_File_read(file, got.data(), 6, MPI_INT, MPI_STATUS_IGNORE);
  show("late", got);
  MPI_Type_free(&late);
  MPI_File_close(&file);
}

// Interleaved pieces of several ranks, smaller than a block of the disk.
void interleaved(const Answers& me) {
  MPI_File file = opened("interleaved", MPI_MODE_CREATE | MPI_MODE_RDWR);
  MPI_Datatype bytes;
  MPI_Type_create_resized(MPI_BYTE, 0, me.size, &bytes);
  MPI_Type_commit(&bytes);
  const std::vector<char> mine(5000, static_cast<char>('a' + me.rank));
  for (int round = 0; round < 5; ++round) {
    MPI_File_set_view(file, 5000 * me.size * round + me.rank, MPI_BYTE, bytes, "native", MPI_INFO_NULL);
    if (round % 2)
      MPI_File_write_all(file, mine.data(), 5000, MPI_BYTE, MPI_STATUS_IGNORE);
    else
      MPI_File_write(file, mine.data(), round == 0 ? 100 : 5000, MPI_BYTE, MPI_STATUS_IGNORE);
  }
  MPI_Type_free(&bytes);
  MPI_File_close(&file);
}

}  // namespace

int main(int argc, char** argv) {
  const Answers me(&argc, &argv);
  by_pointer(me);
  by_views(me);
  in_external32(me);
  in_the_background(me);
  in_order(me);
  at_the_end(me);
  far_away(me);
  properties(me);
  interleaved(me);
  beginning_late(me);
}
