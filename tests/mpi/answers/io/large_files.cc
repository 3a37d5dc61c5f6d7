// Files with the functions whose counts have type MPI_Count; files.cc tests those with int.
#include "files.h"

namespace {

constexpr int part = 50;

struct Place {
  explicit Place(const Answers& me, int parts)
      : own(MPI_Offset{4} * part * parts * me.rank),
        other(MPI_Offset{4} * part * parts * ((me.rank + 1) % me.size)) {}
  MPI_Offset own, other;  // this rank's part of the file, and the next one's
};

MPI_Offset behind(MPI_Offset from, int parts) { return from + MPI_Offset{4} * part * parts; }

void alone(const Answers& me) {
  MPI_File file = opened("alone", MPI_MODE_CREATE | MPI_MODE_RDWR);
  const Place at(me, 2);
  const std::vector<int> mine = counting<int>(2 * part, 1000 * me.rank);
  std::vector<int> got(2 * part, -1);
  MPI_Status status;
  MPI_File_write_at_c(file, at.own, mine.data(), part, MPI_INT, &status);
  show("written at", status);
  MPI_File_seek(file, behind(at.own, 1), MPI_SEEK_SET);
  MPI_File_write_c(file, mine.data() + part, part, MPI_INT, &status);
  show("written", status);
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_read_at_c(file, at.other, got.data(), part, MPI_INT, &status);
  show("read at", status);
  MPI_File_seek(file, behind(at.other, 1), MPI_SEEK_SET);
  MPI_File_read_c(file, got.data() + part, part, MPI_INT, &status);
  show("read", status);
  show("got", got);
  MPI_File_close(&file);
}

void together(const Answers& me) {
  MPI_File file = opened("together", MPI_MODE_CREATE | MPI_MODE_RDWR);
  const Place at(me, 4);
  const std::vector<int> mine = counting<int>(4 * part, 10000 * me.rank);
  std::vector<int> got(4 * part, -1);
  MPI_Status status;
  MPI_File_seek(file, at.own, MPI_SEEK_SET);
  MPI_File_write_all_c(file, mine.data(), part, MPI_INT, &status);
  show("written by all", status);
  MPI_File_write_at_all_c(file, behind(at.own, 1), mine.data() + part, part, MPI_INT, &status);
  show("written at by all", status);
  MPI_File_seek(file, behind(at.own, 2), MPI_SEEK_SET);
  MPI_File_write_all_begin_c(file, mine.data() + 2 * part, part, MPI_INT);
  MPI_File_write_all_end(file, mine.data() + 2 * part, &status);
  show("written in two halves", status);
  MPI_File_write_at_all_begin_c(file, behind(at.own, 3), mine.data() + 3 * part, part, MPI_INT);
  MPI_File_write_at_all_end(file, mine.data() + 3 * part, &status);
  show("written at in two halves", status);
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_seek(file, at.other, MPI_SEEK_SET);
  MPI_File_read_all_c(file, got.data(), part, MPI_INT, &status);
  MPI_File_read_at_all_c(file, behind(at.other, 1), got.data() + part, part, MPI_INT, &status);
  MPI_File_seek(file, behind(at.other, 2), MPI_SEEK_SET);
  MPI_File_read_all_begin_c(file, got.data() + 2 * part, part, MPI_INT);
  MPI_File_read_all_end(file, got.data() + 2 * part, &status);
  show("read in two halves", status);
  MPI_File_read_at_all_begin_c(file, behind(at.other, 3), got.data() + 3 * part, part, MPI_INT);
  MPI_File_read_at_all_end(file, got.data() + 3 * part, &status);
  show("read at in two halves", status);
  show("together", got);
  // The split operations with counts of type int that files.cc does not call.
  got.assign(got.size(), -1);
  MPI_File_read_at_all_begin(file, at.own, got.data(), part, MPI_INT);
  MPI_File_read_at_all_end(file, got.data(), &status);
  show("of its own", got);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_seek(file, at.other, MPI_SEEK_SET);
  MPI_File_write_all_begin(file, mine.data(), part, MPI_INT);
  MPI_File_write_all_end(file, mine.data(), &status);
  show("written again", status);
  MPI_File_close(&file);
}

void in_the_background(const Answers& me) {
  MPI_File file = opened("background", MPI_MODE_CREATE | MPI_MODE_RDWR);
  const Place at(me, 4);
  const std::vector<int> mine = counting<int>(4 * part, 10000 * me.rank + 3);
  std::vector<int> got(4 * part, -1);
  MPI_Request requests[4];
  MPI_Status statuses[4];
  MPI_File_iwrite_at_c(file, at.own, mine.data(), part, MPI_INT, &requests[0]);
  MPI_File_iwrite_at_all_c(file, behind(at.own, 1), mine.data() + part, part, MPI_INT, &requests[1]);
  MPI_File_seek(file, behind(at.own, 2), MPI_SEEK_SET);
  MPI_File_iwrite_c(file, mine.data() + 2 * part, part, MPI_INT, &requests[2]);
  MPI_File_iwrite_all_c(file, mine.data() + 3 * part, part, MPI_INT, &requests[3]);
  MPI_Waitall(4, requests, statuses);
  for (const MPI_Status& status : statuses) show("written in the background", status);
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_seek(file, at.other, MPI_SEEK_SET);
  MPI_File_iread_all_c(file, got.data(), part, MPI_INT, &requests[0]);
  MPI_File_iread_c(file, got.data() + part, part, MPI_INT, &requests[1]);
  // ROMIO confuses two concurrent collective reads of a file.
  MPI_Waitall(2, requests, statuses);
  MPI_File_iread_at_all_c(file, behind(at.other, 2), got.data() + 2 * part, part, MPI_INT, &requests[2]);
  MPI_File_iread_at_c(file, behind(at.other, 3), got.data() + 3 * part, part, MPI_INT, &requests[3]);
  MPI_Waitall(2, requests + 2, statuses + 2);
  for (const MPI_Status& status : statuses) show("read in the background", status);
  show("background", got);
  MPI_File_close(&file);
}

// With the shared pointer, in the order of the ranks.
void in_order(const Answers& me) {
  MPI_File file = opened("ordered", MPI_MODE_CREATE | MPI_MODE_RDWR);
  const std::vector<int> mine = counting<int>(20, 100 * me.rank);
  std::vector<int> got(6, -1);
  MPI_Status status;
  MPI_File_set_view(file, 8, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  MPI_File_write_ordered_c(file, mine.data(), 3 + me.rank, MPI_INT, &status);
  show("ordered", status);
  MPI_File_write_ordered_begin_c(file, mine.data() + 10, 2, MPI_INT);
  MPI_File_write_ordered_end(file, mine.data() + 10, &status);
  show("ordered in two halves", status);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_seek_shared(file, 1, MPI_SEEK_SET);
  MPI_File_read_ordered_c(file, got.data(), 3, MPI_INT, &status);
  MPI_File_read_ordered_begin_c(file, got.data() + 3, 1, MPI_INT);
  MPI_File_read_ordered_end(file, got.data() + 3, &status);
  show("read in order", got);
  MPI_File_close(&file);
}

}  // namespace

int main(int argc, char** argv) {
  const Answers me(&argc, &argv);
  alone(me);
  together(me);
  in_the_background(me);
  in_order(me);
}
