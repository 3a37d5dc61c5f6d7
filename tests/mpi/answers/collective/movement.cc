// Collectives that move data: every root, in place, gaps and empty parts, derived types, sizes around the thresholds.
#include "answers.h"

namespace {

const int counts_tried[] = {0, 1, 65, 3073, 21000};

// Part i has i + 1 numbers, but the second none; between the parts are gaps.
struct Layout {
  explicit Layout(int ranks) {
    for (int i = 0; i < ranks; ++i) {
      counts.push_back(i == 1 ? 0 : i + 1);
      places.push_back(room + 2);
      room += counts.back() + 3;
    }
  }
  int of(int i) const { return counts[static_cast<std::size_t>(i)]; }
  std::vector<int> counts, places;
  int room = 0;
};

void equal_parts(const Answers& me, int count) {
  const auto n = static_cast<std::size_t>(count), all = n * static_cast<std::size_t>(me.size);
  for (int root = 0; root < me.size; root += 2) {
    std::vector<int> data = me.rank == root ? counting(n, 10 * root) : std::vector<int>(n, -1);
    MPI_Bcast(data.data(), count, MPI_INT, root, MPI_COMM_WORLD);
    show(numbered("bcast", root), data);
    std::vector<int> own = counting(n, me.rank * 1000), parts(all, -3);
    MPI_Gather(own.data(), count, MPI_INT, parts.data(), count, MPI_INT, root, MPI_COMM_WORLD);
    show(numbered("gather", root), parts);
    std::vector<int> placed = counting(all, me.rank);
    if (me.rank == root)
      MPI_Gather(MPI_IN_PLACE, 0, MPI_INT, placed.data(), count, MPI_INT, root, MPI_COMM_WORLD);
    else
      MPI_Gather(own.data(), count, MPI_INT, nullptr, 0, MPI_DATATYPE_NULL, root, MPI_COMM_WORLD);
    show(numbered("gather in place", root), placed);
    MPI_Scatter(placed.data(), count, MPI_INT, own.data(), count, MPI_INT, root, MPI_COMM_WORLD);
    show(numbered("scatter", root), own);
    if (me.rank == root)
      MPI_Scatter(parts.data(), count, MPI_INT, MPI_IN_PLACE, 0, MPI_INT, root, MPI_COMM_WORLD);
    else
      MPI_Scatter(nullptr, 0, MPI_DATATYPE_NULL, own.data(), count, MPI_INT, root, MPI_COMM_WORLD);
    show(numbered("scatter in place", root), own);
  }
  const std::vector<int> own = counting(n, me.rank * 1000), mine = counting(all, me.rank * 5000);
  std::vector<int> parts(all, -1), placed = mine;
  MPI_Allgather(own.data(), count, MPI_INT, parts.data(), count, MPI_INT, MPI_COMM_WORLD);
  show("allgather", parts);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT, placed.data(), count, MPI_INT, MPI_COMM_WORLD);
  show("allgather in place", placed);
  MPI_Alltoall(mine.data(), count, MPI_INT, parts.data(), count, MPI_INT, MPI_COMM_WORLD);
  show("alltoall", parts);
  MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INT, parts.data(), count, MPI_INT, MPI_COMM_WORLD);
  show("alltoall in place", parts);
}

void unequal_parts(const Answers& me, int scale) {
  Layout layout(me.size);
  for (std::size_t i = 0; i < layout.counts.size(); ++i) {
    layout.counts[i] *= scale;
    layout.places[i] *= scale;
  }
  const auto room = static_cast<std::size_t>(layout.room * scale);
  const int own_count = layout.of(me.rank);
  const std::vector<int> own = counting(static_cast<std::size_t>(own_count), me.rank * 100);
  for (int root = 0; root < me.size; root += 2) {
    std::vector<int> all(room, -1), placed = counting(room, me.rank), part(own.size() + 1, -9);
    MPI_Gatherv(own.data(), own_count, MPI_INT, all.data(), layout.counts.data(), layout.places.data(),
                MPI_INT, root, MPI_COMM_WORLD);
    show(numbered("gatherv", root), all);
    const bool here = me.rank == root;
    MPI_Gatherv(here ? MPI_IN_PLACE : own.data(), own_count, MPI_INT, placed.data(), layout.counts.data(),
                layout.places.data(), MPI_INT, root, MPI_COMM_WORLD);
    show(numbered("gatherv in place", root), placed);
    MPI_Scatterv(placed.data(), layout.counts.data(), layout.places.data(), MPI_INT, part.data(), own_count,
                 MPI_INT, root, MPI_COMM_WORLD);
    show(numbered("scatterv", root), part);
    MPI_Scatterv(all.data(), layout.counts.data(), layout.places.data(), MPI_INT,
                 here ? MPI_IN_PLACE : part.data(), own_count, MPI_INT, root, MPI_COMM_WORLD);
    show(numbered("scatterv in place", root), part);
  }
  if (me.size == 1) return;  // MPICH 4.0.2 ignores the displacement in an allgatherv with one rank
  std::vector<int> all(room, -1), placed = counting(room, me.rank * 10);
  MPI_Allgatherv(own.data(), own_count, MPI_INT, all.data(), layout.counts.data(), layout.places.data(),
                 MPI_INT, MPI_COMM_WORLD);
  show("allgatherv", all);
  MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_INT, placed.data(), layout.counts.data(), layout.places.data(), MPI_INT,
                 MPI_COMM_WORLD);
  show("allgatherv in place", placed);
}

// Rank i sends (i + 2 j) % 4 numbers to rank j; in place it gets as many as it sends.
void all_to_all(const Answers& me) {
  std::vector<int> to, from, back, to_places, from_places, back_places;
  for (int i = 0; i < me.size; ++i) {
    to.push_back((me.rank + 2 * i) % 4);
    from.push_back((i + 2 * me.rank) % 4);
    back.push_back((i + me.rank) % 3);
    to_places.push_back(5 * (me.size - 1 - i));
    from_places.push_back(4 * i + 1);
    back_places.push_back(3 * i + 1);
  }
  const auto room = static_cast<std::size_t>(5 * me.size + 2);
  const std::vector<int> out = counting(room, me.rank * 100);
  std::vector<int> in(room, -1), both = out;
  MPI_Alltoallv(out.data(), to.data(), to_places.data(), MPI_INT, in.data(), from.data(), from_places.data(),
                MPI_INT, MPI_COMM_WORLD);
  show("alltoallv", in);
  MPI_Alltoallv(MPI_IN_PLACE, nullptr, nullptr, MPI_INT, both.data(), back.data(), back_places.data(),
                MPI_INT, MPI_COMM_WORLD);
  show("alltoallv in place", both);
}

// Columns of a matrix on one side, plain numbers on the other.
void derived(const Answers& me) {
  const int rows = 3;
  const auto room = static_cast<std::size_t>(rows * (me.size + 2));
  MPI_Datatype vector, column;
  MPI_Type_vector(rows, 1, me.size + 2, MPI_INT, &vector);
  MPI_Type_create_resized(vector, 0, sizeof(int), &column);
  MPI_Type_commit(&column);
  std::vector<int> own = counting(rows, me.rank * 10), matrix(room, -1), other(room, -2);
  MPI_Allgather(own.data(), rows, MPI_INT, matrix.data(), 1, column, MPI_COMM_WORLD);
  show("columns gathered by all", matrix);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT, matrix.data(), 1, column, MPI_COMM_WORLD);
  show("columns gathered in place", matrix);
  MPI_Alltoall(matrix.data(), 1, column, other.data(), rows, MPI_INT, MPI_COMM_WORLD);
  show("columns to rows", other);
  std::vector<int> places(static_cast<std::size_t>(me.size)), ones(places.size(), 1);
  for (int i = 0; i < me.size; ++i) places[static_cast<std::size_t>(i)] = me.size - 1 - i;
  MPI_Gatherv(own.data(), rows, MPI_INT, other.data(), ones.data(), places.data(), column, 0, MPI_COMM_WORLD);
  show("columns gathered backwards", other);
  MPI_Scatterv(other.data(), ones.data(), places.data(), column, own.data(), rows, MPI_INT, 0,
               MPI_COMM_WORLD);
  show("columns scattered", own);
  MPI_Allgatherv(own.data(), rows, MPI_INT, other.data(), ones.data(), places.data(), column, MPI_COMM_WORLD);
  show("columns gathered by all backwards", other);
  MPI_Alltoallv(other.data(), ones.data(), places.data(), column, matrix.data(), ones.data(), places.data(),
                column, MPI_COMM_WORLD);
  show("columns exchanged", matrix);
  MPI_Bcast(matrix.data() + 1, me.rank == 0 ? 1 : rows, me.rank == 0 ? column : MPI_INT, 0, MPI_COMM_WORLD);
  show("column to numbers", matrix);
  MPI_Type_free(&vector);
  MPI_Type_free(&column);
}

}  // namespace

int main(int argc, char** argv) {
  const Answers me(&argc, &argv);
  for (const int count : counts_tried) equal_parts(me, count);
  for (const int scale : {1, 6000}) unequal_parts(me, scale);
  all_to_all(me);
  derived(me);
  MPI_Barrier(MPI_COMM_WORLD);
}
