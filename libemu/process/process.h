// This process as an emulated rank: all parts with side effects, connected at the start.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "clock/awake_cores.h"
#include "clock/meter.h"
#include "process/start/environment.h"
#include "process/start/nodes.h"
#include "process/start/watch.h"
#include "process/threads/shared_memory_promises.h"
#include "process/threads/thread_registry.h"
#include "rank/rank.h"
#include "target/target.h"
#include "wire/shared_wire.h"

namespace emu::wire {
class Agent;
}

namespace emu::mpi {

// Which threads of the program may call. The values are MPI's, MPI_THREAD_SINGLE to MPI_THREAD_MULTIPLE.
enum class ThreadLevel : int { single, funneled, serialized, multiple };

struct Process {
  // Called by all ranks of the job, after join_job() and PMPI_Init. Ends
  // the job with exit code 2 if the environment names no valid target.
  explicit Process(Environment from);

  const Environment environment;
  target::Target target;
  // The work that the reference CPU does in the time in which this host's uses `cpu` nanoseconds.
  Interval scaled(std::int64_t cpu) const {
    return Interval::picoseconds(
        static_cast<std::int64_t>(static_cast<double>(cpu) * target.host_speed * 1000));
  }

  // This rank in its job and on the target.
  struct Identity {
    int number = 0, size = 0;  // in MPI_COMM_WORLD
    int node = 0;              // of the target
    int cores = 0;             // of the node, for the rank's threads
    int largest_tag = 0;       // MPI_TAG_UB
  };
  Identity self;

  // Features of MPI that some program of the job may use. All ranks have equal values (agree()).
  struct Uses {
    // Ranks may answer without an overhead: a program creates windows or moves shared file pointers, or ranks share a
    // storage.
    bool one_sided = false;
    bool shares_pointers = false;  // of files: ranks may move them individually
    bool cancels_sends = false;
  };
  Uses uses;

  std::optional<model::Network> network;

  // Path of messages to other ranks: `jitter` wraps `checked`, which wraps `wire`.
  struct Transport {
    std::unique_ptr<wire::SharedWire> wire;
    std::unique_ptr<wire::Agent> agent;  // of this node, if it runs in this process
    std::thread agent_thread;
    std::optional<Watch> watch;                      // of this node, if it runs in this process
    std::unique_ptr<clock::AwakeCores> awake_cores;  // of this host, if it runs in this process
    std::unique_ptr<match::Wire> checked;            // verifies the invariants of the synchronisation
    std::unique_ptr<match::Wire> jitter;             // real delays, if enabled
  };
  Transport transport;

  // CPU time in nanoseconds, and context switches, of this process.
  struct Used {
    std::int64_t thread = 0, others = 0, switches = 0;
  };
  // Measurement of the program's computation between calls.
  struct Metering {
    std::unique_ptr<clock::Meter> meter;
    clock::CpuMeter* measured = nullptr;  // the meter, if it measures
    clock::CpuMeter* readable = nullptr;  // the meter, if other processes may read it
    std::int64_t system_since = 0;  // thread_system_nanoseconds() when the program continued, if recorded
    Used before;                    // up to MPI_Init
  };
  Metering metering;

  std::unique_ptr<record::Recorder> recorder;      // if a trace is written
  std::unique_ptr<record::ProgramWriter> program;  // if the requests of the program are recorded
  std::optional<rank::Rank> rank;  // stored in place, so that the data of each call are adjacent

  std::unique_ptr<SharedMemory> shared_memory;  // while windows with shared memory are open

  record::Doubts doubts;  // counted in doubtful_calls.cc

  // State of the program's calls.
  struct Calls {
    const char* last = "MPI_Init";            // the current or the last call
    bool buffer_attached = false;             // the program has attached a buffer for buffered sends
    std::atomic<bool> has_callbacks = false;  // the program has created attribute keys
  };
  Calls calls;

  struct Threading {
    const void* main = this_thread();         // the thread that has called MPI_Init
    ThreadLevel level = ThreadLevel::single;  // as requested by the program
    std::optional<rank::Monitor>
        monitor;    // if other threads may call as well (process/threads/thread_registry.h)
    Instant asked;  // the rank's clock at the last entry or exit of such a thread
  };
  Threading threading;

  struct Life {
    std::atomic<bool> finished =
        false;                        // after the entry to MPI_Finalize, or the end of a program of sessions
    std::atomic<bool> world = false;  // between MPI_Init and MPI_Finalize
    int sessions = 0;                 // open
    // After the end of the last session, outside MPI_Init and MPI_Finalize: the job ends with the program, unless that
    // opens a session before.
    bool between_sessions = false;
    // The rank's clock when the program last continued, in picoseconds: for threads that do not call MPI.
    std::atomic<std::int64_t> shown = 0;
    // After `finished`: the rank's last instant, and the host's CLOCK_MONOTONIC, in nanoseconds, when the program
    // continued (0: not yet).
    Instant ended;
    std::atomic<std::int64_t> left_at = 0;
    // As of the entry to MPI_Finalize, or of the end of the last session.
    std::optional<record::RankSummary> summary;
  };
  Life life;

  // The program has requested this thread level.
  void serve_threads(ThreadLevel level);
  // A call of the program begins: the calling thread gets the rank, and its work is charged (`meter`).
  void enter_library(bool meter = true);
  void return_to_user();
  // For calls that need only state of this process. May be nested.
  void lock_rank() {
    if (threading.monitor && ThreadRegistry::several()) [[unlikely]] {
      if (caller.rank_locks++ == 0) threading.monitor->enter();
    } else if (shared_memory) [[unlikely]] {
      shared_memory->take();
    }
  }
  void unlock_rank() {
    if (caller.rank_locks > 0) [[unlikely]] {
      if (--caller.rank_locks == 0) threading.monitor->leave();
    } else if (shared_memory) [[unlikely]] {
      shared_memory->give();
    }
  }

  // stop_meter() charges the program's work up to here, as measured. Until start_meter(), other ranks do not count on
  // it.
  void stop_meter();
  void start_meter();
  // This rank's node has failed for good: the rank stays here until all others have finished, and ends with
  // the job. (end.cc)
  [[noreturn]] void fail();
  // The program has exited with code 0, without MPI_Finalize: its results count. (end.cc)
  void end_with_program();
  // The program calls no more: the rank answers others until all have finished, and writes its results. (end.cc)
  void finish();
  record::RankSummary summary() const;
  // The rank does nothing more, and its clock remains.
  void stop_clock();
  // Returns when all ranks have finished.
  void finish_together(record::RankSummary summary);
  // The present counts.
  record::Doubts doubts_so_far() const;
  // A child process, started at instant `since`, has ended, and used `cpu` nanoseconds. It ran concurrently.
  void child_ended(Instant since, std::int64_t cpu);
  // The program declares the cost of its work since the last call.
  void declare(double reference_seconds);
  // As declare(), for one of several threads, without the rank.
  void declare_on_own_clock(double reference_seconds);

 private:
  // As stop_meter() if the program has several threads (process/threads/thread_registry.h).
  [[gnu::noinline]] void stop_meters();
  // As stop_meter(), for one of several threads that call.
  [[gnu::noinline]] void stop_caller_meter();
  [[gnu::noinline]] void start_caller_meter();
  rank::Monitor::Others other_threads();
  std::int64_t cpu_of_all() const;
  std::int64_t cpu_of_others() const;
  [[noreturn, gnu::cold]] void starve();
  [[noreturn, gnu::cold]] void overrun(Instant before);
  // Tells the recorder the part of `computed` (of the clock, for `work` of the reference CPU) that the system
  // took.
  [[gnu::cold]] void record_system(Interval computed, Interval work);

  void learn_meter();
  Used used() const;

  // start.cc
  void agree(HostNode& node);
  void start_agent(HostNode& node);
  void start_watch();
  void start_together();

  void keep_awake();
  void open_trace();
};

// This process, from MPI_Init to the end; null if it is not emulated. The program's MPI objects (mpi/objects.h) and
// the connection to the process manager (start/job.h) are globals, too.
extern Process* process;
// `process`, for any thread: threads other than the one that calls MPI read clocks, also during MPI_Init.
inline Process* published() { return std::atomic_ref(process).load(std::memory_order_acquire); }

// An abort reaches the process manager on another way than text written to stdout and stderr, and may
// overtake it: waits until the text has been read. (exit.cc)
void deliver_output();

// Called by MPI_Init: an exit handler notes the exit code, which destructors cannot read. (exit.cc)
void note_exit_code();

// Ends the job like MPI_Abort. (exit.cc)
[[noreturn, gnu::cold]] void end_job(int exit_code);

// Writes a message to stderr, then ends the job.
[[noreturn, gnu::cold]] void stop_job(const std::string& message, int exit_code);
// As stop_job, before the job has started. Other ranks may stop for the same reason: to avoid
// copies of one message, ranks other than 0 write theirs only if rank 0's does not end them.
[[noreturn, gnu::cold]] void stop_before_start(const std::string& message, int exit_code);

// As stop_job, for an error that several ranks find together: one of them writes the message. Exit code 1.
[[noreturn, gnu::cold]] void stop_job_once(const std::string& message);

// As stop_job, for a reason that many ranks may have, such as an event of the target: the first in virtual time writes
// the message, and the others wait for the end.
[[noreturn, gnu::cold]] void stop_job_in_turn(const std::string& message, int exit_code);

}  // namespace emu::mpi
