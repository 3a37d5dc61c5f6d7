#include "process/fork/fork_start.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory_resource>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/number.h"
#include "process/cores.h"
#include "process/fork/huge_text.h"
#include "process/fork/merged_segments.h"
#include "process/fork/needed_objects.h"
#include "process/fork/quick_end.h"
#include "process/fork/rank_variables.h"
#include "process/fork/supervisor.h"
#include "process/log.h"
#include "process/process.h"
#include "process/start/environment.h"
#include "process/start/orphan.h"
#include "process/start/program_symbols.h"
#include "process/threads/thread_registry.h"
#include "process/upcalls.h"
#include "wire/node_map.h"
#include "wire/shared_wire.h"

// Functions of LeakSanitizer, if the program is linked with it.
extern "C" {
[[gnu::weak]] void __lsan_disable();
[[gnu::weak]] void __lsan_enable();
}

namespace emu::mpi {

namespace {

ForkedRank* own_rank = nullptr;  // set once this process is a rank
Reports* reports = nullptr;
pid_t supervisor = 0;

[[noreturn]] void end_first_process(int code) {
  for (;;) syscall(SYS_exit_group, code);
}

[[noreturn]] void stop(const std::string& message, int code = 1) {
  log(Level::error, message);
  end_first_process(code);
}

// A child has only the thread that forked: locks of other threads would remain locked in it for ever.
int count_threads() {
  std::error_code error;
  int number = 0;
  for (std::filesystem::directory_iterator at("/proc/self/task", error), end; !error && at != end;
       at.increment(error))
    ++number;
  return number;
}

// The command then starts the program again without fork.
[[noreturn]] void refuse(const char* to, int found) {
  std::ofstream(to) << "the program has " << found << " threads before it begins\n";
  end_first_process(1);
}

// Uses up the free blocks of the heap. The ranks then allocate in new pages, in place of blocks that are scattered over
// pages which they share. Without effect if the allocator is not that of the C library.
void use_up_free_blocks() {
  constexpr std::size_t large = 64 << 10, small = 1024, step = 16;
  constexpr int most = 100'000;  // blocks
  int blocks = 0;
  const auto allocate = [&](std::size_t bytes) {
    ++blocks;
    return std::malloc(bytes);  // never freed, except for those at the end of the heap
  };
  const auto address = [](const void* place) { return reinterpret_cast<std::uintptr_t>(place); };
  const std::uintptr_t before = address(sbrk(0));
  void* last = allocate(large);
  while (address(sbrk(0)) == before && address(last) < before && blocks < most / 100) last = allocate(large);
  const std::uintptr_t end = address(last);
  std::free(last);
  if (address(sbrk(0)) == before) return;
  for (std::size_t bytes = small; bytes >= step; bytes -= step) {
    void* block = allocate(bytes);
    while (address(block) < end && blocks < most) block = allocate(bytes);
    std::free(block);
  }
}

// The C++ library binds its own references when they are used first: here, once, and not in each rank.
void bind_library() {
  std::pmr::unordered_set<int> any;
  any.insert(0);
}

// What MPICH and UCX allocate here stays until the rank ends: LeakSanitizer does not report it.
struct [[nodiscard]] NoLeaks {
  NoLeaks() {
    if (__lsan_disable && __lsan_enable) __lsan_disable();
  }
  ~NoLeaks() {
    if (__lsan_disable && __lsan_enable) __lsan_enable();
  }
  NoLeaks(const NoLeaks&) = delete;
  NoLeaks& operator=(const NoLeaks&) = delete;
};

void initialise_mpich() {
  const AloneEnvironment alone;
  const OwnThreads own_threads;
  const NoLeaks no_leaks;
  if (!start_mpich()) stop("MPICH could not be initialised");
}

Reports& share_reports(int ranks) {
  const std::size_t bytes = sizeof(Reports) + static_cast<std::size_t>(ranks) * sizeof(std::atomic<int>);
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) stop(std::string("cannot share memory: ") + std::strerror(errno));
  return *static_cast<Reports*>(memory);
}

// The hosts on each of which the process manager has started one first process; without a manager, this host alone.
struct Hosts {
  int own = 0, count = 1;
  std::optional<wire::Pmi> manager;
};

Hosts find_hosts(int ranks) {
  const Started started = read_started();
  if (!started.connection || started.size < 2) return {};
  if (started.rank < 0 || started.rank >= started.size)
    stop("PMI_RANK and PMI_SIZE name no process of a job: start the job by emu run or mpirun");
  if (started.size > ranks)
    stop("EMU_RANKS: invalid number of ranks: " + std::to_string(ranks) +
             " (expected at least one for each of " + std::to_string(started.size) + " hosts)",
         2);
  end_with_manager();
  auto manager = wire::Pmi::open(*started.connection);
  if (!manager) stop(manager.error().message);
  return {started.rank, started.size, std::move(*manager)};
}

// Distributes the ranks to the hosts in equal shares, in order.
wire::NodeMap place(int ranks, const Hosts& hosts) {
  if (hosts.count == 1) return wire::NodeMap(ranks);
  std::vector<int> host_of(static_cast<std::size_t>(ranks));
  const auto first = [&](int host) { return host_of.begin() + std::int64_t{ranks} * host / hosts.count; };
  for (int host = 0; host < hosts.count; ++host) std::fill(first(host), first(host + 1), host);
  return wire::NodeMap(std::move(host_of), hosts.own);
}

wire::Region share_region(const wire::NodeMap& map) {
  auto made = wire::Region::create(wire::SharedWire::region_bytes(map));
  if (!made) stop(made.error().message);
  wire::Table::create(made->base(), map);
  return std::move(*made);
}

// Prepares everything that is equal on all ranks.
ForkedRank& prepare(int size, Hosts hosts) {
  const auto environment = Environment::read();
  if (!environment) stop(environment.error().message, 2);
  environment->keep();
  auto target = target::load(environment->target);
  if (!target) stop(target.error().message, 2);
  if (const auto fits = target::fits(*target, size, environment->target); !fits)
    stop(fits.error().message, 2);
  auto& prepared = *new ForkedRank;
  prepared.size = size;
  prepared.target = std::move(*target);
  prepared.one_sided = environment->one_sided || program_shares_pointers() || program_makes_windows() ||
                       prepared.target.storage.shared;
  prepared.network.emplace(prepared.target.network, prepared.target.topology(size), prepared.one_sided);
  prepared.keeps_awake =
      environment->awake_cores && size > 1 && prepared.target.compute == target::Compute::measured;
  prepared.cores = environment->cores;
  prepared.largest_tag = largest_tag();
  prepared.node_map = place(size, hosts);
  prepared.region.emplace(share_region(prepared.node_map));
  prepared.manager = std::move(hosts.manager);
  if (int ends[2]; prepared.node_map.several()) {
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
      stop(std::string("cannot make a pipe: ") + std::strerror(errno));
    prepared.agent_wakes_in = ends[0];
    prepared.agent_wakes_out = ends[1];
  }
  const LoadedObjects objects = find_loaded_objects();
  allow_quick_end(objects);
  (void)program_declares_compute();  // the results are kept for the ranks
  (void)program_cancels_sends();
  bind_library();
  constexpr int many = 32;  // ranks: fewer save less time than this takes
  if (prepared.node_map.local_slots() >= many) {
    move_text_to_huge_pages();
    prepared.region->use_huge_pages(wire::Table::bytes(prepared.node_map));
    merge_segments(objects.needed);
  }
  set_size_variables(prepared.size, prepared.node_map.local_slots());
  use_up_free_blocks();
  return prepared;
}

// The threads belong to the first process, and end with it.
void keep_awake(const ForkedRank& prepared) {
  if (!prepared.keeps_awake) return;
  auto* const table =
      new wire::Table(prepared.region->base(), prepared.node_map, 0, wire::Lookaheads(Interval()));
  (void)keep_cores_awake(prepared.cores, [table] { return table->any_asleep(); }).release();
}

// Only rank 0 reads the terminal, as under mpirun.
void close_input() {
  const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (null >= 0) dup2(null, STDIN_FILENO);
  if (null > STDIN_FILENO) close(null);
}

// For a debugger: this rank stops until it is continued.
void stop_for_debugger(int rank) {
  const char* const wanted = std::getenv("EMU_STOP_RANK");
  if (!wanted || read_number(wanted, 0) != rank) return;
  const std::string own_number = std::to_string(getpid());
  log(Level::info, "rank " + std::to_string(rank) + " is process " + own_number +
                       ", and stops until it gets SIGCONT; to attach: gdb -p " + own_number);
  raise(SIGSTOP);
}

void become_rank(const Supervisor& supervised, int slot, ForkedRank& prepared) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != supervisor) end_first_process(1);  // it ended before prctl()
  supervised.leave_to_rank();
  const int number = prepared.node_map.first_rank(slot);
  own_rank = &prepared;
  own_rank->number = number;
  set_rank_variables(number, slot);
  threads().forked();
  // Output is written in whole lines, which those of other ranks do not interrupt.
  static char line[BUFSIZ];
  if (!isatty(STDOUT_FILENO)) setvbuf(stdout, line, _IOLBF, sizeof line);
  stop_for_debugger(number);
}

// Returns in each rank; the first process ends here.
void fork_ranks(int size) {
  Hosts hosts = find_hosts(size);
  initialise_mpich();
  reports = &share_reports(size);
  ForkedRank& prepared = prepare(size, std::move(hosts));
  supervisor = getpid();
  static Supervisor supervised(*reports);
  supervised.begin();
  if (prepared.node_map.node() > 0) close_input();
  for (int slot = 0; slot < prepared.node_map.local_slots(); ++slot) {
    const int number = prepared.node_map.first_rank(slot);
    const pid_t process = fork();
    if (process == 0) return become_rank(supervised, slot, prepared);
    if (process < 0) {
      const std::string why = std::strerror(errno);
      supervised.kill_all();
      stop(
          "cannot start rank " + std::to_string(number) + " of " + std::to_string(size) + ": " + why +
          " (is the number of processes limited: ulimit -u, kernel.pid_max, pids.max of the control group?)");
    }
    supervised.add(process, number);
    if (slot == 0) close_input();
  }
  keep_awake(prepared);
  const int code = supervised.run();
  if (prepared.manager && supervised.ended_ranks()) {
    deliver_output();  // the manager ends this process at once
    prepared.manager->abort(code);
  } else if (prepared.manager && supervised.outsiders() == prepared.node_map.local_slots()) {
    // In place of the leader, which never came: leaders of other hosts then find that this host has no entry, and end
    // the job. If there are none, all hosts meet here.
    (void)prepared.manager->barrier();
    (void)prepared.manager->finalize();
  }
  end_first_process(code);
}

// After the constructors of the libraries that libemu needs, such as MPICH, and before those of the program.
[[gnu::constructor]] void start() {
  const char* const ranks = std::getenv("EMU_RANKS");
  if (!ranks || !*ranks) return;
  const std::optional<int> size = read_number(ranks, 1);
  const char* const refusal = std::getenv("EMU_FORK_REFUSED");
  const std::string to = refusal ? refusal : "";
  unsetenv("EMU_RANKS");  // not for programs that the ranks start
  unsetenv("EMU_FORK_REFUSED");
  if (!size)
    stop("EMU_RANKS: invalid number of ranks: \"" + std::string(ranks) + "\" (expected 1 or more)", 2);
  if (const int found = count_threads(); found > 1 && !to.empty()) refuse(to.c_str(), found);
  fork_ranks(*size);
}

}  // namespace

ForkedRank* forked_rank() { return own_rank; }

void join_supervisor() {
  if (!own_rank) return;
  // The rank has gone to the background; like its first process, it ends with the supervisor.
  if (getppid() == supervisor) prctl(PR_SET_PDEATHSIG, SIGKILL);
  reports->members[own_rank->number] = getpid();
  if (reports->watched) kill(supervisor, Supervisor::word_from_rank());
}

void leave_supervisor() {
  if (!own_rank) return;
  reports->members[own_rank->number] = -getpid();
  if (reports->watched) kill(supervisor, Supervisor::word_from_rank());
}

void abort_by_supervisor(int exit_code) {
  if (!own_rank) return;
  if (reports->aborted) return;
  reports->abort_code = exit_code;
  reports->aborted = 1;
  kill(supervisor, Supervisor::word_from_rank());
}

}  // namespace emu::mpi
