// Intercommunicators: their creation, messages between their groups, and communicators created from them.
#include "answers.h"

namespace {

void show_group(const std::string& name, MPI_Group group) {
  int size;
  MPI_Group all;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_size(group, &size);
  const std::vector<int> ranks = counting(static_cast<std::size_t>(size));
  std::vector<int> world(ranks.size(), -1);
  MPI_Group_translate_ranks(group, size, ranks.data(), all, world.data());
  show(name, world);
  MPI_Group_free(&all);
  MPI_Group_free(&group);
}

// Shows the intercommunicator, and exchanges a message with the other group from any source.
void show_inter(const std::string& name, MPI_Comm comm) {
  show(name + ", none", comm == MPI_COMM_NULL);
  if (comm == MPI_COMM_NULL) return;
  int inter, rank, size, others;
  MPI_Comm_test_inter(comm, &inter);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MPI_Comm_remote_size(comm, &others);
  const int found[] = {inter, rank, size, others};
  show(name, found, 4);
  MPI_Group group;
  MPI_Comm_group(comm, &group);
  show_group(name + ", own group", group);
  MPI_Comm_remote_group(comm, &group);
  show_group(name + ", other group", group);
  std::vector<int> out(300, 100 * rank + size), in(300, -1);
  MPI_Status status;
  MPI_Request request;
  MPI_Isend(out.data(), 300, MPI_INT, rank % others, 4, comm, &request);
  // The ranks whose neighbour this rank is.
  for (int from = rank; from < others; from += size) {
    MPI_Recv(in.data(), 300, MPI_INT, from, 4, comm, &status);
    show(name + ", got", in[299]);
    show(name, status, MPI_INT);
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

void show_error(const std::string& name, int code) {
  int error_class = -1;
  MPI_Error_class(code, &error_class);
  show(name, error_class);
}

}  // namespace

int main(int argc, char** argv) {
  const Answers me(&argc, &argv);
  MPI_Comm half, inter, copy, merged;
  const int side = me.rank % 3 == 0 ? 0 : 1;
  MPI_Comm_split(MPI_COMM_WORLD, side, -me.rank, &half);
  int size;
  MPI_Comm_size(half, &size);
  // The leaders are the first of each half, the last one in the world.
  const int last_of_others = me.size - 1 - (me.size % 3 == 1 ? 1 : 0);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, side == 0 ? last_of_others : (me.size - 1) / 3 * 3, 9,
                       &inter);
  show_inter("made", inter);
  MPI_Comm_dup(inter, &copy);
  show_inter("copy", copy);
  int compared;
  MPI_Comm_compare(inter, copy, &compared);
  show("congruent", compared == MPI_CONGRUENT);
  MPI_Comm_compare(inter, MPI_COMM_WORLD, &compared);
  show("unequal", compared == MPI_UNEQUAL);
  MPI_Comm_free(&copy);
  for (int high = 0; high < 4; ++high) {
    MPI_Intercomm_merge(inter, side == 0 ? high & 1 : high >> 1, &merged);
    int rank, sum = 0;
    MPI_Comm_rank(merged, &rank);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, merged);
    const int found[] = {rank, sum};
    show(numbered("merged", high), found, 2);
    MPI_Group group;
    MPI_Comm_group(merged, &group);
    show_group("merged", group);
    MPI_Comm_free(&merged);
  }
  int rank;
  MPI_Comm_rank(inter, &rank);
  MPI_Comm_split(inter, rank % 2, -rank, &copy);
  show_inter("split", copy);
  if (copy != MPI_COMM_NULL) MPI_Comm_free(&copy);
  // MPICH 4.0.2 asks for the node of the rank of the other group that has the same number, also if there is none.
  int others;
  MPI_Comm_remote_size(inter, &others);
  for (const int type : {MPI_COMM_TYPE_SHARED, MPI_UNDEFINED, MPI_COMM_TYPE_HW_UNGUIDED}) {
    if (size != others) break;
    MPI_Comm_split_type(inter, rank == 1 ? MPI_UNDEFINED : type, -rank, MPI_INFO_NULL, &copy);
    show_inter("split by type", copy);
    if (copy != MPI_COMM_NULL) MPI_Comm_free(&copy);
  }
  MPI_Group group, some;
  MPI_Comm_group(inter, &group);
  const int last = size - 1;
  MPI_Group_incl(group, 1, &last, &some);
  MPI_Comm_create(inter, some, &copy);
  show_inter("created", copy);
  if (copy != MPI_COMM_NULL) MPI_Comm_free(&copy);
  MPI_Group_free(&some);
  MPI_Group_free(&group);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
  int n;
  show_error("cart of one", MPI_Cart_create(inter, 0, nullptr, nullptr, 0, &merged));
  show_error("to beyond", MPI_Send(&n, 1, MPI_INT, 100, 0, inter));
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
}
