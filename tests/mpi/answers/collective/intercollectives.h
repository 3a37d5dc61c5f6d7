// Intercommunicators, and the buffers of one of their ranks for a collective operation.
#pragma once

#include <algorithm>

#include "answers.h"
#include "collective/forms.h"

// Associative, not commutative.
inline void first_by_three(void* first, void* second, int* count, MPI_Datatype*) {
  for (int i = 0; i < *count; ++i)
    if (const int a = static_cast<int*>(first)[i]; a % 3 == 0) static_cast<int*>(second)[i] = a;
}

// Groups of `left` ranks and of the others.
inline MPI_Comm groups_of(const Answers& me, int left) {
  MPI_Comm local, inter;
  const bool low = me.rank < left;
  MPI_Comm_split(MPI_COMM_WORLD, low ? 0 : 1, me.rank, &local);
  MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, low ? left : 0, 7, &inter);
  MPI_Comm_free(&local);
  return inter;
}

class Data {
 public:
  // In operations without a root, members of the first group contribute `length` elements, those of the second twice as
  // many.
  Data(const Answers& me, MPI_Comm with, int length)
      : comm(with), n(length), n_there(length), n_same(length) {
    int here = 0, there = 0;
    MPI_Comm_size(comm, &here);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_remote_size(comm, &there);
    second = me.rank != rank;
    const auto others = static_cast<std::size_t>(there),
               room = 2 * static_cast<std::size_t>(length + 3) * static_cast<std::size_t>(here + there);
    mine = counting(room, me.rank * 1000);
    for_all = counting(room, me.rank * 7000);
    got.assign(room, -1);
    buffer = mine;
    own = rank % 3;
    share = length * there;
    for (std::size_t i = 0; i < others; ++i) {
      counts.push_back(static_cast<int>(i % 3));
      sends.push_back(own);
      places.push_back(3 * static_cast<int>(others - 1 - i));
      bytes.push_back(places.back() * static_cast<int>(sizeof(int)));
    }
    // Equal sums for all members of both groups.
    int left = here * there;
    for (int i = 0; i < here; ++i) {
      shares.push_back(i == here - 1 ? left : std::min(left, 2 * i));
      left -= shares.back();
    }
    types.assign(others, MPI_INT);
    wide_counts.assign(counts.begin(), counts.end());
    wide_sends.assign(sends.begin(), sends.end());
    wide_places.assign(places.begin(), places.end());
    wide_bytes.assign(bytes.begin(), bytes.end());
    wide_shares.assign(shares.begin(), shares.end());
  }
  // The root is rank `of` of one group.
  void root_at(bool in_second, int of) {
    root = in_second != second ? of : rank == of ? MPI_ROOT : MPI_PROC_NULL;
  }
  void unequal() { (second ? n : n_there) *= 2; }

  template <class... P>
  void run(const char* what, const Forms<P...>& forms, std::type_identity_t<P>... with) {
    perform_all(
        forms, [&] { clear(); }, [&] { tell(what); }, with...);
  }

 private:
  void clear() {
    std::fill(got.begin(), got.end(), -1);
    buffer = mine;
  }
  void tell(const char* what) const {
    show(what, got);
    show(what, buffer);
  }

 public:
  MPI_Comm comm;
  MPI_Op op = MPI_SUM;
  bool second = false;
  int rank = 0, root = 0, n, n_there, n_same, own = 0, share = 0;
  std::vector<int> mine, for_all, got, buffer, counts, sends, places, bytes, shares;
  std::vector<MPI_Datatype> types;
  std::vector<MPI_Count> wide_counts, wide_sends, wide_shares;
  std::vector<MPI_Aint> wide_places, wide_bytes;
};
