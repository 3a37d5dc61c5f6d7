// Identical buffers, and lengths that disagree: the error of each rank; the program continues.
#include <functional>
#include <utility>

#include "answers.h"

namespace {

const MPI_Comm world = MPI_COMM_WORLD;

int class_of(int code) {
  int found = -1;
  MPI_Error_class(code, &found);
  return found;
}

void aliased() {
  const MPI_Comm self = MPI_COMM_SELF;
  const int ones[] = {1}, none[] = {0};
  const MPI_Datatype ints[] = {MPI_INT};
  MPI_Request request;
  int a[2] = {};
  MPI_Comm_set_errhandler(self, MPI_ERRORS_RETURN);
  const std::pair<const char*, int> found[] = {
      {"gatherv", MPI_Gatherv(a, 1, MPI_INT, a, ones, none, MPI_INT, 0, self)},
      {"scatter", MPI_Scatter(a, 1, MPI_INT, a, 1, MPI_INT, 0, self)},
      {"scatterv", MPI_Scatterv(a, ones, none, MPI_INT, a, 1, MPI_INT, 0, self)},
      {"allgatherv", MPI_Allgatherv(a, 1, MPI_INT, a, ones, none, MPI_INT, self)},
      {"alltoallv", MPI_Alltoallv(a, ones, none, MPI_INT, a, ones, none, MPI_INT, self)},
      {"alltoallw", MPI_Alltoallw(a, ones, none, ints, a, ones, none, ints, self)},
      {"igather", MPI_Igather(a, 1, MPI_INT, a, 1, MPI_INT, 0, self, &request)},
      {"igatherv", MPI_Igatherv(a, 1, MPI_INT, a, ones, none, MPI_INT, 0, self, &request)},
      {"iscatter", MPI_Iscatter(a, 1, MPI_INT, a, 1, MPI_INT, 0, self, &request)},
      {"iscatterv", MPI_Iscatterv(a, ones, none, MPI_INT, a, 1, MPI_INT, 0, self, &request)},
      {"iallgatherv", MPI_Iallgatherv(a, 1, MPI_INT, a, ones, none, MPI_INT, self, &request)},
      {"ialltoallv", MPI_Ialltoallv(a, ones, none, MPI_INT, a, ones, none, MPI_INT, self, &request)},
      {"ialltoallw", MPI_Ialltoallw(a, ones, none, ints, a, ones, none, ints, self, &request)},
      // No elements, in separate buffers or in place.
      {"gatherv of none", MPI_Gatherv(a, 0, MPI_INT, a, none, none, MPI_INT, 0, self)},
      {"scatterv, apart", MPI_Scatterv(a, ones, ones, MPI_INT, a, 1, MPI_INT, 0, self)},
      {"allgatherv, in place", MPI_Allgatherv(MPI_IN_PLACE, 1, MPI_INT, a, ones, none, MPI_INT, self)},
      {"scatter, in place", MPI_Scatter(a, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, 0, self)}};
  for (const auto& [name, code] : found) show(std::string("aliased ") + name, class_of(code));
}

// With no elements, the datatype is not checked.
void of_nothing(const Answers& me) {
  MPI_Request request;
  MPI_Status status;
  const int next = (me.rank + 1) % me.size, before = (me.rank + me.size - 1) % me.size;
  show("isend of nothing", class_of(MPI_Isend(nullptr, 0, MPI_DATATYPE_NULL, next, 3, world, &request)));
  show("receive of nothing", class_of(MPI_Recv(nullptr, 0, MPI_DATATYPE_NULL, before, 3, world, &status)));
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

// 3 and 6 bytes for a derived type of integers, the rest of which stays unchanged.
void into_elements(const Answers& me) {
  const int lengths[] = {1, 2, 1}, places[] = {0, 2, 5};
  MPI_Datatype spread;
  MPI_Type_indexed(3, lengths, places, MPI_INT, &spread);
  MPI_Type_commit(&spread);
  for (const int bytes : {3, 6, 8, 13, 19}) {
    const std::vector<signed char> out(32, 1);
    std::vector<int> in(16, -1);
    MPI_Request request;
    MPI_Status status;
    MPI_Isend(out.data(), bytes, MPI_BYTE, me.rank, 4, world, &request);
    show(numbered("bytes into a derived type", bytes),
         class_of(MPI_Recv(in.data(), 2, spread, me.rank, 4, world, &status)));
    if (bytes % 4 == 0) show("into", in);
    show("behind", in.data() + 6, 10);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Type_free(&spread);
}

// The root has other lengths than the other ranks. Shows their errors, and that the next operation works.
void disagreeing(const Answers& me, int at_root, int elsewhere) {
  std::vector<int> data(16, me.rank), all(64);
  const int n = me.rank == 0 ? at_root : elsewhere;
  const std::string name = std::to_string(at_root) + " and " + std::to_string(elsewhere) + ", ";
  show(name + "bcast", class_of(MPI_Bcast(data.data(), n, MPI_INT, 0, world)) != MPI_SUCCESS);
  MPI_Barrier(world);
  MPI_Request request;
  int code = MPI_Ibcast(data.data(), n, MPI_INT, 0, world, &request);
  if (code == MPI_SUCCESS) code = MPI_Wait(&request, MPI_STATUS_IGNORE);
  show(name + "ibcast", class_of(code) != MPI_SUCCESS);
  int sum = 0;
  MPI_Allreduce(&me.rank, &sum, 1, MPI_INT, MPI_SUM, world);
  show(name + "sum", sum);
}

// Messages sent to a root that has given up are received by the next operation of the same kind only.
void given_up(const Answers& me) {
  int data[2] = {me.rank, me.rank}, all[16] = {}, sum = 0;
  const int room = me.rank == 0 ? 1 : 2;
  show("gather of more", class_of(MPI_Gather(data, 2, MPI_INT, all, room, MPI_INT, 0, world)));
  MPI_Reduce(&me.rank, &sum, 1, MPI_INT, MPI_SUM, 0, world);
  show("reduced", sum);
  if (me.rank == 0) MPI_Gather(data, 2, MPI_INT, all, 2, MPI_INT, 0, world);
  show("gathered", all, 6);
}

}  // namespace

int main(int argc, char** argv) {
  const Answers me(&argc, &argv);
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  aliased();
  of_nothing(me);
  into_elements(me);
  disagreeing(me, 1, 10);
  disagreeing(me, 10, 1);
  given_up(me);
}
