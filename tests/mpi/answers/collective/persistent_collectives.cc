// Persistent collectives: all of them, started several times with different data, in another order on every second
// rank, with datatypes, operations and communicators that are freed before; and MPI_Alltoallw in its three forms.
#include "answers.h"
#include "collective/forms.h"

namespace {

using Ints = std::vector<int>;
constexpr int n = 5;

// A persistent collective, started three times with different data.
template <class Init, class Blocking, class Change, class Result>
void thrice(Init init, Blocking blocking, Change change, Result result) {
  show("null", perform_persistent(3, init, blocking, change, result) == MPI_REQUEST_NULL);
}

class Data {
 public:
  explicit Data(const Answers& me)
      : me_(me),
        ranks(static_cast<std::size_t>(me.size)),
        mine(n),
        for_all(n * ranks),
        got(n * ranks),
        one(n) {
    for (std::size_t i = 0; i < ranks; ++i) {
      counts.push_back(static_cast<int>(i % 3) + 1);
      displacements.push_back(static_cast<int>(i) * n);
    }
  }
  void change(int time) {
    for (std::size_t i = 0; i < mine.size(); ++i)
      mine[i] = me_.rank * 1000 + time * 100 + static_cast<int>(i);
    for (std::size_t i = 0; i < for_all.size(); ++i)
      for_all[i] = me_.rank * 7000 + time * 100 + static_cast<int>(i);
    std::fill(got.begin(), got.end(), -1);
    std::fill(one.begin(), one.end(), -1);
  }
  template <class... P>
  void run(const char* what, const Forms<P...>& forms, std::type_identity_t<P>... with) {
    thrice([&](MPI_Request* r) { forms.persistent(with..., MPI_INFO_NULL, r); },
           [&] { forms.blocking(with...); }, [this](int time) { change(time); },
           [&] {
             show(what, got);
             show(what, one);
           });
  }

 private:
  const Answers& me_;

 public:
  std::size_t ranks;
  Ints mine, for_all, got, one, counts, displacements;
};

void rooted(const Answers& me) {
  Data d(me);
  const int root = me.size - 1, own = d.counts[static_cast<std::size_t>(me.rank)];
  const MPI_Comm world = MPI_COMM_WORLD;
  d.run("barrier", FORMS(Barrier, barrier), world);
  d.run("bcast", FORMS(Bcast, bcast), d.mine.data(), n, MPI_INT, root, world);
  show("after bcast", d.mine);
  d.run("gather", FORMS(Gather, gather), d.mine.data(), n, MPI_INT, d.got.data(), n, MPI_INT, root, world);
  d.run("gatherv", FORMS(Gatherv, gatherv), d.mine.data(), own, MPI_INT, d.got.data(), d.counts.data(),
        d.displacements.data(), MPI_INT, root, world);
  d.run("scatter", FORMS(Scatter, scatter), d.for_all.data(), n, MPI_INT, d.one.data(), n, MPI_INT, root,
        world);
  d.run("scatterv", FORMS(Scatterv, scatterv), d.for_all.data(), d.counts.data(), d.displacements.data(),
        MPI_INT, d.one.data(), own, MPI_INT, root, world);
}

// Every rank gets some elements from every other rank.
void all_to_all(const Answers& me) {
  Data d(me);
  const int own = d.counts[static_cast<std::size_t>(me.rank)];
  const MPI_Comm world = MPI_COMM_WORLD;
  d.run("allgather", FORMS(Allgather, allgather), d.mine.data(), n, MPI_INT, d.got.data(), n, MPI_INT, world);
  d.run("allgatherv", FORMS(Allgatherv, allgatherv), d.mine.data(), own, MPI_INT, d.got.data(),
        d.counts.data(), d.displacements.data(), MPI_INT, world);
  d.run("alltoall", FORMS(Alltoall, alltoall), d.for_all.data(), n, MPI_INT, d.got.data(), n, MPI_INT, world);
  // Rank i sends as many elements to each rank as it gets from each.
  Ints same(d.ranks, own);
  d.run("alltoallv", FORMS(Alltoallv, alltoallv), d.for_all.data(), same.data(), d.displacements.data(),
        MPI_INT, d.got.data(), d.counts.data(), d.displacements.data(), MPI_INT, world);
}

void reducing(const Answers& me) {
  Data d(me);
  const MPI_Comm world = MPI_COMM_WORLD;
  d.run("reduce", FORMS(Reduce, reduce), d.mine.data(), d.one.data(), n, MPI_INT, MPI_SUM, 0, world);
  d.run("allreduce", FORMS(Allreduce, allreduce), d.mine.data(), d.one.data(), n, MPI_INT, MPI_MAX, world);
  d.run("allreduce in place", FORMS(Allreduce, allreduce), MPI_IN_PLACE, d.for_all.data(), n, MPI_INT,
        MPI_SUM, world);
  show("in place", d.for_all);
  d.run("scan", FORMS(Scan, scan), d.mine.data(), d.one.data(), n, MPI_INT, MPI_SUM, world);
  d.run("exscan", FORMS(Exscan, exscan), d.mine.data(), d.one.data(), n, MPI_INT, MPI_SUM, world);
  d.run("reduce_scatter_block", FORMS(Reduce_scatter_block, reduce_scatter_block), d.for_all.data(),
        d.one.data(), n, MPI_INT, MPI_SUM, world);
  d.run("reduce_scatter", FORMS(Reduce_scatter, reduce_scatter), d.for_all.data(), d.one.data(),
        d.counts.data(), MPI_INT, MPI_SUM, world);
}

void add_and_one(void* from, void* into, int* count, MPI_Datatype*) {
  for (int i = 0; i < *count; ++i) static_cast<int*>(into)[i] += static_cast<int*>(from)[i] + 1;
}

// All objects that were used to create it are freed before it starts.
void freed_before(const Answers& me) {
  Data d(me);
  MPI_Comm comm;
  MPI_Op op;
  MPI_Datatype every_second;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Op_create(add_and_one, 1, &op);
  MPI_Type_vector(2, 1, 2, MPI_INT, &every_second);
  MPI_Type_commit(&every_second);
  const auto change = [&](int time) { d.change(time); };
  const auto free_all = [&] {
    MPI_Op_free(&op);
    MPI_Type_free(&every_second);
    MPI_Comm_free(&comm);
  };
  MPI_Request sum = MPI_REQUEST_NULL, all = MPI_REQUEST_NULL;
  if (emu_active()) {
    MPI_Allreduce_init(d.mine.data(), d.one.data(), n, MPI_INT, op, comm, MPI_INFO_NULL, &sum);
    MPI_Allgather_init(d.mine.data(), 1, every_second, d.got.data(), 2, MPI_INT, comm, MPI_INFO_NULL, &all);
    free_all();
  }
  thrice([&](MPI_Request* r) { *r = sum; },
         [&] { MPI_Allreduce(d.mine.data(), d.one.data(), n, MPI_INT, op, comm); }, change,
         [&] { show("sum", d.one); });
  thrice([&](MPI_Request* r) { *r = all; },
         [&] { MPI_Allgather(d.mine.data(), 1, every_second, d.got.data(), 2, MPI_INT, comm); }, change,
         [&] { show("every second", d.got); });
  if (!emu_active()) free_all();
  show("null", op == MPI_OP_NULL && every_second == MPI_DATATYPE_NULL && comm == MPI_COMM_NULL);
}

// Created in the same order on all ranks, and started in different orders.
void in_any_order(const Answers& me) {
  Data d(me);
  Ints other(n), sums(n);
  const MPI_Comm world = MPI_COMM_WORLD;
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  if (emu_active()) {
    MPI_Allreduce_init(d.mine.data(), d.one.data(), n, MPI_INT, MPI_SUM, world, MPI_INFO_NULL, &requests[0]);
    MPI_Allreduce_init(other.data(), sums.data(), n, MPI_INT, MPI_SUM, world, MPI_INFO_NULL, &requests[1]);
  }
  for (int time = 0; time < 4; ++time) {
    d.change(time);
    for (int i = 0; i < n; ++i) other[static_cast<std::size_t>(i)] = time + i;
    if (!emu_active()) {
      MPI_Allreduce(d.mine.data(), d.one.data(), n, MPI_INT, MPI_SUM, world);
      MPI_Allreduce(other.data(), sums.data(), n, MPI_INT, MPI_SUM, world);
    } else if (time % 2 == 0) {
      MPI_Startall(2, requests);
    } else {
      MPI_Start(&requests[me.rank % 2]);
      MPI_Start(&requests[1 - me.rank % 2]);
    }
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    show("first", d.one);
    show("second", sums);
  }
  for (MPI_Request& request : requests)
    if (emu_active()) MPI_Request_free(&request);
}

// A matrix by columns, transposed by datatypes: a different one for each rank in each direction.
void types_of_their_own(const Answers& me) {
  const auto ranks = static_cast<std::size_t>(me.size);
  Ints from(ranks * ranks * 2), into(ranks * ranks * 2), ones(ranks, 1), at_from(ranks), at_into(ranks);
  std::vector<MPI_Datatype> sent(ranks), got(ranks, MPI_2INT);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = me.rank * 10000 + static_cast<int>(i);
  for (std::size_t i = 0; i < ranks; ++i) {
    // Two numbers, at a distance that depends on the receiver's rank.
    MPI_Type_vector(2, 1, static_cast<int>(i) + 1, MPI_INT, &sent[i]);
    MPI_Type_commit(&sent[i]);
    at_from[i] = static_cast<int>(i * sizeof(int));
    at_into[i] = static_cast<int>((ranks - 1 - i) * 2 * sizeof(int));
  }
  const auto clear = [&] { std::fill(into.begin(), into.end(), -1); };
  clear();
  MPI_Alltoallw(from.data(), ones.data(), at_from.data(), sent.data(), into.data(), ones.data(),
                at_into.data(), got.data(), MPI_COMM_WORLD);
  show("alltoallw", into);
  clear();
  MPI_Request request;
  MPI_Ialltoallw(from.data(), ones.data(), at_from.data(), sent.data(), into.data(), ones.data(),
                 at_into.data(), got.data(), MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  show("ialltoallw", into);
  thrice(
      [&](MPI_Request* r) {
        MPI_Alltoallw_init(from.data(), ones.data(), at_from.data(), sent.data(), into.data(), ones.data(),
                           at_into.data(), got.data(), MPI_COMM_WORLD, MPI_INFO_NULL, r);
      },
      [&] {
        MPI_Alltoallw(from.data(), ones.data(), at_from.data(), sent.data(), into.data(), ones.data(),
                      at_into.data(), got.data(), MPI_COMM_WORLD);
      },
      [&](int time) {
        clear();
        from[0] = time;
      },
      [&] { show("alltoallw_init", into); });
  MPI_Alltoallw(MPI_IN_PLACE, nullptr, nullptr, nullptr, into.data(), ones.data(), at_into.data(), got.data(),
                MPI_COMM_WORLD);
  show("in place", into);
  for (MPI_Datatype& type : sent) MPI_Type_free(&type);
}

}  // namespace

int main(int argc, char** argv) {
  const Answers me(&argc, &argv);
  rooted(me);
  all_to_all(me);
  reducing(me);
  freed_before(me);
  in_any_order(me);
  types_of_their_own(me);
}
