// Collectives in the background: all of them alone, several at once, together with messages and blocking collectives,
// completed in all ways, with datatypes that are freed meanwhile.
#include "answers.h"

namespace {

using Ints = std::vector<int>;

void wait(MPI_Request* request) {
  MPI_Wait(request, MPI_STATUS_IGNORE);
  show("null", *request == MPI_REQUEST_NULL);
}

void moving(const Answers& me, int n) {
  const auto count = static_cast<std::size_t>(n), ranks = static_cast<std::size_t>(me.size);
  const int root = me.size - 1;
  MPI_Request request;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  wait(&request);

  Ints one = counting(count, me.rank == root ? 100 : 0), all(count * ranks, -1);
  MPI_Ibcast(one.data(), n, MPI_INT, root, MPI_COMM_WORLD, &request);
  wait(&request);
  show("bcast", one);

  const Ints mine = counting(count, me.rank * 1000), for_all = counting(count * ranks, me.rank * 7);
  MPI_Igather(mine.data(), n, MPI_INT, all.data(), n, MPI_INT, root, MPI_COMM_WORLD, &request);
  wait(&request);
  show("gather", all);
  MPI_Iscatter(for_all.data(), n, MPI_INT, one.data(), n, MPI_INT, root, MPI_COMM_WORLD, &request);
  wait(&request);
  show("scatter", one);
  MPI_Iallgather(mine.data(), n, MPI_INT, all.data(), n, MPI_INT, MPI_COMM_WORLD, &request);
  wait(&request);
  show("allgather", all);
  MPI_Iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all.data(), n, MPI_INT, MPI_COMM_WORLD, &request);
  wait(&request);
  show("allgather in place", all);
  MPI_Ialltoall(for_all.data(), n, MPI_INT, all.data(), n, MPI_INT, MPI_COMM_WORLD, &request);
  wait(&request);
  show("alltoall", all);
}

void parts(const Answers& me) {
  const auto ranks = static_cast<std::size_t>(me.size);
  Ints counts(ranks), displacements(ranks);
  int all = 0;
  for (std::size_t i = 0; i < ranks; ++i) {
    counts[i] = static_cast<int>(i) * 3 + 1;
    displacements[i] = all;
    all += counts[i] + 1;
  }
  const int own = counts[static_cast<std::size_t>(me.rank)];
  const Ints mine = counting(static_cast<std::size_t>(own), me.rank * 1000);
  const Ints for_all = counting(static_cast<std::size_t>(all), me.rank * 7);
  Ints got(static_cast<std::size_t>(all), -1), one(static_cast<std::size_t>(own), -1);
  MPI_Request request;
  MPI_Igatherv(mine.data(), own, MPI_INT, got.data(), counts.data(), displacements.data(), MPI_INT, 0,
               MPI_COMM_WORLD, &request);
  wait(&request);
  show("gatherv", got);
  MPI_Iscatterv(for_all.data(), counts.data(), displacements.data(), MPI_INT, one.data(), own, MPI_INT, 0,
                MPI_COMM_WORLD, &request);
  wait(&request);
  show("scatterv", one);
  MPI_Iallgatherv(mine.data(), own, MPI_INT, got.data(), counts.data(), displacements.data(), MPI_INT,
                  MPI_COMM_WORLD, &request);
  wait(&request);
  show("allgatherv", got);
  Ints to(ranks, own);
  for (std::size_t i = 0; i < ranks; ++i) displacements[i] = static_cast<int>(i) * own;
  Ints from = counts, from_where(ranks);
  all = 0;
  for (std::size_t i = 0; i < ranks; ++i) {
    from_where[i] = all;
    all += from[i];
  }
  const Ints out = counting(ranks * static_cast<std::size_t>(own), me.rank * 100);
  got.assign(static_cast<std::size_t>(all), -1);
  MPI_Ialltoallv(out.data(), to.data(), displacements.data(), MPI_INT, got.data(), from.data(),
                 from_where.data(), MPI_INT, MPI_COMM_WORLD, &request);
  wait(&request);
  show("alltoallv", got);
}

void combining(const Answers& me, int n) {
  const auto count = static_cast<std::size_t>(n), ranks = static_cast<std::size_t>(me.size);
  const Ints mine = counting(count, me.rank * 3), for_all = counting(count * ranks, me.rank * 5);
  Ints result(count, -1);
  MPI_Request request;
  MPI_Ireduce(mine.data(), result.data(), n, MPI_INT, MPI_SUM, me.size - 1, MPI_COMM_WORLD, &request);
  wait(&request);
  show("reduce", result);
  MPI_Iallreduce(mine.data(), result.data(), n, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &request);
  wait(&request);
  show("allreduce", result);
  MPI_Iallreduce(MPI_IN_PLACE, result.data(), n, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  wait(&request);
  show("allreduce in place", result);
  MPI_Iscan(mine.data(), result.data(), n, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  wait(&request);
  show("scan", result);
  MPI_Iexscan(mine.data(), result.data(), n, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  wait(&request);
  if (me.rank > 0) show("exscan", result);
  MPI_Ireduce_scatter_block(for_all.data(), result.data(), n, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  wait(&request);
  show("reduce_scatter_block", result);
  const Ints counts(ranks, n);
  MPI_Ireduce_scatter(for_all.data(), result.data(), counts.data(), MPI_INT, MPI_SUM, MPI_COMM_WORLD,
                      &request);
  wait(&request);
  show("reduce_scatter", result);
}

// Several collectives on one communicator and on others, and messages from any source, all in progress at once.
void at_once(const Answers& me) {
  constexpr int several = 6, n = 500;
  MPI_Comm other;
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  const Ints mine = counting(n, me.rank);
  std::vector<Ints> sums(several, Ints(n, -1));
  Ints gathered(static_cast<std::size_t>(me.size), -1), in(static_cast<std::size_t>(me.size), -1);
  std::vector<MPI_Request> requests;
  for (int i = 0; i < several; ++i)
    MPI_Iallreduce(mine.data(), sums[static_cast<std::size_t>(i)].data(), n, MPI_INT,
                   i % 2 ? MPI_SUM : MPI_MIN, i < 3 ? MPI_COMM_WORLD : other, &requests.emplace_back());
  for (int& value : in)
    MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &requests.emplace_back());
  int blocking = -1;
  MPI_Allreduce(&me.rank, &blocking, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  show("a blocking one beside them", blocking);
  MPI_Iallgather(&me.rank, 1, MPI_INT, gathered.data(), 1, MPI_INT, other, &requests.emplace_back());
  for (int to = 0; to < me.size; ++to) MPI_Send(&me.rank, 1, MPI_INT, to, 2, MPI_COMM_WORLD);
  for (std::size_t left = requests.size(); left > 0;) {
    int ended = 0;
    Ints indices(requests.size());
    MPI_Testsome(static_cast<int>(requests.size()), requests.data(), &ended, indices.data(),
                 MPI_STATUSES_IGNORE);
    left -= static_cast<std::size_t>(ended);
  }
  for (const Ints& sum : sums) show("sum", sum);
  show("gathered", gathered);
  int all = 0;
  for (const int value : in) all += value;
  show("received in all", all);
  MPI_Comm_free(&other);
}

void every_third(const Answers& me) {
  const Ints mine = counting(300, me.rank);
  Ints all(static_cast<std::size_t>(me.size) * 300, -1);
  MPI_Datatype vector, spread;
  MPI_Type_vector(100, 1, 3, MPI_INT, &vector);
  MPI_Type_create_resized(vector, 0, 300 * sizeof(int), &spread);
  MPI_Type_commit(&spread);
  MPI_Type_free(&vector);
  MPI_Request request;
  int flag = 0;
  MPI_Iallgather(mine.data(), 1, spread, all.data(), 1, spread, MPI_COMM_WORLD, &request);
  MPI_Type_free(&spread);
  while (!flag) MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
  show("every third", all);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  show("every third", all);
}

void add_and_one(void* from, void* into, int* count, MPI_Datatype*) {
  for (int i = 0; i < *count; ++i) static_cast<int*>(into)[i] += static_cast<int*>(from)[i] + 1;
}

// The communicator and the operation exist until the collective is complete.
void freed_meanwhile(const Answers& me) {
  constexpr int n = 20000;
  const Ints mine = counting(n, me.rank);
  Ints sum(n, -1);
  MPI_Comm comm;
  MPI_Op op;
  MPI_Request request;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Op_create(add_and_one, 1, &op);
  MPI_Iallreduce(mine.data(), sum.data(), n, MPI_INT, op, comm, &request);
  MPI_Op_free(&op);
  MPI_Comm_free(&comm);
  show("null", op == MPI_OP_NULL && comm == MPI_COMM_NULL);
  wait(&request);
  show("of what was freed", sum);
}

int deleted = 0;
// Sends to itself.
int count_deletion(MPI_Datatype, int, void*, void*) {
  int rank, number = deleted + 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return MPI_Sendrecv(&number, 1, MPI_INT, rank, 5, &deleted, 1, MPI_INT, rank, 5, MPI_COMM_WORLD,
                      MPI_STATUS_IGNORE);
}

// The datatype's attribute is deleted by the end of the collective, also if no request follows.
void attribute_of_a_freed_type(const Answers& me) {
  int key, sum = 0;
  MPI_Datatype type;
  MPI_Op op;
  MPI_Request request;
  MPI_Op_create(add_and_one, 1, &op);
  MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, count_deletion, &key, nullptr);
  for (const bool persistent : {false, true}) {
    MPI_Type_dup(MPI_INT, &type);
    MPI_Type_set_attr(type, key, nullptr);
    if (persistent) {
      MPI_Allreduce_init(&me.rank, &sum, 1, type, op, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
      MPI_Start(&request);
    } else {
      MPI_Iallreduce(&me.rank, &sum, 1, type, op, MPI_COMM_WORLD, &request);
    }
    MPI_Type_free(&type);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (persistent) MPI_Request_free(&request);
    show("sum", sum);
    show("deleted", deleted);
  }
  MPI_Type_dup(MPI_INT, &type);
  MPI_Type_set_attr(type, key, nullptr);
  MPI_Type_free(&type);
  show("deleted at once", deleted);
  MPI_Type_free_keyval(&key);
  MPI_Op_free(&op);
}

int class_of(int code) {
  int result = -1;
  MPI_Error_class(code, &result);
  return result;
}

void wrong(const Answers& me) {
  int value = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  show("root", class_of(MPI_Ibcast(&value, 1, MPI_INT, me.size, MPI_COMM_WORLD, &request)));
  show("count", class_of(MPI_Ibcast(&value, -1, MPI_INT, 0, MPI_COMM_WORLD, &request)));
}

// More collectives in progress than MPICH has datatypes for, while the program frees their datatypes.
void many_of_a_type(const Answers& me) {
  constexpr int many = 1500;
  MPI_Datatype spread;
  MPI_Type_vector(3, 1, 2, MPI_INT, &spread);
  MPI_Type_commit(&spread);
  std::vector<int> data(many * 6, -1);
  std::vector<MPI_Request> requests(many);
  for (int i = 0; i < many; ++i) {
    for (int k = 0; k < 3 && me.rank == 0; ++k) data[static_cast<std::size_t>(6 * i + 2 * k)] = 3 * i + k;
    MPI_Ibcast(&data[static_cast<std::size_t>(6 * i)], 1, spread, 0, MPI_COMM_WORLD,
               &requests[static_cast<std::size_t>(i)]);
    if (i != many / 2) continue;
    MPI_Type_free(&spread);
    MPI_Type_vector(3, 1, 2, MPI_INT, &spread);
    MPI_Type_commit(&spread);
  }
  MPI_Type_free(&spread);
  MPI_Waitall(many, requests.data(), MPI_STATUSES_IGNORE);
  show("many of a type", data);
}

}  // namespace

int main(int argc, char** argv) {
  const Answers me(&argc, &argv);
  for (const int n : {0, 1, 3, 400, 20000}) {
    moving(me, n);
    combining(me, n);
  }
  parts(me);
  at_once(me);
  every_third(me);
  freed_meanwhile(me);
  attribute_of_a_freed_type(me);
  many_of_a_type(me);
  wrong(me);
}
