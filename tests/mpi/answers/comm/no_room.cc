// One rank, and then all, have no room for another communicator: all members get the error, and can continue later.
#include <algorithm>
#include <functional>

#include "answers.h"

namespace {

// Creates as many communicators of this rank alone as MPICH has room for.
std::vector<MPI_Comm> fill() {
  std::vector<MPI_Comm> all;
  MPI_Comm copy;
  while (all.size() < 100'000 && MPI_Comm_dup(MPI_COMM_SELF, &copy) == MPI_SUCCESS) all.push_back(copy);
  return all;
}

void give_back(std::vector<MPI_Comm>& all) {
  for (MPI_Comm& comm : all) MPI_Comm_free(&comm);
  all.clear();
}

struct AlgorithmChoice {
  const char* function;  // that reports the error
  std::function<int(MPI_Comm*)> make;
};

int duplicate_in_background(MPI_Comm comm, MPI_Comm* made) {
  MPI_Request request = MPI_REQUEST_NULL;
  const int code = MPI_Comm_idup(comm, made, &request);
  show("idup itself", code);
  return MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int test_in_background(MPI_Comm comm, MPI_Comm* made) {
  MPI_Request request = MPI_REQUEST_NULL;
  const int code = MPI_Comm_idup(comm, made, &request);
  show("idup itself", code);
  int done = 0, tested = MPI_SUCCESS;
  while (!done && tested == MPI_SUCCESS) tested = MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  return tested;
}

std::vector<AlgorithmChoice> ways(const Answers& me, MPI_Comm grid, MPI_Group everyone) {
  const MPI_Comm world = MPI_COMM_WORLD;
  static const int first[] = {0};
  static int index[] = {0}, length[] = {0}, periodic[] = {0}, remain[] = {1};
  length[0] = me.size;
  const int rank = me.rank;
  return {
      {"MPI_Comm_dup", [=](MPI_Comm* made) { return MPI_Comm_dup(world, made); }},
      {"MPI_Comm_dup_with_info",
       [=](MPI_Comm* made) { return MPI_Comm_dup_with_info(world, MPI_INFO_NULL, made); }},
      {"MPI_Comm_create", [=](MPI_Comm* made) { return MPI_Comm_create(world, everyone, made); }},
      {"MPI_Comm_create",
       [=](MPI_Comm* made) {  // of the first member alone
         MPI_Group one;
         MPI_Group_incl(everyone, 1, first, &one);
         const int code = MPI_Comm_create(world, one, made);
         MPI_Group_free(&one);
         return code;
       }},
      {"MPI_Comm_create_group",
       [=](MPI_Comm* made) { return MPI_Comm_create_group(world, everyone, 3, made); }},
      {"MPI_Comm_split", [=](MPI_Comm* made) { return MPI_Comm_split(world, 0, 0, made); }},
      {"MPI_Comm_split",
       [=](MPI_Comm* made) { return MPI_Comm_split(world, rank == 0 ? MPI_UNDEFINED : 1, 0, made); }},
      {"MPI_Comm_split",
       [=](MPI_Comm* made) { return MPI_Comm_split(world, rank > 0 ? MPI_UNDEFINED : 1, 0, made); }},
      {"MPI_Cart_create",
       [=](MPI_Comm* made) { return MPI_Cart_create(world, 1, length, periodic, 0, made); }},
      {"MPI_Cart_sub", [=](MPI_Comm* made) { return MPI_Cart_sub(grid, remain, made); }},
      {"MPI_Graph_create", [=](MPI_Comm* made) { return MPI_Graph_create(world, 1, index, index, 0, made); }},
      {"MPI_Dist_graph_create_adjacent",
       [=](MPI_Comm* made) {
         return MPI_Dist_graph_create_adjacent(world, 0, nullptr, MPI_UNWEIGHTED, 0, nullptr, MPI_UNWEIGHTED,
                                               MPI_INFO_NULL, 0, made);
       }},
      {"MPI_Wait", [=](MPI_Comm* made) { return duplicate_in_background(world, made); }},
      {"MPI_Test", [=](MPI_Comm* made) { return test_in_background(world, made); }},
  };
}

void show_error(const std::string& name, int code, const std::string& function) {
  int kind = -1, length = 0;
  char text[MPI_MAX_ERROR_STRING + 1] = "";
  MPI_Error_class(code, &kind);
  MPI_Error_string(code, text, &length);
  show(name + ", error", code != MPI_SUCCESS);
  show(name + ", named", std::string(text).find(function) != std::string::npos);
}

void make_all(const std::string& name, const std::vector<AlgorithmChoice>& all) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    MPI_Comm made = MPI_COMM_NULL;
    const int code = all[i].make(&made);
    show_error(name + ", " + numbered(all[i].function, static_cast<long long>(i)), code, all[i].function);
    if (code == MPI_SUCCESS && made != MPI_COMM_NULL) MPI_Comm_free(&made);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Answers me(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Group everyone;
  MPI_Comm_group(MPI_COMM_WORLD, &everyone);
  MPI_Comm grid;
  int length[] = {me.size}, periodic[] = {0};
  MPI_Cart_create(MPI_COMM_WORLD, 1, length, periodic, 0, &grid);
  MPI_Comm_set_errhandler(grid, MPI_ERRORS_RETURN);
  const std::vector<AlgorithmChoice> all = ways(me, grid, everyone);
  std::vector<MPI_Comm> full;
  if (me.rank == me.size - 1) full = fill();
  make_all("one is full", all);
  if (me.rank != me.size - 1) full = fill();
  make_all("all are full", all);
  give_back(full);
  make_all("none is full", all);
  MPI_Comm_free(&grid);
  MPI_Group_free(&everyone);
  return 0;
}
