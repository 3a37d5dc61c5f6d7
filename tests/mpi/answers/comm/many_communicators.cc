// Communicators that are created and freed, many more of them than can exist at once, and as many at once as possible.
#include "answers.h"

namespace {

constexpr int at_least = 1900;  // at once: MPICH has room for some 2,000

// Each communicator is used, so that a message of a freed one would appear in another.
void come_and_go(const Answers& me) {
  long long sum = 0;
  for (int i = 0; i < 20'000; ++i) {
    MPI_Comm copy;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    if (i % 1000 == 0) {
      int value = i + me.rank, all = 0;
      MPI_Allreduce(&value, &all, 1, MPI_INT, MPI_SUM, copy);
      sum += all;
    }
    MPI_Comm_free(&copy);
  }
  show("sum", sum);
}

// The place where creation fails may differ. It must be an error, after which the other communicators still work.
void as_many_as_there_can_be() {
  std::vector<MPI_Comm> copies;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int code = MPI_SUCCESS, error = MPI_SUCCESS;
  MPI_Comm copy;
  while (copies.size() < 100'000 && (code = MPI_Comm_dup(MPI_COMM_WORLD, &copy)) == MPI_SUCCESS)
    copies.push_back(copy);
  MPI_Error_class(code, &error);
  show("an error of its own class", error == MPI_ERR_OTHER);
  show("enough", copies.size() >= at_least);
  for (std::size_t i = 0; i < copies.size(); i += 2) MPI_Comm_free(&copies[i]);
  int value = 1, all = 0;
  MPI_Allreduce(&value, &all, 1, MPI_INT, MPI_SUM, copies[1]);
  show("sum", all);
  show("again", MPI_Comm_dup(copies[1], &copy));
  MPI_Comm_free(&copy);
  for (std::size_t i = 1; i < copies.size(); i += 2) MPI_Comm_free(&copies[i]);
}

}  // namespace

int main(int argc, char** argv) {
  const Answers me(&argc, &argv);
  come_and_go(me);
  as_many_as_there_can_be();
  return 0;
}
