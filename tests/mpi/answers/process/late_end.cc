// Destructors of static objects call MPI_Finalize, and other functions before it.
#include <optional>

#include "answers.h"

namespace {

std::optional<Answers> me;
int freed = 0;

int count_freed(MPI_Comm, int, void*, void*) {
  ++freed;
  return MPI_SUCCESS;
}

struct Last {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  ~Last() {
    int sum = 0, name = -1, found = 0;
    MPI_Allreduce(&me->rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    show("sum", sum);
    MPI_Datatype pair;
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    int sent[2] = {me->rank, 7}, got[2] = {};
    MPI_Sendrecv(sent, 1, pair, (me->rank + 1) % me->size, 0, got, 1, pair,
                 (me->rank + me->size - 1) % me->size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    show("got", got, 2);
    MPI_Type_free(&pair);
    MPI_Comm half;
    MPI_Comm_split(MPI_COMM_WORLD, me->rank % 2, 0, &half);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, count_freed, &name, nullptr);
    MPI_Comm_set_attr(half, name, nullptr);
    MPI_Comm_free(&half);
    show("freed", freed);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    show("wrong", MPI_Send(nullptr, -1, MPI_INT, 0, 0, MPI_COMM_WORLD));
    MPI_Errhandler_free(&handler);
    void* most = nullptr;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, static_cast<void*>(&most), &found);
    show("number of the program", found ? *static_cast<int*>(most) : -1);
    me.reset();
  }
} last;

void forgive(MPI_Comm*, int* code, ...) { *code = MPI_SUCCESS; }

}  // namespace

int main(int argc, char** argv) {
  me.emplace(&argc, &argv);
  MPI_Comm_create_errhandler(&forgive, &last.handler);
}
