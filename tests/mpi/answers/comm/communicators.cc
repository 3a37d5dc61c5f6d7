// Communicators: their creation, separation of their messages, attributes and topologies.
#include "answers.h"

namespace {

// Shows the members in order, by a message around the ring and a sum.
void show_members(const Answers& me, const std::string& name, MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) {
    show(name + ", not a member", me.rank);
    return;
  }
  int rank, size, from_left = -1, sum = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MPI_Status status;
  MPI_Sendrecv(&me.rank, 1, MPI_INT, (rank + 1) % size, 1, &from_left, 1, MPI_INT, MPI_ANY_SOURCE, 1, comm,
               &status);
  MPI_Allreduce(&me.rank, &sum, 1, MPI_INT, MPI_SUM, comm);
  const int found[] = {rank, size, from_left, status.MPI_SOURCE, sum};
  show(name, found, 5);
}

void made_and_freed(const Answers& me, const std::string& name, MPI_Comm comm) {
  show_members(me, name, comm);
  if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
  show(name + ", null after free", comm == MPI_COMM_NULL);
}

void ways_to_make(const Answers& me) {
  MPI_Comm comm, inner;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  int compared;
  MPI_Comm_compare(MPI_COMM_WORLD, comm, &compared);
  show("dup is congruent", compared == MPI_CONGRUENT);
  made_and_freed(me, "dup", comm);
  MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &comm);
  made_and_freed(me, "dup with info", comm);
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  made_and_freed(me, "dup of self", comm);
  MPI_Comm_split(MPI_COMM_WORLD, me.rank % 2, -me.rank, &comm);
  MPI_Comm_split(comm, me.rank / 2 % 2, 0, &inner);
  show_members(me, "split of a split", inner);
  MPI_Comm_free(&comm);
  made_and_freed(me, "split after its parent went", inner);
  MPI_Comm_split(MPI_COMM_WORLD, me.rank == 0 ? MPI_UNDEFINED : 7, me.rank, &comm);
  made_and_freed(me, "split but one", comm);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, me.rank, MPI_INFO_NULL, &comm);
  made_and_freed(me, "split by node", comm);
  MPI_Comm_split_type(MPI_COMM_WORLD, me.rank ? MPI_COMM_TYPE_SHARED : MPI_UNDEFINED, 0, MPI_INFO_NULL,
                      &comm);
  made_and_freed(me, "split by node but one", comm);
  // There is only one node, so no smaller part of the machine.
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_UNGUIDED, 0, MPI_INFO_NULL, &comm);
  made_and_freed(me, "split by a part of the machine", comm);
}

void neighbours(const Answers& me) {
  MPI_Comm comm;
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPIX_COMM_TYPE_NEIGHBORHOOD, 0, info, &comm);
  made_and_freed(me, "split by nothing", comm);
  MPI_Info_set(info, "nbhd_common_dirname", ".");
  MPI_Comm_split_type(MPI_COMM_WORLD, MPIX_COMM_TYPE_NEIGHBORHOOD, 0, info, &comm);
  made_and_freed(me, "split by a folder", comm);
  MPI_Info_set(info, "nbhd_common_dirname", numbered("folder", me.rank).c_str());
  MPI_Comm_split_type(MPI_COMM_WORLD, MPIX_COMM_TYPE_NEIGHBORHOOD, 0, info, &comm);
  if (me.size > 1) made_and_freed(me, "split by several folders", comm);
  MPI_Info_free(&info);
}

void disconnected(const Answers& me) {
  MPI_Comm comm;
  MPI_Comm_split(MPI_COMM_WORLD, me.rank % 2, 0, &comm);
  show_members(me, "before it is disconnected", comm);
  show("disconnected", MPI_Comm_disconnect(&comm) == MPI_SUCCESS && comm == MPI_COMM_NULL);
}

void from_groups(const Answers& me) {
  MPI_Group all, odd, rest;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  std::vector<int> members;
  for (int i = me.size - 1; i >= 0; --i)
    if (i % 2) members.push_back(i);
  MPI_Group_incl(all, static_cast<int>(members.size()), members.data(), &odd);
  MPI_Group_difference(all, odd, &rest);
  MPI_Comm comm;
  MPI_Comm_create(MPI_COMM_WORLD, odd, &comm);
  made_and_freed(me, "create", comm);
  MPI_Comm_create_group(MPI_COMM_WORLD, me.rank % 2 ? odd : rest, 5, &comm);
  made_and_freed(me, "create from the group", comm);
  if (me.rank % 2) {
    MPI_Comm_create_group(MPI_COMM_WORLD, odd, 6, &comm);
    made_and_freed(me, "create by some", comm);
  }
  for (MPI_Group* group : {&all, &odd, &rest}) MPI_Group_free(group);
}

// Equal tags and peers in two communicators. One is freed while its message is in transit.
void apart(const Answers& me) {
  MPI_Comm first, second;
  MPI_Comm_dup(MPI_COMM_WORLD, &first);
  MPI_Comm_dup(MPI_COMM_WORLD, &second);
  const int right = (me.rank + 1) % me.size, left = (me.rank + me.size - 1) % me.size;
  const std::vector<int> a(100, me.rank), b(100, me.rank + 50), c(100, me.rank + 100);
  std::vector<int> x(100), y(100), z(100);
  MPI_Request requests[6];
  MPI_Irecv(x.data(), 100, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(y.data(), 100, MPI_INT, left, 0, first, &requests[1]);
  MPI_Irecv(z.data(), 100, MPI_INT, MPI_ANY_SOURCE, 0, second, &requests[2]);
  MPI_Isend(c.data(), 100, MPI_INT, right, 0, second, &requests[3]);
  MPI_Isend(b.data(), 100, MPI_INT, right, 0, first, &requests[4]);
  MPI_Comm_free(&first);
  int sum;  // collectives do not match the receives above
  MPI_Allreduce(&me.rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  show("sum between", sum);
  MPI_Comm_free(&second);
  MPI_Isend(a.data(), 100, MPI_INT, right, 0, MPI_COMM_WORLD, &requests[5]);
  MPI_Waitall(6, requests, MPI_STATUSES_IGNORE);
  const int found[] = {x[99], y[99], z[99]};
  show("apart", found, 3);
}

int copies = 0, deletions = 0;
int copy_attribute(MPI_Comm, int, void* extra, void* value, void* out, int* flag) {
  ++copies;
  *static_cast<void**>(out) = static_cast<char*>(value) + *static_cast<int*>(extra);
  *flag = 1;
  return MPI_SUCCESS;
}
int delete_attribute(MPI_Comm, int, void*, void*) {
  ++deletions;
  return MPI_SUCCESS;
}

void attributes(const Answers&) {
  int keyval, extra = 5, flag = 0;
  void* value = nullptr;
  MPI_Comm first, second;
  MPI_Comm_create_keyval(&copy_attribute, &delete_attribute, &keyval, &extra);
  MPI_Comm_dup(MPI_COMM_WORLD, &first);
  MPI_Comm_set_attr(first, keyval, reinterpret_cast<void*>(100));
  MPI_Comm_dup(first, &second);
  MPI_Comm_get_attr(second, keyval, &value, &flag);
  show("attribute found", flag);
  show("attribute", reinterpret_cast<long long>(value));
  MPI_Comm_free(&first);
  MPI_Comm_free(&second);
  MPI_Comm_free_keyval(&keyval);
  show("copies", copies);
  show("deletions", deletions);
  int* limit = nullptr;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &limit, &flag);
  show("a limit of tags", flag && *limit >= 32767);
}

// A communicator that is freed while requests are in progress: its attributes are deleted when those are complete.
void freed_in_use(const Answers& me) {
  const int right = (me.rank + 1) % me.size, left = (me.rank + me.size - 1) % me.size;
  int keyval;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, &delete_attribute, &keyval, nullptr);
  for (int kind = 0; kind < 3; ++kind) {
    MPI_Comm comm;
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    int in = 0, out = 1;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_attr(comm, keyval, nullptr);
    deletions = 0;
    if (kind == 0) {
      MPI_Irecv(&in, 1, MPI_INT, left, 0, comm, &requests[0]);
      MPI_Isend(&out, 1, MPI_INT, right, 0, comm, &requests[1]);
    } else if (kind == 1) {
      MPI_Isend(&out, 1, MPI_INT, right, 0, comm, &requests[1]);
      MPI_Recv(&in, 1, MPI_INT, left, 0, comm, MPI_STATUS_IGNORE);
    } else {
      MPI_Ibarrier(comm, &requests[0]);
    }
    MPI_Comm_free(&comm);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    show(numbered("deleted with its requests", kind), deletions);
  }
  MPI_Comm_free_keyval(&keyval);
}

// A grid, periodic in one dimension only: exchange of edges in both dimensions, then along one row.
void grid(const Answers& me) {
  int dims[2] = {0, 0};
  const int periods[] = {1, 0}, remain[] = {0, 1};
  MPI_Dims_create(me.size, 2, dims);
  MPI_Comm cart, row;
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &cart);
  show_members(me, "cart", cart);
  int rank, here[2];
  MPI_Comm_rank(cart, &rank);
  MPI_Cart_coords(cart, rank, 2, here);
  show("coordinates", here, 2);
  for (int direction = 0; direction < 2; ++direction) {
    int source, dest;
    MPI_Cart_shift(cart, direction, 1, &source, &dest);
    std::vector<int> edge = counting(300, me.rank * 1000), halo(300, -1);
    MPI_Status status;
    MPI_Sendrecv(edge.data(), 300, MPI_INT, dest, 2, halo.data(), 300, MPI_INT, source, 2, cart, &status);
    show(numbered("halo", direction), halo.data(), 3);
    show("halo", status, MPI_INT);
    MPI_Sendrecv_replace(edge.data(), 300, MPI_INT, source, 2, dest, 2, cart, &status);
    show(numbered("replaced", direction), edge.data(), 3);
  }
  MPI_Cart_sub(cart, remain, &row);
  show_members(me, "row", row);
  MPI_Comm_free(&row);
  MPI_Comm_free(&cart);
  const int one[] = {1};
  MPI_Cart_create(MPI_COMM_WORLD, 1, one, one, 0, &cart);
  made_and_freed(me, "cart of one", cart);
}

void graphs(const Answers& me) {
  std::vector<int> index, edges;
  for (int i = 0; i < me.size; ++i) {
    edges.push_back((i + 1) % me.size);
    index.push_back(i + 1);
  }
  MPI_Comm graph;
  MPI_Graph_create(MPI_COMM_WORLD, me.size, index.data(), edges.data(), 0, &graph);
  made_and_freed(me, "graph", graph);
  const int left = (me.rank + me.size - 1) % me.size, right = (me.rank + 1) % me.size, one = 1;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &left, MPI_UNWEIGHTED, 1, &right, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &graph);
  made_and_freed(me, "adjacent", graph);
  MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &me.rank, &one, &right, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
  made_and_freed(me, "distributed graph", graph);
}

}  // namespace

int main(int argc, char** argv) {
  const Answers me(&argc, &argv);
  ways_to_make(me);
  neighbours(me);
  disconnected(me);
  from_groups(me);
  apart(me);
  attributes(me);
  freed_in_use(me);
  grid(me);
  graphs(me);
}
