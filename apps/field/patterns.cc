#include "patterns.h"

#include <emu/emu.h>

#include <algorithm>
#include <array>

namespace field {
namespace {

int around(int rank, int by, int ranks) { return ((rank + by) % ranks + ranks) % ranks; }

void send(const Rank& me, long long bytes, int to) {
  MPI_Send(me.out.data(), static_cast<int>(bytes), MPI_CHAR, to, 0, me.comm);
}

MPI_Request expect(const Rank& me, long long bytes, int from) {
  MPI_Request request;
  MPI_Irecv(me.in.data(), static_cast<int>(bytes), MPI_CHAR, from, 0, me.comm, &request);
  return request;
}

void wait(MPI_Request& request) { MPI_Wait(&request, MPI_STATUS_IGNORE); }

void test_until_done(MPI_Request& request) {
  for (int done = 0; !done;) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
}

void wait_all(std::vector<MPI_Request>& requests) {
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

// Computes for `seconds`, the work of a rank between two steps.
void work(double seconds) { emu_compute(seconds); }

// --- schedules of messages. All receives are posted at the start. A send that depends on a receive waits for it. The
// rest is completed at the end.

enum class Ends { by_wait, by_test };

void end(MPI_Request& request, Ends ends) {
  ends == Ends::by_wait ? wait(request) : test_until_done(request);
}

// In step s each rank sends to the rank 2^s after it; if `computes`, it first computes for `bytes` nanoseconds (s > 0).
template <bool computes, Ends ends>
void dissemination(const Rank& me, long long bytes) {
  std::vector<MPI_Request> coming;
  for (int distance = 1; distance < me.ranks; distance *= 2)
    coming.push_back(expect(me, bytes, around(me.rank, -distance, me.ranks)));
  std::size_t step = 0;
  for (int distance = 1; distance < me.ranks; distance *= 2, ++step) {
    if (step > 0) end(coming[step - 1], ends);
    if (step > 0 && computes) work(1e-9 * static_cast<double>(bytes));
    send(me, bytes, around(me.rank, distance, me.ranks));
  }
  if (ends == Ends::by_test)
    for (MPI_Request& request : coming) test_until_done(request);
  wait_all(coming);
}

// There are as many rounds as ranks; in each, a rank sends a segment of bytes / ranks to the next rank.
template <Ends ends>
void ring(const Rank& me, long long bytes) {
  const long long segment = bytes / me.ranks;
  if (segment == 0) return;
  std::vector<MPI_Request> coming;
  for (int round = 0; round < me.ranks; ++round)
    coming.push_back(expect(me, segment, around(me.rank, -1, me.ranks)));
  for (int round = 0; round < me.ranks; ++round) {
    if (round > 0) end(coming[static_cast<std::size_t>(round - 1)], ends);
    send(me, segment, around(me.rank, 1, me.ranks));
  }
  if (ends == Ends::by_test) test_until_done(coming.back());
  wait_all(coming);
}

// In step s ranks r < 2^s send to r + 2^s.
void binomial_tree(const Rank& me, long long bytes) {
  int first = 1;
  while (first <= me.rank) first *= 2;
  if (me.rank > 0) {
    MPI_Request coming = expect(me, bytes, me.rank - first / 2);
    wait(coming);
  }
  for (int distance = first; me.rank + distance < me.ranks; distance *= 2)
    send(me, bytes, me.rank + distance);
}

// Rank r sends to 2r + 2, then to 2r + 1.
void binary_tree(const Rank& me, long long bytes) {
  if (me.rank > 0) {
    MPI_Request coming = expect(me, bytes, (me.rank - 1) / 2);
    wait(coming);
  }
  for (const int to : {2 * me.rank + 2, 2 * me.rank + 1})
    if (to < me.ranks) send(me, bytes, to);
}

// Each rank sends to all others, first to the next one. No message depends on another.
void all_at_once(const Rank& me, long long bytes) {
  std::vector<MPI_Request> coming;
  for (int by = 1; by < me.ranks; ++by) coming.push_back(expect(me, bytes, around(me.rank, -by, me.ranks)));
  for (int by = 1; by < me.ranks; ++by) send(me, bytes, around(me.rank, by, me.ranks));
  wait_all(coming);
}

// --- pairs of a rank of the first half and a rank of the second half. Ranks of the first half send.

void exchange(const Rank& me, long long bytes, int to, int from) {
  MPI_Sendrecv(me.out.data(), static_cast<int>(bytes), MPI_CHAR, to, 0, me.in.data(), static_cast<int>(bytes),
               MPI_CHAR, from, 0, me.comm, MPI_STATUS_IGNORE);
}

void pairs_send(const Rank& me, long long bytes) {
  const int half = me.ranks / 2;
  if (me.rank < half) return send(me, bytes, me.rank + half);
  MPI_Recv(me.in.data(), static_cast<int>(bytes), MPI_CHAR, me.rank - half, 0, me.comm, MPI_STATUS_IGNORE);
}

void pairs_exchange(const Rank& me, long long bytes) {
  const int other = around(me.rank, me.ranks / 2, me.ranks);
  exchange(me, bytes, other, other);
}

// Among ranks r, r + 1 and their partners, each rank sends to one rank and receives from another.
void pairs_crosswise(const Rank& me, long long bytes) {
  const int half = me.ranks / 2, other = around(me.rank, half, me.ranks);
  const int neighbour = me.rank % half % 2 == 0 ? other + 1 : other - 1;
  if (me.rank < half)
    exchange(me, bytes, other, neighbour);
  else
    exchange(me, bytes, neighbour, other);
}

// --- collective operations, with the algorithms that the target names

constexpr int ints(long long bytes) { return static_cast<int>(bytes / static_cast<long long>(sizeof(int))); }

void barrier(const Rank& me, long long) { MPI_Barrier(me.comm); }
void bcast(const Rank& me, long long bytes) {
  MPI_Bcast(me.in.data(), static_cast<int>(bytes), MPI_CHAR, 0, me.comm);
}
void reduce(const Rank& me, long long bytes) {
  MPI_Reduce(me.out.data(), me.in.data(), ints(bytes), MPI_INT, MPI_SUM, 0, me.comm);
}
void allreduce(const Rank& me, long long bytes) {
  MPI_Allreduce(me.out.data(), me.in.data(), ints(bytes), MPI_INT, MPI_SUM, me.comm);
}
// `bytes`: size of all blocks together.
void allgather(const Rank& me, long long bytes) {
  const int block = static_cast<int>(bytes / me.ranks);
  MPI_Allgather(me.out.data(), block, MPI_CHAR, me.in.data(), block, MPI_CHAR, me.comm);
}
void gather(const Rank& me, long long bytes) {
  const int block = static_cast<int>(bytes / me.ranks);
  MPI_Gather(me.out.data(), block, MPI_CHAR, me.in.data(), block, MPI_CHAR, 0, me.comm);
}
void scatter(const Rank& me, long long bytes) {
  const int block = static_cast<int>(bytes / me.ranks);
  MPI_Scatter(me.out.data(), block, MPI_CHAR, me.in.data(), block, MPI_CHAR, 0, me.comm);
}
void reduce_scatter(const Rank& me, long long bytes) {
  const std::vector<int> counts(static_cast<std::size_t>(me.ranks), ints(bytes / me.ranks));
  MPI_Reduce_scatter(me.out.data(), me.in.data(), counts.data(), MPI_INT, MPI_SUM, me.comm);
}
// `bytes`: size of a block.
void alltoall(const Rank& me, long long bytes) {
  MPI_Alltoall(me.out.data(), static_cast<int>(bytes), MPI_CHAR, me.in.data(), static_cast<int>(bytes),
               MPI_CHAR, me.comm);
}

struct Named {
  const char* name;
  Pattern pattern;
  bool block_for_each = false;  // a buffer holds one block of `bytes` for each rank
};
constexpr auto all = std::to_array<Named>({
    {"nwaydissemination", dissemination<true, Ends::by_wait>},
    {"nwaydissemination_nocompute", dissemination<false, Ends::by_wait>},
    {"nwaydissemination_nocompute_test", dissemination<false, Ends::by_test>},
    {"pipelinedring", ring<Ends::by_wait>},
    {"pipelinedring_test", ring<Ends::by_test>},
    {"binomialtreebcast", binomial_tree},
    {"binarytreebcast", binary_tree},
    {"linear_alltoall", all_at_once},
    {"send", pairs_send},
    {"sendrecv_same", pairs_exchange},
    {"sendrecv_diff", pairs_crosswise},
    {"barrier", barrier},
    {"bcast", bcast},
    {"reduce", reduce},
    {"allreduce", allreduce},
    {"allgather", allgather},
    {"gather", gather},
    {"scatter", scatter},
    {"reduce_scatter", reduce_scatter},
    {"alltoall", alltoall, true},
});

const Named* find(const std::string& name) {
  const auto* const found =
      std::find_if(all.begin(), all.end(), [&](const Named& n) { return n.name == name; });
  return found == all.end() ? nullptr : found;
}

}  // namespace

Pattern find_pattern(const std::string& name) {
  const Named* const found = find(name);
  return found ? found->pattern : nullptr;
}

std::string names_of_patterns() {
  std::string text;
  for (const Named& named : all) text += (text.empty() ? "" : ", ") + std::string(named.name);
  return text;
}

std::size_t room(const std::string& name, long long bytes, int ranks) {
  const Named* const found = find(name);
  const auto blocks = found && found->block_for_each ? static_cast<long long>(ranks) : 1LL;
  return static_cast<std::size_t>(std::max(bytes, 1LL) * blocks);
}

}  // namespace field
