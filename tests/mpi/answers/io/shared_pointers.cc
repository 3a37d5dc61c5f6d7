// The shared pointer of a file, moved by individual ranks. Natively their order differs from run to run, so the results
// shown are those of all ranks together.
#include <algorithm>
#include <numeric>

#include "files.h"

namespace {

constexpr int each = 7, length = 5;  // records

// Shows the numbers of all ranks, sorted.
void show_all(const std::string& text, const Answers& me, const std::vector<int>& mine) {
  std::vector<int> all(mine.size() * static_cast<std::size_t>(me.size));
  const int count = static_cast<int>(mine.size());
  MPI_Allgather(mine.data(), count, MPI_INT, all.data(), count, MPI_INT, MPI_COMM_WORLD);
  std::sort(all.begin(), all.end());
  show(text, all);
}

std::vector<int> record(const Answers& me, int number) {
  return counting<int>(length, 1000 * me.rank + 100 * number);
}

// Checks that records are whole, wherever they are.
void check_whole(const Answers& me, const std::vector<int>& got) {
  int broken = 0;
  for (std::size_t i = 0; i < got.size(); ++i)
    broken += got[i] != got[i - i % length] + static_cast<int>(i % length);
  show("broken", broken);
  show_all("records", me, got);
}

void write(const Answers& me, MPI_File file) {
  MPI_Status status;
  for (int i = 0; i < each; ++i) {
    const std::vector<int> data = record(me, i);
    MPI_Request request;
    switch (i % 4) {
      case 0:
        MPI_File_write_shared(file, data.data(), length, MPI_INT, &status);
        break;
      case 1:
        MPI_File_write_shared_c(file, data.data(), length, MPI_INT, &status);
        break;
      case 2:
        MPI_File_iwrite_shared(file, data.data(), length, MPI_INT, &request);
        break;
      default:
        MPI_File_iwrite_shared_c(file, data.data(), length, MPI_INT, &request);
        break;
    }
    if (i % 4 >= 2) MPI_Wait(&request, &status);
    show(numbered("written", i), status);
  }
}

std::vector<int> read(MPI_File file) {
  std::vector<int> got(each * length, -1);
  for (int i = 0; i < each; ++i) {
    int* const to = got.data() + i * length;
    MPI_Request request;
    switch (i % 4) {
      case 0:
        MPI_File_read_shared(file, to, length, MPI_INT, MPI_STATUS_IGNORE);
        break;
      case 1:
        MPI_File_read_shared_c(file, to, length, MPI_INT, MPI_STATUS_IGNORE);
        break;
      case 2:
        MPI_File_iread_shared(file, to, length, MPI_INT, &request);
        break;
      default:
        MPI_File_iread_shared_c(file, to, length, MPI_INT, &request);
        break;
    }
    if (i % 4 >= 2) MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  return got;
}

void position(MPI_File file, const char* text) {
  MPI_Offset at = -1;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_get_position_shared(file, &at);
  MPI_Barrier(MPI_COMM_WORLD);
  show(text, at);
}

void alone_and_in_order(const Answers& me) {
  MPI_File file = opened("shared", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE);
  MPI_File_set_view(file, 40, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  write(me, file);
  position(file, "behind all");
  const std::vector<int> data = record(me, 8);
  std::vector<int> got(length);
  MPI_File_write_ordered(file, data.data(), length, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_seek_shared(file, -length * me.size, MPI_SEEK_CUR);
  MPI_File_read_ordered(file, got.data(), length, MPI_INT, MPI_STATUS_IGNORE);
  show("in order", got);
  position(file, "behind those in order");
  MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
  check_whole(me, read(file));
  position(file, "read");
  MPI_File_seek_shared(file, 0, MPI_SEEK_END);
  MPI_Status status;
  MPI_File_read_shared(file, got.data(), length, MPI_INT, &status);
  show("at the end", status);
  MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  position(file, "a new view");
  MPI_File_close(&file);
}

void sequential(const Answers& me) {
  MPI_File file = opened("sequential", MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL);
  for (int i = 0; i < each; ++i)  // equal data, because the file is compared
    MPI_File_write_shared(file, std::vector<int>(length, 3).data(), length, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  file = opened("sequential", MPI_MODE_WRONLY | MPI_MODE_APPEND);
  position(file, "appends at");
  MPI_File_write_shared(file, std::vector<int>(1, 4).data(), 1, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  file = opened("sequential", MPI_MODE_RDONLY | MPI_MODE_SEQUENTIAL);
  show_all("sequential", me, read(file));
  MPI_File_set_view(file, MPI_DISPLACEMENT_CURRENT, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  int last = -1;
  MPI_File_read_ordered(file, &last, me.rank == 0 ? 1 : 0, MPI_INT, MPI_STATUS_IGNORE);
  show("the last", last);
  // MPICH returns another error than for MPI_File_write.
  show("write what is read",
       MPI_File_write_shared(file, &last, 1, MPI_INT, MPI_STATUS_IGNORE) != MPI_SUCCESS);
  MPI_File_close(&file);
}

}  // namespace

int main(int argc, char** argv) {
  const Answers me(&argc, &argv);
  alone_and_in_order(me);
  sequential(me);
}
