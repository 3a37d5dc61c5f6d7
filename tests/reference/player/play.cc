// The program that plays random programs under MPI: the other half of random_programs.cc, which starts it.
#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "reference/player/player.h"
#include "reference/program/batch.h"
#include "reference/program/generate.h"

namespace {

using namespace emu::reference;

constexpr const char* usage =
    "usage: play BATCH FIRST COUNT SKIP LOG [noticing | measured | threads | concurrent]\n"
    "Plays programs FIRST ... FIRST + COUNT - 1 of the batch, but not those whose numbers the file SKIP "
    "lists,\n"
    "and writes the results of the operations of rank R to LOG.R. With noticing, programs that continue when "
    "ranks\n"
    "have failed. With measured, programs that work in place of declaring it. With threads, two threads of "
    "each\n"
    "rank play in turn. With concurrent, each of several threads plays a program of its own at the same "
    "time, and\n"
    "thread T writes LOG.T.R.\n";

struct Arguments {
  std::uint64_t batch = 0, first = 0, count = 0;
  std::set<std::uint64_t> skip;
  std::string log, how;
};

std::optional<Arguments> read(int argc, char** argv) {
  if (argc != 6 && argc != 7) return std::nullopt;
  Arguments a;
  a.batch = std::strtoull(argv[1], nullptr, 10);
  a.first = std::strtoull(argv[2], nullptr, 10);
  a.count = std::strtoull(argv[3], nullptr, 10);
  std::ifstream list(argv[4]);
  for (std::uint64_t seed; list >> seed;) a.skip.insert(seed);
  a.log = argv[5];
  if (argc == 7) a.how = argv[6];
  const std::set<std::string> known = {"", "noticing", "measured", "threads", "concurrent"};
  if (!known.count(a.how)) return std::nullopt;
  return a;
}

std::FILE* open(const std::string& path) {
  std::FILE* log = std::fopen(path.c_str(), "w");
  if (!log) {
    std::perror(path.c_str());
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  return log;
}

template <class Generate>
void play(Player& player, const Arguments& a, const Generate& generate) {
  for (std::uint64_t seed = a.first; seed < a.first + a.count; ++seed)
    if (!a.skip.count(seed)) player.play(generate(seed));
}

// Returns the number of wrong answers.
int play(const Arguments& a, int rank, int ranks) {
  const Batch batch = make_batch(a.batch, ranks);
  std::FILE* const log = open(a.log + "." + std::to_string(rank));
  Player player(log, MPI_COMM_WORLD, a.how == "noticing", a.how == "measured", a.how == "threads");
  play(player, a, [&](std::uint64_t seed) {
    return a.how == "noticing"   ? generate_noticing(seed, batch)
           : a.how == "measured" ? generate_measured(seed, batch)
                                 : generate(seed, batch);
  });
  player.finish();
  std::fclose(log);
  return player.wrong();
}

int play_concurrently(const Arguments& a, int rank, int ranks) {
  const Batch batch = make_batch(a.batch, ranks);
  std::vector<MPI_Comm> worlds(concurrent_threads, MPI_COMM_WORLD);
  std::vector<std::FILE*> logs;
  std::vector<std::unique_ptr<Player>> players;
  for (int thread = 0; thread < concurrent_threads; ++thread) {
    MPI_Comm& world = worlds[static_cast<std::size_t>(thread)];
    if (thread > 0) MPI_Comm_dup(MPI_COMM_WORLD, &world);
    logs.push_back(open(a.log + "." + std::to_string(thread) + "." + std::to_string(rank)));
    players.push_back(std::make_unique<Player>(logs.back(), world, false, false, false));
  }
  const auto part = [&](int thread) {
    play(*players[static_cast<std::size_t>(thread)], a,
         [&](std::uint64_t seed) { return generate_concurrent(seed, batch, thread); });
  };
  std::vector<std::thread> others;
  for (int thread = 1; thread < concurrent_threads; ++thread) others.emplace_back(part, thread);
  part(0);
  for (std::thread& other : others) other.join();
  int wrong = 0;
  for (std::size_t thread = 0; thread < players.size(); ++thread) {
    players[thread]->finish();
    std::fclose(logs[thread]);
    wrong += players[thread]->wrong();
    if (thread > 0) MPI_Comm_free(&worlds[thread]);
  }
  return wrong;
}

}  // namespace

int main(int argc, char** argv) {
  const auto a = read(argc, argv);
  const bool concurrent = a && a->how == "concurrent", threads = concurrent || (a && a->how == "threads");
  int rank = 0, ranks = 0, level = 0;
  MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (!a) {
    if (rank == 0) std::fputs(usage, stderr);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const int wrong = concurrent ? play_concurrently(*a, rank, ranks) : play(*a, rank, ranks);
  MPI_Finalize();
  return wrong == 0 ? 0 : 1;
}
