// Chunks by a shared counter: every slave knows the list of chunks, and draws numbers from a counter at rank 0.

#include "schedule.h"

namespace loops {
namespace {

constexpr int owner = 0;  // of the counter

std::vector<Chunk> all_chunks(const Plan& plan, std::int32_t iterations, int slaves) {
  const auto chunks = emu::advice::make_chunks(plan.rule, iterations, slaves, {}, plan.costs);
  std::vector<Chunk> all;
  for (std::int32_t next = 0; next < iterations;) {
    const int slave = static_cast<int>(all.size()) % slaves;
    all.push_back({next, chunks->next(slave, iterations - next)});
    next += all.back().count;
  }
  return all;
}

// The sum of the drawn chunks. Appends their numbers to `drawn`.
std::uint64_t draw(const Loop& loop, const std::vector<Chunk>& chunks, MPI_Win counter,
                   std::vector<long>& drawn) {
  const long one = 1;
  std::uint64_t sum = 0;
  MPI_Win_lock_all(0, counter);
  for (;;) {
    long number = 0;
    MPI_Fetch_and_op(&one, &number, MPI_LONG, owner, 0, MPI_SUM, counter);
    MPI_Win_flush(owner, counter);
    if (number >= static_cast<long>(chunks.size())) break;
    const Chunk& chunk = chunks[static_cast<std::size_t>(number)];
    sum += loop.run(chunk.first, chunk.count);
    drawn.push_back(number);
  }
  MPI_Win_unlock_all(counter);
  return sum;
}

// The chunks with the slaves that drew them, at the owner.
std::vector<Dealt> collect(const std::vector<Chunk>& chunks, const std::vector<long>& drawn, int ranks,
                           MPI_Comm comm) {
  const int own = static_cast<int>(drawn.size());
  std::vector<int> counts(static_cast<std::size_t>(ranks)), begins(counts.size());
  MPI_Gather(&own, 1, MPI_INT, counts.data(), 1, MPI_INT, owner, comm);
  for (std::size_t i = 1; i < begins.size(); ++i) begins[i] = begins[i - 1] + counts[i - 1];
  std::vector<long> all(chunks.size());
  MPI_Gatherv(drawn.data(), own, MPI_LONG, all.data(), counts.data(), begins.data(), MPI_LONG, owner, comm);
  std::vector<Dealt> dealt(chunks.size());
  for (int rank = 0; rank < ranks; ++rank)
    for (int i = 0; i < counts[static_cast<std::size_t>(rank)]; ++i) {
      const auto number =
          static_cast<std::size_t>(all[static_cast<std::size_t>(begins[static_cast<std::size_t>(rank)] + i)]);
      dealt[number] = {chunks[number], rank};
    }
  return dealt;
}

}  // namespace

Outcome run_by_counter(const Loop& loop, const Plan& plan, MPI_Comm comm) {
  int rank = 0, ranks = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  long* next = nullptr;
  MPI_Win counter = MPI_WIN_NULL;
  MPI_Win_allocate(sizeof *next, sizeof *next, MPI_INFO_NULL, comm, &next, &counter);
  *next = 0;
  MPI_Barrier(comm);
  const std::vector<Chunk> chunks = all_chunks(plan, loop.iterations(), ranks - 1);
  std::vector<long> drawn;
  const std::uint64_t own = rank == owner ? 0 : draw(loop, chunks, counter, drawn);
  Outcome outcome;
  MPI_Reduce(&own, &outcome.sum, 1, MPI_UINT64_T, MPI_SUM, owner, comm);
  std::vector<Dealt> dealt = collect(chunks, drawn, ranks, comm);
  if (rank == owner) outcome.dealt = std::move(dealt);
  MPI_Win_free(&counter);
  return outcome;
}

}  // namespace loops
