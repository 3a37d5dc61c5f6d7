// Functions of MPI's first version: attributes and error handlers by their
// older names, the name of the processor, and the resolution of the clock.
#include "answers.h"

namespace {

int deleted(MPI_Comm, int, void* value, void* extra) {
  std::printf("deleted: %d %d\n", *static_cast<int*>(value), *static_cast<int*>(extra));
  return MPI_SUCCESS;
}

void attributes() {
  static int extra = 3, value = 14;
  int key = MPI_KEYVAL_INVALID, found = -1;
  int* seen = nullptr;
  MPI_Comm copy;
  MPI_Keyval_create(MPI_DUP_FN, deleted, &key, &extra);
  MPI_Attr_get(MPI_COMM_WORLD, key, &seen, &found);
  show("before", found);
  MPI_Attr_put(MPI_COMM_WORLD, key, &value);
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Attr_get(copy, key, &seen, &found);
  show("of the copy", found ? *seen : -1);
  MPI_Comm_free(&copy);
  MPI_Attr_delete(MPI_COMM_WORLD, key);
  MPI_Attr_get(MPI_COMM_WORLD, key, &seen, &found);
  show("after", found);
  MPI_Keyval_free(&key);
  for (const int predefined : {MPI_TAG_UB, MPI_APPNUM, MPI_UNIVERSE_SIZE}) {
    MPI_Attr_get(MPI_COMM_WORLD, predefined, &seen, &found);
    show("predefined", found ? *seen : -1);
  }
}

void handled(MPI_Comm* comm, int* code, ...) {
  int kind = -1, size = -1;
  MPI_Error_class(*code, &kind);
  MPI_Comm_size(*comm, &size);
  std::printf("handled: %d of %d\n", kind, size);
}

void error_handlers() {
  MPI_Errhandler before, own, now;
  MPI_Errhandler_get(MPI_COMM_WORLD, &before);
  show("fatal", before == MPI_ERRORS_ARE_FATAL);
  MPI_Errhandler_create(handled, &own);
  MPI_Errhandler_set(MPI_COMM_WORLD, own);
  int value = 0;
  show("told", MPI_Send(&value, -1, MPI_INT, 0, 0, MPI_COMM_WORLD) != MPI_SUCCESS);
  MPI_Errhandler_get(MPI_COMM_WORLD, &now);
  show("its own", now == own);
  MPI_Errhandler_free(&now);
  MPI_Errhandler_free(&own);
  MPI_Errhandler_set(MPI_COMM_WORLD, before);
}

// Values of the target, which differ from the host's, but satisfy MPI.
void around() {
  char name[MPI_MAX_PROCESSOR_NAME] = "";
  int length = -1;
  MPI_Get_processor_name(name, &length);
  show("a name", length > 0 && length == static_cast<int>(std::strlen(name)));
  show("a tick", MPI_Wtick() > 0 && MPI_Wtick() < 1);
  show("profiling", MPI_Pcontrol(1, "more") == MPI_SUCCESS);
  const double begin = MPI_Wtime();
  MPI_Barrier(MPI_COMM_WORLD);
  show("time does not go back", MPI_Wtime() >= begin);
}

}  // namespace

int main(int argc, char** argv) {
  const Answers me(&argc, &argv);
  attributes();
  error_handlers();
  around();
}
