// Supervision of forked ranks: their ends, signals for them, and the exit code of the job.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <atomic>
#include <optional>
#include <string>
#include <vector>

namespace emu::mpi {

// Shared memory of the ranks and their supervisor, initially zero.
struct Reports {
  std::atomic<int> aborted;     // 1: a rank requests the end of the job
  std::atomic<int> abort_code;  // the job's exit code in this case
  // 1: processes that join or leave the job notify the supervisor by a signal.
  std::atomic<int> watched;
  // By rank: the process that has joined the job as this rank, its negative number once it has left the job, or 0.
  std::atomic<pid_t> members[];
};

class Supervisor {
 public:
  explicit Supervisor(Reports& reports) : reports_(reports) {}

  // Blocks the signals that run() handles. Called before the first rank is forked.
  void begin();
  // Called in a forked rank: restores the signal mask from before begin().
  void leave_to_rank() const;
  void add(pid_t process, int rank) { ranks_.push_back({process, rank}); }
  // Waits until all ranks have ended. If this process killed them, it also kills the processes that they started, as
  // mpirun does. Returns the exit code of the job: that of an abort, or the codes of all ranks combined by bitwise or,
  // as mpirun does, where the code of a killed rank is the signal's number.
  int run();
  // Kills the ranks that were added.
  void kill_all();
  // True if the ranks were killed, because the job has failed or a rank has requested its end.
  bool ended_ranks() const { return ending_; }
  // Number of ranks that have ended without MPI_Init.
  int outsiders() const;

  // The signal by which a rank makes run() read the reports.
  static int word_from_rank();

 private:
  static constexpr int gone = -1;
  struct Rank {
    pid_t process;
    int number;  // or `gone`
  };
  static bool by_process(const Rank& a, const Rank& b) { return a.process < b.process; }
  void handle_signal();
  bool reap(pid_t child);
  void reap_all();
  std::optional<Rank> remove(pid_t process);
  void remove_gone();
  void ended(const Rank& rank, int status);
  void look_at_reports();
  void look_for_absent();
  std::vector<pid_t> orphans() const;
  bool is_waiting(const Rank& rank) const;
  bool has_finished() const;
  bool record_is_written() const;
  void report(const std::string& message) const;
  void pass_on(int signal, bool from_terminal);
  void signal_all(int signal);

  Reports& reports_;
  std::vector<Rank> ranks_;  // by process
  int gone_ = 0;             // of these, ended ones
  int unsure_ = 0;           // signals of ended children since the last wait for any child
  sigset_t signals_{}, before_{};
  pid_t starter_ = 0;  // parent of this process
  int code_ = 0;
  // Ranks whose processes have ended without having left the job. A process that one of them has started may become the
  // rank: programs that go to the background end their first process.
  std::vector<int> absent_;
  bool awaited_ = false;      // such a process may still join
  bool left_ = false;         // a rank has ended after it had left the job
  bool failed_ = false;       // a rank was killed, or ended the job, after a rank had left it
  bool ending_ = false;       // all ranks were killed
  bool interrupted_ = false;  // by an external signal: the resulting ends need no messages
};

}  // namespace emu::mpi
