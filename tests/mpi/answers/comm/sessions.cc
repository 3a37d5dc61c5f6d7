// Sessions without MPI_Init, and, with an odd number of ranks, also with it: process sets, communicators and
// intercommunicators of their groups, error handlers.
#include "answers.h"

namespace {

int handled = 0;

void count_up(MPI_Session*, int*, ...) { ++handled; }

void look(MPI_Session session) {
  int sets = 0;
  MPI_Session_get_num_psets(session, MPI_INFO_NULL, &sets);
  show("sets", sets);
  for (int i = 0; i < sets; ++i) {
    int length = 0, found = 0;
    char name[100] = "", value[20] = "";
    MPI_Info info;
    MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &length, nullptr);
    show("length", length);
    MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &length, name);
    MPI_Session_get_pset_info(session, name, &info);
    MPI_Info_get(info, "mpi_size", 19, value, &found);
    MPI_Info_free(&info);
    show(std::string(name) + " of " + value, found);
  }
  MPI_Info info;
  MPI_Session_get_info(session, &info);
  show("info", info != MPI_INFO_NULL);
  MPI_Info_free(&info);
}

void handlers(MPI_Session session) {
  MPI_Errhandler handler;
  MPI_Session_create_errhandler(count_up, &handler);
  MPI_Session_set_errhandler(session, handler);
  MPI_Session_call_errhandler(session, MPI_ERR_OTHER);
  MPI_Errhandler_free(&handler);
  MPI_Session_get_errhandler(session, &handler);
  MPI_Errhandler_free(&handler);
  show("handled", handled);
}

// The number of ranks.
int communicate(MPI_Session session) {
  MPI_Group world, self, halves[2];
  MPI_Comm comm, own, inter;
  MPI_Group_from_session_pset(session, "mpi://WORLD", &world);
  MPI_Group_from_session_pset(session, "mpi://self", &self);
  int rank = -1, size = 0, alone = 0, sum = -1;
  MPI_Group_rank(world, &rank);
  MPI_Group_size(world, &size);
  open_answers(rank);
  MPI_Group_size(self, &alone);
  show("group", std::vector<int>{rank, size, alone});
  MPI_Comm_create_from_group(world, "all", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
  MPI_Comm_create_from_group(self, "one", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &own);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
  show("sum", sum);
  show("wrong", MPI_Send(&rank, 1, MPI_INT, size, 0, comm) != MPI_SUCCESS);  // returns
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, own);
  show("own", sum);
  if (size > 1) {
    int low[1][3] = {{0, size / 2 - 1, 1}}, high[1][3] = {{size / 2, size - 1, 1}}, others = -1;
    MPI_Group_range_incl(world, 1, low, &halves[0]);
    MPI_Group_range_incl(world, 1, high, &halves[1]);
    const int mine = rank < size / 2 ? 0 : 1;
    MPI_Intercomm_create_from_groups(halves[mine], 0, halves[1 - mine], 0, "halves", MPI_INFO_NULL,
                                     MPI_ERRORS_RETURN, &inter);
    MPI_Comm_remote_size(inter, &others);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, inter);
    show("halves", std::vector<int>{others, sum});
    MPI_Comm_free(&inter);
    for (MPI_Group& half : halves) MPI_Group_free(&half);
  }
  MPI_Comm_free(&comm);
  MPI_Comm_free(&own);
  MPI_Group_free(&world);
  MPI_Group_free(&self);
  return size;
}

}  // namespace

int main(int argc, char** argv) {
  int flag = -1;
  MPI_Session session, other;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
  const int size = communicate(session);
  MPI_Initialized(&flag);
  show("initialized", flag);
  look(session);
  handlers(session);
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &other);
  MPI_Session_finalize(&other);
  show("null", other == MPI_SESSION_NULL);
  if (size % 2 == 1) {
    MPI_Init(&argc, &argv);
    MPI_Initialized(&flag);
    show("initialized", flag);
    int rank = -1, sum = -1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    show("world", sum);
    MPI_Finalize();
  }
  MPI_Session_finalize(&session);
  show("null", session == MPI_SESSION_NULL);
}
