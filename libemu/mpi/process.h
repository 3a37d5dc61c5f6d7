// Everything real, wired together once: this process as an emulated rank.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "clock/meter.h"
#include "comm/groups.h"
#include "io/file_storage.h"
#include "io/files.h"
#include "mpi/handles.h"
#include "process/start/environment.h"
#include "process/start/nodes.h"
#include "process/thread_registry.h"
#include "rank/rank.h"
#include "rma/shared_memory.h"
#include "rma/windows.h"
#include "target/target.h"
#include "wire/shared_wire.h"
#include "wire/watch.h"

namespace emu::wire {
class Agent;
}

namespace emu::mpi {

struct Process {
  // By all ranks of the job, behind join_job() and PMPI_Init. Ends the job with exit code 2 if the environment names
  // no valid target for it.
  explicit Process(Environment from);

  const Environment environment;
  target::Target target;
  // What the reference CPU does in the time that this host's takes `cpu` nanoseconds for.
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

  // Features of MPI that some program of the job may use. All ranks know the same (agree()).
  struct Uses {
    bool one_sided = false;  // ranks may answer others without an overhead: one makes windows, or the like
    bool shares_pointers = false;  // of files: ranks may move them alone
    bool cancels_sends = false;
  };
  Uses uses;

  std::optional<model::Network> network;

  // The way of messages to other ranks. In front of `wire` is `checked`, and in front of that `jitter`.
  struct Transport {
    std::unique_ptr<wire::SharedWire> wire;
    std::unique_ptr<wire::Agent> agent;  // of this node, if this process has it
    std::thread agent_thread;
    std::optional<wire::Watch> watch;      // of this node, if this process has it
    std::unique_ptr<match::Wire> checked;  // verifies the invariants of the synchronisation
    std::unique_ptr<match::Wire> jitter;   // real delays, if asked for
  };
  Transport transport;

  // CPU time, in nanoseconds, and switches of this process.
  struct Used {
    std::int64_t thread = 0, others = 0, switches = 0;
  };
  // Measurement of what the program computes between two calls.
  struct Metering {
    std::unique_ptr<clock::Meter> meter;
    clock::CpuMeter* measured = nullptr;  // the meter, if it measures
    clock::CpuMeter* readable = nullptr;  // the meter, if other processes may read what it measures
    std::int64_t system_since = 0;        // thread_system_nanoseconds() when the program went on, if recorded
    Used before;                          // up to MPI_Init
  };
  Metering metering;

  std::unique_ptr<record::Recorder> recorder;      // if a trace is written
  std::unique_ptr<record::ProgramWriter> program;  // likewise
  std::optional<rank::Rank> rank;                  // in place: what each call touches lies together

  // MPI's objects, by the program's handles.
  struct Objects {
    Requests requests;
    Messages messages;
    Communicators communicators;
    Groups groups;
    Windows windows;
    std::unique_ptr<SharedMemory> shared_memory;  // while windows are open whose memory several ranks share
    Files files;
    std::unique_ptr<SharedStorage> storage;  // if the target's is shared
  };
  Objects objects;

  record::Doubts doubts;  // counted in doubtful_calls.cc

  // Calls of the program.
  struct Calls {
    const char* last = "MPI_Init";  // under way, or the last one
    bool buffer_attached = false;   // by the program, for buffered sends
    std::atomic<bool> has_callbacks =
        false;  // the program has made keys of attributes, which may have callbacks
  };
  Calls calls;

  struct Threading {
    const void* main = this_thread();  // the thread that has called MPI_Init
    int level = MPI_THREAD_SINGLE;     // that it has asked for
    std::optional<rank::Turns> turns;  // if other threads may call as well (process/thread_registry.h)
    Instant asked;                     // the rank's clock when one of them last came or went
  };
  Threading threading;

  struct Life {
    std::atomic<bool> finished = false;  // MPI_Finalize has been entered, or the last session's end
    std::atomic<bool> world = false;     // between MPI_Init and MPI_Finalize
    int sessions = 0;                    // open
    // The rank's clock when the program last went on, in picoseconds: for threads that do not call MPI.
    std::atomic<std::int64_t> shown = 0;
    // After `finished`: the rank's last instant, and the host's CLOCK_MONOTONIC, in nanoseconds, when the program
    // went on (0: not yet).
    Instant ended;
    std::atomic<std::int64_t> left_at = 0;
    std::optional<record::RankSummary> summary;  // as of the entry to MPI_Finalize
  };
  Life life;

  // The program has asked for this level of MPI's.
  void serve_threads(int level);
  // A call of the program's begins: the rank is the calling thread's, and what it did before is charged (`meter`).
  void enter_library(bool meter = true);
  void return_to_user();
  // The same where nothing but the process' own state matters. They may be nested.
  void lock_rank() {
    if (threading.turns && ThreadRegistry::several()) [[unlikely]] {
      if (caller.rank_locks++ == 0) threading.turns->enter();
    } else if (objects.shared_memory) [[unlikely]] {
      objects.shared_memory->take();
    }
  }
  void unlock_rank() {
    if (caller.rank_locks > 0) [[unlikely]] {
      if (--caller.rank_locks == 0) threading.turns->leave();
    } else if (objects.shared_memory) [[unlikely]] {
      objects.shared_memory->give();
    }
  }

  // The program's work up to here is charged, as measured. Between the two, nobody counts on it going on.
  void stop_meter();
  void start_meter();
  // This rank's node has failed for good: it stays where it is until all others have finished, and ends with
  // the job. (init.cc)
  [[noreturn]] void fail();
  // The program has exited with code 0, without MPI_Finalize: what it did counts. (init.cc)
  void end_without_finalize();
  // The rank does nothing more, and its clock stays.
  void stop_clock();
  // Returns when all ranks have finished.
  void finish_together(const record::RankSummary& summary);
  // What there is to doubt by now.
  record::Doubts doubts_so_far() const;
  // A process that the program started when the rank's clock was at `since` is over, and has used `cpu` nanoseconds. It ran beside.
  void child_ended(Instant since, std::int64_t cpu);
  // The program declares its work since the last call.
  void declare(double reference_seconds);
  // The same by one of several threads, without the rank.
  void declare_beside(double reference_seconds);

 private:
  // The same where the program has several threads (process/thread_registry.h).
  [[gnu::noinline]] void stop_meters();
  // And where several of them call.
  [[gnu::noinline]] void stop_caller_meter();
  [[gnu::noinline]] void start_caller_meter();
  rank::Turns::Beside threads_beside();
  std::int64_t cpu_of_all() const;
  std::int64_t cpu_of_others() const;
  [[noreturn, gnu::cold]] void starve();
  [[noreturn, gnu::cold]] void overrun(Instant before);
  // Tells the recorder what part of `computed`, the clock's, for `work`, the reference CPU's, the system
  // took.
  [[gnu::cold]] void record_system(Interval computed, Interval work);

  void learn_meter();
  Used used() const;

  // start.cc
  void agree(HostNode& node);
  void start_agent(HostNode& node);
  void start_watch();
  void start_together();

  void open_trace();
};

// This process, from MPI_Init to the end; null if it is not emulated. The only mutable global of the library, beside
// the connection to the process manager (job.h).
extern Process* process;
// The same, for any thread: others than the one that calls MPI read clocks, also while that is in MPI_Init.
inline Process* published() { return std::atomic_ref(process).load(std::memory_order_acquire); }

// An abort reaches the process manager by another way than what was written to stdout and stderr, and may
// overtake it: waits until it has been read. (exit.cc)
void deliver_output();

// Ends the job, as MPI_Abort does. (exit.cc)
[[noreturn, gnu::cold]] void end_job(int exit_code);

// The same behind one message on stderr.
[[noreturn, gnu::cold]] void stop_job(const std::string& message, int exit_code);
// The same of a job that has not started, where the others may be stopped for the same reason, or by rank 0's: they say so only if
// what rank 0 says does not end them.
[[noreturn, gnu::cold]] void stop_before_start(const std::string& message, int exit_code);

// The same as stop_job, where several ranks come to it together: one of them says so. Exit code 1.
[[noreturn, gnu::cold]] void stop_job_once(const std::string& message);

// The same for a reason that many ranks may have, an event of the target's: the one that has it first in virtual time says
// it, and the others wait for the end.
[[noreturn, gnu::cold]] void stop_job_in_turn(const std::string& message, int exit_code);

}  // namespace emu::mpi
