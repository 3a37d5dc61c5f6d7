// Groups: set operations, translation, and errors in their arguments.
#include <tuple>

#include "answers.h"

namespace {

// Shows the members as ranks in MPI_COMM_WORLD, and this rank in the group.
void show_group(const std::string& name, MPI_Group group) {
  int size = -1, rank = -1;
  MPI_Group all;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_size(group, &size);
  MPI_Group_rank(group, &rank);
  const std::vector<int> ranks = counting(static_cast<std::size_t>(size));
  std::vector<int> world(ranks.size(), -1);
  MPI_Group_translate_ranks(group, size, ranks.data(), all, world.data());
  show(name, world);
  show(name + ", own rank", rank == MPI_UNDEFINED ? -7 : rank);
  show(name + ", is empty", group == MPI_GROUP_EMPTY);
  MPI_Group_free(&all);
}

void show_compared(const std::string& name, MPI_Group a, MPI_Group b) {
  int result = -1;
  MPI_Group_compare(a, b, &result);
  show(name, result == MPI_IDENT ? 0 : result == MPI_SIMILAR ? 1 : result == MPI_UNEQUAL ? 2 : -1);
}

// With 8 processes or more: groups of 0, 2, 4, ... and of others, in several orders.
void operations(const Answers& me) {
  MPI_Group all, a, b, c, made[3], reverse, same;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  show_group("all", all);
  const int first[] = {6, 0, 2}, second[] = {1, 2, 3, 6};
  MPI_Group_incl(all, 3, first, &a);
  MPI_Group_incl(all, 4, second, &b);
  MPI_Group_excl(all, 3, first, &c);
  show_group("incl", a);
  show_group("excl", c);
  for (const auto& [x, y, what] : {std::tuple(a, b, "a b"), std::tuple(b, a, "b a"), std::tuple(a, c, "a c"),
                                   std::tuple(a, MPI_GROUP_EMPTY, "a none")}) {
    MPI_Group_union(x, y, &made[0]);
    MPI_Group_intersection(x, y, &made[1]);
    MPI_Group_difference(x, y, &made[2]);
    show_group(std::string("union ") + what, made[0]);
    show_group(std::string("intersection ") + what, made[1]);
    show_group(std::string("difference ") + what, made[2]);
    for (MPI_Group& group : made) MPI_Group_free(&group);
    show("freed", made[0] == MPI_GROUP_NULL);
    show_compared(std::string("compare ") + what, x, y);
  }
  const std::vector<int> ranks = counting(static_cast<std::size_t>(me.size));
  const std::vector<int> backwards(ranks.rbegin(), ranks.rend());
  MPI_Group_incl(all, me.size, backwards.data(), &reverse);
  MPI_Group_incl(all, me.size, ranks.data(), &same);
  show_compared("reverse", all, reverse);
  show_compared("same", all, same);
  int ranges[][3] = {{me.size - 1, 4, -2}, {0, 3, 2}, {1, 1, 5}};
  MPI_Group_range_incl(all, 3, ranges, &made[0]);
  MPI_Group_range_excl(all, 3, ranges, &made[1]);
  MPI_Group_range_excl(all, 0, ranges, &made[2]);
  show_group("range incl", made[0]);
  show_group("range excl", made[1]);
  show_group("range excl of none", made[2]);
  const int asked[] = {2, MPI_PROC_NULL, 0};
  int told[3];
  MPI_Group_translate_ranks(a, 3, asked, b, told);
  for (int& rank : told) rank = rank == MPI_UNDEFINED ? -7 : rank == MPI_PROC_NULL ? -8 : rank;
  show("translated", told, 3);
  show("as in Fortran", MPI_Group_f2c(MPI_Group_c2f(a)) == a);
  MPI_Group none = MPI_GROUP_EMPTY;
  show_group("none", none);
  for (MPI_Group* group : {&all, &a, &b, &c, &made[0], &made[1], &made[2], &reverse, &same, &none})
    MPI_Group_free(group);
  show("empty freed", none == MPI_GROUP_NULL);
}

void show_error(const std::string& name, int code) {
  int error_class = -1;
  MPI_Error_class(code, &error_class);
  show(name, error_class);
}

void mistakes(const Answers& me) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Group all, made = MPI_GROUP_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  int n = 0;
  const int beyond[] = {0, me.size}, negative[] = {-1};
  show_error("size of null", MPI_Group_size(MPI_GROUP_NULL, &n));
  show_error("rank of null", MPI_Group_rank(MPI_GROUP_NULL, &n));
  show_error("size to null", MPI_Group_size(all, nullptr));
  show_error("incl beyond", MPI_Group_incl(all, 2, beyond, &made));
  show_error("incl negative", MPI_Group_incl(all, 1, negative, &made));
  show_error("incl of negative number", MPI_Group_incl(all, -1, beyond, &made));
  show_error("incl of null", MPI_Group_incl(MPI_GROUP_NULL, 1, beyond, &made));
  show_error("excl beyond", MPI_Group_excl(all, 2, beyond, &made));
  show_error("union with null", MPI_Group_union(all, MPI_GROUP_NULL, &made));
  show_error("intersection with null", MPI_Group_intersection(MPI_GROUP_NULL, all, &made));
  show_error("difference with null", MPI_Group_difference(all, MPI_GROUP_NULL, &made));
  show_error("compare with null", MPI_Group_compare(all, MPI_GROUP_NULL, &n));
  show_error("free null", MPI_Group_free(&made));
  int still[][3] = {{0, 1, 0}}, away[][3] = {{1, 0, 1}}, far[][3] = {{0, me.size, 1}},
      again[][3] = {{0, 2, 1}, {2, 3, 1}}, below[][3] = {{-1, 1, 1}};
  show_error("stride 0", MPI_Group_range_incl(all, 1, still, &made));
  show_error("away from the end", MPI_Group_range_incl(all, 1, away, &made));
  show_error("range beyond", MPI_Group_range_incl(all, 1, far, &made));
  show_error("range twice", MPI_Group_range_incl(all, 2, again, &made));
  show_error("range below", MPI_Group_range_incl(all, 1, below, &made));
  show_error("excl, stride 0", MPI_Group_range_excl(all, 1, still, &made));
  show_error("excl, range beyond", MPI_Group_range_excl(all, 1, far, &made));
  show_error("excl, range twice", MPI_Group_range_excl(all, 2, again, &made));
  show_error("negative ranges", MPI_Group_range_excl(all, -1, far, &made));
  int to[2];
  show_error("translate beyond", MPI_Group_translate_ranks(all, 2, beyond, all, to));
  show_error("translate negative number", MPI_Group_translate_ranks(all, -1, beyond, all, to));
  show_error("group of null", MPI_Comm_group(MPI_COMM_NULL, &made));
  MPI_Comm comm;
  show_error("create with null", MPI_Comm_create(MPI_COMM_WORLD, MPI_GROUP_NULL, &comm));
  show_error("create group with null", MPI_Comm_create_group(MPI_COMM_WORLD, MPI_GROUP_NULL, 0, &comm));
  MPI_Group_free(&all);
}

}  // namespace

int main(int argc, char** argv) {
  const Answers me(&argc, &argv);
  operations(me);
  mistakes(me);
}
