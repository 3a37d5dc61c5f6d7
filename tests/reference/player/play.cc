// The program that plays random programs under MPI: the other half of random_programs.cc, which starts it.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <set>
#include <string>

#include "reference/player/player.h"
#include "reference/program/batch.h"
#include "reference/program/generate.h"

namespace {

constexpr const char* usage =
    "usage: play BATCH FIRST COUNT SKIP LOG [noticing | measured | threads]\n"
    "Plays programs FIRST ... FIRST + COUNT - 1 of the batch, but not those whose numbers the file SKIP "
    "lists,\n"
    "and writes what each operation of rank R did to LOG.R. With noticing, programs that go on when ranks "
    "have\n"
    "failed. With measured, programs that do work in place of declaring it. With threads, two threads of "
    "each "
    "rank\n"
    "play in turn.\n";

}  // namespace

int main(int argc, char** argv) {
  using namespace emu::reference;
  const bool threads = argc == 7 && std::strcmp(argv[6], "threads") == 0;
  int rank = 0, ranks = 0, level = 0;
  MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const bool noticing = argc == 7 && std::strcmp(argv[6], "noticing") == 0;
  const bool measured = argc == 7 && std::strcmp(argv[6], "measured") == 0;
  if (argc != 6 && !noticing && !measured && !threads) {
    if (rank == 0) std::fputs(usage, stderr);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const Batch batch = make_batch(std::strtoull(argv[1], nullptr, 10), ranks);
  const std::uint64_t first = std::strtoull(argv[2], nullptr, 10);
  const std::uint64_t count = std::strtoull(argv[3], nullptr, 10);
  std::set<std::uint64_t> skip;
  std::ifstream list(argv[4]);
  for (std::uint64_t seed; list >> seed;) skip.insert(seed);

  const std::string path = std::string(argv[5]) + "." + std::to_string(rank);
  std::FILE* log = std::fopen(path.c_str(), "w");
  if (!log) {
    std::perror(path.c_str());
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  Player player(log, noticing, measured, threads);
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    if (skip.count(seed)) continue;
    player.play(noticing   ? generate_noticing(seed, batch)
                : measured ? generate_measured(seed, batch)
                           : generate(seed, batch));
  }
  player.finish();
  std::fclose(log);
  MPI_Finalize();
  return player.wrong() == 0 ? 0 : 1;
}
