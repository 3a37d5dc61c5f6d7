// Supervision of forked ranks: their ends, signals for them, and the exit code of the job.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <atomic>
#include <vector>

namespace emu::mpi {

// Part of a rank in the job, as the supervisor sees it.
enum class Membership : int { outside, joined, left };

// What the ranks and their supervisor tell each other; in memory that they share, zero at first.
struct Reports {
  std::atomic<int> aborted;     // 1: a rank asks for the end of the job
  std::atomic<int> abort_code;  // the exit code of the job then
  std::atomic<int>
      outsiders;  // 1: a rank has ended without joining, so a rank that joins says so by a signal
  std::atomic<int> memberships[];  // of each rank, a Membership
};

class Supervisor {
 public:
  explicit Supervisor(Reports& reports) : reports_(reports) {}

  // Blocks the signals that run() takes up. Before the first rank is forked.
  void begin();
  // In a forked rank: signals are delivered as they were before begin().
  void leave_to_rank() const;
  void add(pid_t process, int rank) { ranks_.push_back({process, rank}); }
  // Waits until all ranks have ended. The exit code of the job: that of an abort, or the codes of all ranks joined by
  // bitwise or, as mpirun has it, where the code of a killed rank is the number of the signal.
  int run();
  // Kills the ranks that were added.
  void kill_all();
  // Whether they were killed: the job has failed, or a rank has asked for its end.
  bool ended_ranks() const { return ending_; }

  // The signal by which a rank makes run() look at the reports.
  static int word_from_rank();

 private:
  static constexpr int gone = -1;
  struct Rank {
    pid_t process;
    int number;  // or `gone`
  };
  void reap();
  void ended(int rank, int status);
  void look_at_reports();
  void pass_on(int signal, bool from_terminal);

  Reports& reports_;
  std::vector<Rank> ranks_;  // by process
  int gone_ = 0;             // of these
  sigset_t signals_{}, before_{};
  int code_ = 0;
  int outsider_ = -1;         // the first rank that ended without MPI_Init
  bool ending_ = false;       // all ranks were killed
  bool interrupted_ = false;  // by a signal from outside: the ends that it causes need no words
};

}  // namespace emu::mpi
