// Plays a program of one-sided operations: player PROGRAM, a file of lines "rank operation arguments...", written by
// random_windows.py. Each rank writes a line for each of its operations to DIRECTORY/rank: the clock after it in
// picoseconds, and its result.
#include <emu/emu.h>
#include <mpi.h>

#include <cstdio>
#include <deque>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace {

constexpr int cells = 64;  // in each rank's memory

struct Player {
  int rank = 0;
  MPI_Win win = MPI_WIN_NULL;
  MPI_Group world = MPI_GROUP_NULL;
  std::vector<long> memory = std::vector<long>(cells);
  std::deque<std::vector<long>>
      brought;  // in the order of the requests; buffers keep their addresses while requests are open
  std::FILE* log = nullptr;

  MPI_Group group(std::istringstream& in) const {
    std::vector<int> ranks;
    for (int r; in >> r;) ranks.push_back(r);
    MPI_Group made;
    MPI_Group_incl(world, static_cast<int>(ranks.size()), ranks.data(), &made);
    return made;
  }
  long* room(int n) { return brought.emplace_back(static_cast<std::size_t>(n)).data(); }
  void show() {
    for (const std::vector<long>& values : brought)
      for (const long value : values) std::fprintf(log, " %ld", value);
    brought.clear();
  }
  long sum() const {
    long all = 0;
    for (int i = 0; i < cells; ++i) all += memory[static_cast<std::size_t>(i)] * (i + 1);
    return all;
  }

  void data(const std::string& what, std::istringstream& in);
  void order(const std::string& what, std::istringstream& in);
  void play(const std::string& what, std::istringstream& in);
};

void Player::data(const std::string& what, std::istringstream& in) {
  int to, cell, n = 1;
  long value = 0, compare = 0;
  in >> to >> cell;
  if (what == "fetch" || what == "swap") {
    in >> value >> compare;
    if (what == "fetch")
      MPI_Fetch_and_op(&value, room(1), MPI_LONG, to, cell, MPI_SUM, win);
    else
      MPI_Compare_and_swap(&value, &compare, room(1), MPI_LONG, to, cell, win);
    return;
  }
  in >> n >> value;
  std::vector<long> values;
  for (int i = 0; i < n; ++i) values.push_back(value + i);
  if (what == "put") MPI_Put(values.data(), n, MPI_LONG, to, cell, n, MPI_LONG, win);
  if (what == "add") MPI_Accumulate(values.data(), n, MPI_LONG, to, cell, n, MPI_LONG, MPI_SUM, win);
  if (what == "get") MPI_Get(room(n), n, MPI_LONG, to, cell, n, MPI_LONG, win);
  if (what == "gadd")
    MPI_Get_accumulate(values.data(), n, MPI_LONG, room(n), n, MPI_LONG, to, cell, n, MPI_LONG, MPI_SUM, win);
  if (what == "peek")
    MPI_Get_accumulate(nullptr, 0, MPI_LONG, room(n), n, MPI_LONG, to, cell, n, MPI_LONG, MPI_NO_OP, win);
  if (what == "null") MPI_Put(values.data(), n, MPI_LONG, MPI_PROC_NULL, cell, n, MPI_LONG, win);
  MPI_Request request = MPI_REQUEST_NULL;
  if (what == "rput") MPI_Rput(values.data(), n, MPI_LONG, to, cell, n, MPI_LONG, win, &request);
  if (what == "rget") MPI_Rget(room(n), n, MPI_LONG, to, cell, n, MPI_LONG, win, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

void Player::order(const std::string& what, std::istringstream& in) {
  int to = 0, kind = 0;
  if (what == "fence") MPI_Win_fence(0, win);
  if (what == "close") MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  if (what == "lock" && in >> to >> kind)
    MPI_Win_lock(kind ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, to, 0, win);
  if (what == "unlock" && in >> to) MPI_Win_unlock(to, win);
  if (what == "lock_all") MPI_Win_lock_all(0, win);
  if (what == "unlock_all") MPI_Win_unlock_all(win);
  if (what == "flush_local" && in >> to) MPI_Win_flush_local(to, win);
  if (what == "flush" && in >> to) MPI_Win_flush(to, win);
  if (what == "flush_all") MPI_Win_flush_all(win);
  if (what == "sync") MPI_Win_sync(win);
  if (what == "complete") MPI_Win_complete(win);
  if (what == "wait") MPI_Win_wait(win);
  if (what == "test")
    for (int flag = 0; !flag;) MPI_Win_test(win, &flag);
  if (what != "post" && what != "start") return;
  MPI_Group others = group(in);
  if (what == "post") MPI_Win_post(others, 0, win);
  if (what == "start") MPI_Win_start(others, 0, win);
  MPI_Group_free(&others);
}

void Player::play(const std::string& what, std::istringstream& in) {
  if (what == "compute") {
    long picoseconds;
    in >> picoseconds;
    emu_compute(static_cast<double>(picoseconds) * 1e-12);
  } else if (what == "send") {
    int to, n;
    in >> to >> n;
    const std::vector<char> data(static_cast<std::size_t>(n));
    MPI_Send(data.data(), n, MPI_CHAR, to, 0, MPI_COMM_WORLD);
  } else if (what == "receive") {
    std::vector<char> data(4096);
    MPI_Status status;
    MPI_Recv(data.data(), 4096, MPI_CHAR, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
    std::fprintf(log, " from %d", status.MPI_SOURCE);
  } else if (what == "put" || what == "add" || what == "get" || what == "fetch" || what == "swap" ||
             what == "gadd" || what == "peek" || what == "rput" || what == "rget" || what == "null") {
    data(what, in);
  } else {
    order(what, in);
  }
  if (what == "unlock" || what == "unlock_all" || what == "fence" || what == "close" || what == "complete" ||
      what == "flush_all")
    show();
  if (what == "sync" || what == "look") std::fprintf(log, " sum %ld", sum());
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc != 3) MPI_Abort(MPI_COMM_WORLD, 1);
  Player p;
  MPI_Comm_rank(MPI_COMM_WORLD, &p.rank);
  MPI_Comm_group(MPI_COMM_WORLD, &p.world);
  p.log = std::fopen((std::string(argv[2]) + "/" + std::to_string(p.rank)).c_str(), "w");
  if (!p.log) MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Win_create(p.memory.data(), cells * static_cast<MPI_Aint>(sizeof(long)), sizeof(long), MPI_INFO_NULL,
                 MPI_COMM_WORLD, &p.win);
  emu_compute(1e-6);  // the gap after earlier messages is over
  std::fprintf(p.log, "begin %lld\n", emu_picoseconds());
  std::fflush(p.log);  // the rank may fail
  std::ifstream program(argv[1]);
  for (std::string line; std::getline(program, line);) {
    std::istringstream in(line);
    int rank;
    std::string what;
    in >> rank >> what;
    if (rank != p.rank) continue;
    std::fprintf(p.log, "%s:", line.c_str());
    p.play(what, in);
    std::fprintf(p.log, " at %lld\n", emu_picoseconds());
  }
  emu_compute(1e-3);  // messages at the end come after all actions of other ranks
  MPI_Win_free(&p.win);
  std::fprintf(p.log, "memory %ld\n", p.sum());
  std::fclose(p.log);
  MPI_Group_free(&p.world);
  MPI_Finalize();
}
