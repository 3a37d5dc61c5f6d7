// The choice of the error handler. A communicator or window without its own handler follows MPI_COMM_WORLD's,
// whenever that is set. It has its own if it was set, or if it was made from an object with its own.
#include "answers.h"

namespace {

const MPI_Comm world = MPI_COMM_WORLD;
int calls = 0;
MPI_Comm seen = MPI_COMM_NULL;

void count(MPI_Comm* comm, int*, ...) {
  ++calls;
  seen = *comm;
}

int class_of(int code) {
  int found = -1;
  MPI_Error_class(code, &found);
  return found;
}

int wrong(MPI_Comm comm) { return class_of(MPI_Send(nullptr, -1, MPI_INT, 0, 0, comm)); }

void show_handler(const std::string& name, MPI_Comm comm) {
  MPI_Errhandler handler;
  MPI_Comm_get_errhandler(comm, &handler);
  show(name + ": handler", handler == MPI_ERRORS_ARE_FATAL ? 0 : handler == MPI_ERRORS_RETURN ? 1 : 2);
  if (handler != MPI_ERRORS_ARE_FATAL && handler != MPI_ERRORS_RETURN) MPI_Errhandler_free(&handler);
}

// Made while MPI_COMM_WORLD has the handler that ends the job.
struct Made {
  Made() {
    MPI_Comm_group(world, &all);
    MPI_Comm_dup(world, &copy);
    MPI_Comm_split(world, 0, 0, &part);
    MPI_Comm_create(world, all, &grouped);
    MPI_Comm_dup(copy, &copy_of_copy);
    MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, world, &window);
  }
  ~Made() {
    for (MPI_Comm* comm : {&copy, &part, &grouped, &copy_of_copy}) MPI_Comm_free(comm);
    MPI_Win_free(&window);
    MPI_Group_free(&all);
  }
  MPI_Group all;
  MPI_Comm copy, part, grouped, copy_of_copy;
  MPI_Win window;
  int memory = 0;
};

void null_results(const Made& made) {
  MPI_Comm comm = made.part;
  show("split, null", class_of(MPI_Comm_split(comm, 0, 0, nullptr)));
  show("split_type, null", class_of(MPI_Comm_split_type(comm, 2, 4, MPI_INFO_NULL, nullptr)));
  show("create, null", class_of(MPI_Comm_create(comm, made.all, nullptr)));
  show("create_group, null", class_of(MPI_Comm_create_group(comm, made.all, 10, nullptr)));
  show("intercomm_create, null", class_of(MPI_Intercomm_create(comm, 0, world, 1000, 52, nullptr)));
  int size = 0;
  MPI_Comm_size(world, &size);
  const int dims[] = {size, 2}, periods[] = {0, 0};
  comm = world;
  show("cart_create, too many points", class_of(MPI_Cart_create(world, 2, dims, periods, 0, &comm)));
  show("nothing is made", comm == MPI_COMM_NULL);
}

void of_windows(MPI_Win window) {
  int of_comm, value = 0;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &of_comm, nullptr);
  show("window, attribute of communicators", MPI_Win_set_attr(window, of_comm, &value) != MPI_SUCCESS);
  show("window, invalid target", class_of(MPI_Put(&value, 1, MPI_INT, 1000, 0, 1, MPI_INT, window)));
  MPI_Comm_free_keyval(&of_comm);
}

// The call returns the code that the handler has set.
int made_of_it = MPI_SUCCESS;
void change(MPI_Comm*, int* code, ...) { *code = made_of_it; }
void change_of_window(MPI_Win*, int* code, ...) { *code = made_of_it; }
void change_of_file(MPI_File*, int* code, ...) { *code = made_of_it; }

void changed(MPI_Win window) {
  MPI_Errhandler of_comm, deprecated, of_window, of_file, before;
  MPI_Comm_create_errhandler(&change, &of_comm);
  MPI_Errhandler_create(&change, &deprecated);
  MPI_Win_create_errhandler(&change_of_window, &of_window);
  MPI_File_create_errhandler(&change_of_file, &of_file);
  MPI_Comm_get_errhandler(world, &before);
  MPI_Win_set_errhandler(window, of_window);
  MPI_File_set_errhandler(MPI_FILE_NULL, of_file);
  for (const int code : {MPI_SUCCESS, MPI_ERR_OTHER}) {
    made_of_it = code;
    for (MPI_Errhandler handler : {of_comm, deprecated}) {
      MPI_Comm_set_errhandler(world, handler);
      show("changed, send", class_of(MPI_Send(nullptr, -1, MPI_INT, 0, 0, world)));
      show("changed, barrier", class_of(MPI_Barrier(MPI_COMM_NULL)));
      show("as given", MPI_Comm_call_errhandler(world, MPI_ERR_ARG));
    }
    MPI_Comm_set_errhandler(world, before);
    int value = 0;
    show("changed, put", class_of(MPI_Put(&value, 1, MPI_INT, 1000, 0, 1, MPI_INT, window)));
    MPI_File file = MPI_FILE_NULL;
    show("changed, open",
         class_of(MPI_File_open(MPI_COMM_SELF, "/none/none", MPI_MODE_RDONLY, MPI_INFO_NULL, &file)));
  }
  MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN);
  MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
  MPI_Errhandler returns;
  MPI_Win_get_errhandler(window, &returns);
  show("of the window", returns == MPI_ERRORS_RETURN);
  MPI_Errhandler_free(&returns);
  for (MPI_Errhandler* handler : {&of_comm, &deprecated, &of_window, &of_file, &before})
    MPI_Errhandler_free(handler);
}

}  // namespace

int main(int argc, char** argv) {
  const Answers me(&argc, &argv);
  Made made;
  show_handler("copy, at first", made.copy);
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  const struct {
    const char* name;
    MPI_Comm comm;
  } all[] = {{"copy", made.copy},
             {"part", made.part},
             {"grouped", made.grouped},
             {"copy of a copy", made.copy_of_copy},
             {"self", MPI_COMM_SELF}};
  for (const auto& [name, comm] : all) {
    show(name, wrong(comm));
    show_handler(name, comm);
    show(std::string(name) + ", attribute",
         MPI_Comm_set_attr(comm, MPI_KEYVAL_INVALID, nullptr) != MPI_SUCCESS);
  }
  // Objects made from MPI_COMM_WORLD now have a handler of their own, the one that was set.
  MPI_Comm later;
  MPI_Comm_dup(world, &later);
  show_handler("later", later);
  null_results(made);
  of_windows(made.window);

  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(&count, &handler);
  MPI_Comm_set_errhandler(world, handler);
  for (const auto& [name, comm] : all) {
    show(name, wrong(comm));
    show("told of the world", seen == world);
  }
  show("calls", calls);
  show("later", wrong(later));
  show("not told of", calls);
  MPI_Comm_free(&later);

  // Sets a handler of its own; an object made from it has that handler, too.
  MPI_Comm_set_errhandler(made.copy, handler);
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  MPI_Comm heir, heirs_part;
  MPI_Comm_dup(made.copy, &heir);
  MPI_Comm_split(heir, 0, 0, &heirs_part);
  calls = 0;
  for (MPI_Comm comm : {made.copy, heir, heirs_part, made.copy_of_copy}) {
    seen = MPI_COMM_NULL;
    show("class", wrong(comm));
    show("its own", seen == comm);
    show_handler("then", comm);
  }
  show("calls", calls);
  changed(made.window);
  MPI_Comm_free(&heir);
  MPI_Comm_free(&heirs_part);
  MPI_Errhandler_free(&handler);
}
