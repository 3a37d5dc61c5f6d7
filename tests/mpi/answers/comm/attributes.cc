// Attributes of communicators: the callbacks that run, their order, and the queries that they can make. Names, info,
// error handlers, and the properties that a new communicator inherits.
#include "answers.h"

namespace {

// The arguments of a callback: the number of its key, the value, and the communicator's size and rank.
void note(const char* what, MPI_Comm comm, const void* extra, const void* value) {
  int rank = -1, size = -1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  std::printf("%s: key %d, value %lld, rank %d of %d\n", what, *static_cast<const int*>(extra),
              static_cast<long long>(reinterpret_cast<std::intptr_t>(value)), rank, size);
}

int copy_it(MPI_Comm comm, int, void* extra, void* value, void* out, int* flag) {
  note("copied", comm, extra, value);
  *static_cast<void**>(out) = static_cast<char*>(value) + 1;
  *flag = *static_cast<int*>(extra) != 1;
  return MPI_SUCCESS;
}
int delete_it(MPI_Comm comm, int, void* value, void* extra) {
  note("deleted", comm, extra, value);
  return MPI_SUCCESS;
}
int refuse_copy(MPI_Comm comm, int, void* extra, void* value, void*, int*) {
  note("refused", comm, extra, value);
  return MPI_ERR_OTHER;
}
// Counts all members by a sum.
int count_members(MPI_Comm comm, int, void* extra, void* value, void* out, int* flag) {
  int one = 1, all = 0;
  MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, comm);
  note("counted", comm, extra, value);
  *static_cast<void**>(out) = reinterpret_cast<void*>(static_cast<std::intptr_t>(all));
  *flag = 1;
  return MPI_SUCCESS;
}

int keys[4];
int numbers[] = {0, 1, 2, 3};

void* value_of(long long n) { return reinterpret_cast<void*>(static_cast<std::intptr_t>(n)); }

void show_attributes(const std::string& name, MPI_Comm comm) {
  for (int i = 0; i < 4; ++i) {
    void* value = nullptr;
    int flag = 0;
    MPI_Comm_get_attr(comm, keys[i], &value, &flag);
    show(name + numbered(", attribute", i),
         flag ? static_cast<long long>(reinterpret_cast<std::intptr_t>(value)) : -1);
  }
}

void ways(MPI_Comm comm) {
  MPI_Comm made;
  MPI_Group group;
  MPI_Comm_dup(comm, &made);
  show_attributes("dup", made);
  MPI_Comm_delete_attr(made, keys[2]);
  MPI_Comm_free(&made);
  MPI_Comm_dup_with_info(comm, MPI_INFO_NULL, &made);
  show_attributes("dup with info", made);
  MPI_Comm_free(&made);
  MPI_Comm_split(comm, 0, 0, &made);
  show_attributes("split", made);
  MPI_Comm_free(&made);
  MPI_Comm_group(comm, &group);
  MPI_Comm_create(comm, group, &made);
  show_attributes("create", made);
  MPI_Comm_free(&made);
  MPI_Group_free(&group);
  int size;
  MPI_Comm_size(comm, &size);
  const int dims[] = {size}, periods[] = {0};
  MPI_Cart_create(comm, 1, dims, periods, 0, &made);
  show_attributes("cart", made);
  MPI_Comm_set_attr(made, keys[0], value_of(50));
  MPI_Comm_set_attr(made, keys[0], value_of(60));
  MPI_Comm_free(&made);
}

// MPI_Finalize deletes the remaining attributes, while all functions of MPI still work.
int last_one(MPI_Comm comm, int, void* value, void* extra) {
  int rank, size, sum = 0, got = -1, over = -1;
  note(comm == MPI_COMM_SELF ? "at the end, of self" : "at the end, of world", comm, extra, value);
  MPI_Finalized(&over);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &got, 1, MPI_INT, (rank + size - 1) % size, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Comm copy;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_free(&copy);
  const int seen[] = {over, sum, got};
  show("it sees", seen, 3);
  return MPI_SUCCESS;
}

// Some attributes are replaced or deleted before, and some keys are freed.
void left_to_the_end() {
  int left[4];
  for (int i = 0; i < 4; ++i) MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, &last_one, &left[i], &numbers[i]);
  MPI_Comm_set_attr(MPI_COMM_WORLD, left[2], value_of(102));
  for (const int i : {1, 0, 3}) MPI_Comm_set_attr(MPI_COMM_SELF, left[i], value_of(100 + i));
  MPI_Comm_set_attr(MPI_COMM_WORLD, left[1], value_of(111));
  MPI_Comm_set_attr(MPI_COMM_SELF, left[1], value_of(121));
  MPI_Comm_delete_attr(MPI_COMM_SELF, left[0]);
  MPI_Comm_free_keyval(&left[3]);
}

int errors_seen = 0;
void see_error(MPI_Comm*, int*, ...) { ++errors_seen; }

void inherited() {
  MPI_Errhandler own, found;
  MPI_Comm_create_errhandler(&see_error, &own);
  MPI_Comm parent, made;
  MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &parent);
  MPI_Comm_set_errhandler(parent, own);
  MPI_Comm_set_name(parent, "parent");
  const auto look = [&](const std::string& name) {
    char text[MPI_MAX_OBJECT_NAME] = "";
    int length = 0;
    MPI_Comm_get_name(made, text, &length);
    MPI_Comm_get_errhandler(made, &found);
    std::printf("%s: name \"%s\", %d letters\n", name.c_str(), text, length);
    show(name + ", handler", found == own ? 1 : found == MPI_ERRORS_ARE_FATAL ? 0 : -1);
    MPI_Errhandler_free(&found);
    MPI_Comm_free(&made);
  };
  MPI_Comm_dup(parent, &made);
  look("dup");
  MPI_Comm_split(parent, 0, 0, &made);
  look("split");
  MPI_Group group;
  MPI_Comm_group(parent, &group);
  MPI_Comm_create(parent, group, &made);
  look("create");
  MPI_Comm_create_group(parent, group, 0, &made);
  look("create group");
  MPI_Group_free(&group);
  int size;
  MPI_Comm_size(parent, &size);
  const int periods[] = {0};
  MPI_Cart_create(parent, 1, &size, periods, 0, &made);
  look("cart");
  MPI_Comm_free(&parent);
  MPI_Errhandler_free(&own);
}

}  // namespace

int main(int argc, char** argv) {
  const Answers me(&argc, &argv);
  for (int i = 0; i < 3; ++i) MPI_Comm_create_keyval(&copy_it, &delete_it, &keys[i], &numbers[i]);
  MPI_Comm_create_keyval(&count_members, &delete_it, &keys[3], &numbers[3]);
  MPI_Comm first;
  MPI_Comm_split(MPI_COMM_WORLD, me.rank % 2, 0, &first);
  for (const MPI_Comm comm : {MPI_COMM_SELF, first, MPI_COMM_WORLD}) {
    for (const int i : {2, 0, 3, 1}) MPI_Comm_set_attr(comm, keys[i], value_of(10 * i + me.rank));
    ways(comm);
    for (const int key : keys) MPI_Comm_delete_attr(comm, key);
  }
  MPI_Comm_free(&first);
  // A failing copy callback: no communicator is created.
  int refusing;
  MPI_Comm lone = MPI_COMM_NULL, made = MPI_COMM_SELF;
  MPI_Comm_create_keyval(&refuse_copy, &delete_it, &refusing, &numbers[0]);
  MPI_Comm_dup(MPI_COMM_SELF, &lone);
  MPI_Comm_set_errhandler(lone, MPI_ERRORS_RETURN);
  MPI_Comm_set_attr(lone, refusing, value_of(7));
  const int code = MPI_Comm_dup(lone, &made);
  show("refused", code != MPI_SUCCESS);
  show("nothing made", made == MPI_COMM_NULL);
  MPI_Comm_free(&lone);
  MPI_Comm_free_keyval(&refusing);
  for (int& key : keys) MPI_Comm_free_keyval(&key);
  inherited();
  left_to_the_end();
}
