#include "mpi/process.h"

#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>
#include <vector>

#include "base/units.h"
#include "match/checked_wire.h"
#include "mpi/clocks.h"
#include "mpi/cores.h"
#include "mpi/declares.h"
#include "mpi/noticed.h"
#include "wire/jitter.h"

namespace emu::mpi {

Process* process = nullptr;

namespace {

// Waits, at most a second, until the pipe has been emptied.
void deliver(int file) {
  int left = 0;
  struct stat status {};
  if (fstat(file, &status) != 0 || !S_ISFIFO(status.st_mode)) return;
  for (int tries = 0; tries < 1000 && ioctl(file, FIONREAD, &left) == 0 && left > 0; ++tries) usleep(1000);
}

// Where the network has gone, so has the process manager, for whose answer PMPI_Abort waits: if it has not
// ended this process after a second, the node's ranks end without it.
void end_without_manager(int exit_code) {
  std::thread([exit_code] {
    sleep(1);
    process->wire->kill_others();
    _exit(exit_code);
  }).detach();
}

}  // namespace

void deliver_output() {
  std::fflush(stderr);
  deliver(STDOUT_FILENO);
  deliver(STDERR_FILENO);
}

void stop_job(const std::string& message, int exit_code) {
  std::fprintf(stderr, "libemu: %s\n", message.c_str());
  deliver_output();
  if (published()) {
    if (process->thread == this_thread()) ++process->depth;  // what follows is not the program's call
    if (process->agent) end_without_manager(exit_code);
  }
  PMPI_Abort(MPI_COMM_WORLD, exit_code);
  _exit(exit_code);
}

void stop_job_in_turn(const std::string& message, int exit_code) {
  process->rank->await_turn();
  stop_job(message, exit_code);
}

namespace {

// Rank 0's `parts` go to all. In one piece if they are as short as they mostly are: many ranks on few cores,
// which spin in every collective of MPICH's, take long for each.
void broadcast(std::vector<std::string>& parts, int number) {
  constexpr std::size_t first = 8192;
  std::string packed;
  if (number == 0) {
    for (const std::string& part : parts) packed += std::to_string(part.size()) + ' ' + part;
    packed = std::to_string(packed.size()) + ' ' + packed;
  }
  packed.resize(std::max(first, packed.size()));
  PMPI_Bcast(packed.data(), first, MPI_CHAR, 0, MPI_COMM_WORLD);
  std::size_t at = 0;
  const auto take_number = [&] {
    const std::size_t blank = packed.find(' ', at);
    const std::size_t value = std::stoul(packed.substr(at, blank - at));
    at = blank + 1;
    return value;
  };
  const std::size_t bytes = take_number();
  const std::size_t end = at + bytes;
  if (end > first) {
    packed.resize(end);
    PMPI_Bcast(packed.data() + first, static_cast<int>(end - first), MPI_CHAR, 0, MPI_COMM_WORLD);
  }
  parts.clear();
  while (at < end) {
    const std::size_t size = take_number();
    parts.push_back(packed.substr(at, size));
    at += size;
  }
}

}  // namespace

Process::Process(Environment from) : environment(std::move(from)) {
  PMPI_Comm_rank(MPI_COMM_WORLD, &number);
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  int found = 0;
  const int* largest = nullptr;
  PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &largest, &found);
  largest_tag = found ? *largest : INT_MAX;
  HostNode host = agree();
  network.emplace(target.network, target.topology(size));
  wire = std::make_unique<wire::SharedWire>(std::move(*host.region), host.node_map, number, *network,
                                            [](const std::string& message) { stop_job(message, 1); });
  if (host.node_map.several()) meet(host);
  if (!environment.status.empty() && number == 0)
    std::ofstream(environment.status)
        << getpid() << ' ' << wire->region().fd() << ' ' << wire::Table::bytes(wire->node_map()) << '\n';
  checked = std::make_unique<match::CheckedWire<wire::SharedWire>>(
      *wire, match::Promises(number, size, network->lookahead()), [this](const match::Broken& broken) {
        const std::string other = broken.other < 0 ? "" : wire->waited_in(broken.other);
        stop_job(match::describe(broken, number, call, other), 1);
      });
  match::Wire* outermost = checked.get();
  if (environment.jitter) {
    jitter = std::make_unique<wire::Jitter>(*checked, *environment.jitter, number);
    outermost = jitter.get();
  }
  node = target.place(size)[static_cast<std::size_t>(number)];
  const model::Speed speed = target.speed(node);
  rank.emplace(
      number, size, *network, *outermost,
      rank::Node{speed, target.outages_of(node), target.failures(size), [this] { fail(); },
                 target.on_failure == target::OnFailure::error, [this](Instant before) { overrun(before); }});
  if (!environment.trace.empty()) open_trace();
  communicators.add_predefined(number, size);
  if (target.compute == target::Compute::declared) {
    meter = std::make_unique<clock::DeclaredMeter>();
  } else {
    auto measuring = std::make_unique<clock::CpuMeter>(target.host_speed);
    cpu_meter = measuring.get();
    // A program that declares may replace what was measured: nobody can count on its CPU time before it is
    // charged.
    if (!program_declares_compute()) {
      cpu = measuring.get();
      const double fastest = static_cast<double>(speed.fastest()) / static_cast<double>(model::one);
      wire->measures(target.host_speed / fastest);
    }
    meter = std::move(measuring);
  }
  if (environment.cores) {
    if (const auto shared = share_cores(*environment.cores); !shared) {
      if (number == 0) stop_job(shared.error().message, 2);
      for (;;) pause();  // the job ends
    }
  }
  // Last: all ranks are in MPI_Init, so no clock goes back on any of them.
  start_together();
  if (cpu_meter) learn_meter();
  used_before_ = used();
}

// Once all are there, so that it is done as they will run. What passes meanwhile is not charged: nobody may count
// on it.
void Process::learn_meter() {
  cpu_meter->learn([this] {
    if (!cpu) return;
    wire->computing(std::numeric_limits<std::int64_t>::max() / 2);
    wire->stopped();
  });
}

// Whether it is known without asking that all ranks are on one node: Hydra says how many are on this machine.
bool Process::surely_one_node() const {
  return environment.local_ranks == size && environment.division.nodes_per_machine == 1;
}

// Nanoseconds; what the agent of this node uses is libemu's own.
Process::Used Process::used() const {
  const auto nanoseconds = [](clockid_t clock) {
    timespec t{};
    clock_gettime(clock, &t);
    return t.tv_sec * std::int64_t{1'000'000'000} + t.tv_nsec;
  };
  Used used;
  used.thread = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
  used.others = nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - used.thread;
  clockid_t agents;
  if (agent_thread.joinable() &&
      pthread_getcpuclockid(const_cast<std::thread&>(agent_thread).native_handle(), &agents) == 0)
    used.others -= nanoseconds(agents);
  rusage thread_usage{};
  getrusage(RUSAGE_THREAD, &thread_usage);
  used.switches = thread_usage.ru_nivcsw;
  return used;
}

record::Doubts Process::noticed() const {
  record::Doubts all = doubts;
  all.dated_seeds = dated_seed();
  if (!cpu_meter) return all;
  const Used now = used();
  all.cpu = now.thread - used_before_.thread;
  all.other_cpu = std::max<std::int64_t>(0, now.others - used_before_.others);
  all.switches = now.switches - used_before_.switches;
  all.readings = cpu_meter->takes();
  all.taken_off = cpu_meter->taken_off();
  all.asking = cpu_meter->clock().asking();
  all.glancing = cpu_meter->clock().glancing();
  return all;
}

// What all ranks start from: rank 0 reads the target's files, so that they need not be there on every node.
// If all are on one node, as mostly, that is all they have to be told by MPI: where many ranks share few
// cores, each of its collectives takes long.
HostNode Process::agree() {
  const std::string& path = environment.target;
  const auto fail = [this](const std::string& message) {
    stop_job("rank " + std::to_string(number) + ": " + message, 1);
  };
  HostNode node;
  Division division = environment.division;  // rank 0's, for all
  std::vector<std::string> parts;
  if (number == 0) {
    target::Sources sources;
    auto loaded = target::load(path, &sources);
    if (!loaded) {
      const bool name = path.find('/') == std::string::npos && !std::filesystem::exists(path);
      stop_job(
          loaded.error().message + (name ? "; EMU_TARGET is the path of a file, names are for emu run" : ""),
          2);
    }
    if (const auto fits = target::fits(*loaded, size, path); !fits) stop_job(fits.error().message, 2);
    target = std::move(*loaded);
    std::string where;
    if (surely_one_node()) {
      node = lead_only_node(size, fail);
      where = std::to_string(getpid()) + ' ' + std::to_string(node.region->fd()) + ' ' +
              std::to_string(node.region->bytes());
    }
    parts = {where, std::to_string(std::random_device()()), std::to_string(division.nodes_per_machine),
             sources.text};
    for (const auto& [name, text] : sources.files) parts.insert(parts.end(), {name, text});
  }
  broadcast(parts, number);
  if (number != 0) {
    target::Sources sources;
    division.nodes_per_machine = std::stoi(parts[2]);
    sources.text = parts[3];
    for (std::size_t i = 4; i + 1 < parts.size(); i += 2) sources.files[parts[i]] = parts[i + 1];
    auto parsed = target::parse(sources, path);
    if (!parsed) stop_job(parsed.error().message, 2);
    target = std::move(*parsed);
  }
  if (parts[0].empty())
    node = find_nodes(number, size, division, fail);
  else if (number != 0)
    node = join_only_node(size, parts[0], fail);
  node.job = std::stoull(parts[1]);
  return node;
}

// With several nodes: finds the agents of the others, if this process is to have this one's.
void Process::meet(HostNode& node) {
  wire->wakes_agent_by(node.agent_wakes_out);
  if (node.listener) {
    const auto stop = [](const std::string& message) { stop_job(message, 1); };
    auto peers = wire::meet(*node.listener, wire->node_map(), node.contacts, node.job);
    if (!peers) stop(peers.error().message);
    agent = std::make_unique<wire::Agent>(wire->region(), wire->node_map(), std::move(*peers),
                                          node.agent_wakes_in, stop);
    // Signals are for the program's own threads.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    agent_thread = std::thread([this] { agent->run(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
}

// Until all ranks of the job have finished.
void Process::finish_together(const record::RankSummary& summary) {
  wire->finish(summary);
  if (agent_thread.joinable()) agent_thread.join();
  agent.reset();
}

void Process::start_together() {
  if (!wire->node_map().several()) {
    wire->start_together([](wire::ClockReadings& readings) { read_host_clocks(readings); });
    return;
  }
  wire::ClockReadings readings{};
  PMPI_Barrier(MPI_COMM_WORLD);
  if (number == 0) read_host_clocks(readings);
  PMPI_Bcast(readings.data(), sizeof readings, MPI_BYTE, 0, MPI_COMM_WORLD);
  if (number == wire->node_map().locals().front()) wire->set_clocks_at_zero(readings);
  PMPI_Barrier(MPI_COMM_WORLD);
}

void Process::open_trace() {
  const int node = target.place(size)[static_cast<std::size_t>(number)];
  const record::Header header{
      number,      size,
      target.name, program_invocation_short_name,
      node,        target.nodes[static_cast<std::size_t>(target.group_of(node))].name};
  const auto warn = [](const std::string& message) {
    std::fprintf(stderr, "libemu: warning: %s\n", message.c_str());
  };
  auto opened = record::Recorder::create(environment.trace, header, warn);
  if (!opened) stop_job(opened.error().message, 2);
  recorder = std::move(*opened);
  const model::Outages outages = target.outages_of(node);
  for (const model::Outage& outage : outages.list())
    if (!outage.for_good()) recorder->outage(outage.from, outage.until);
  rank->record(*recorder);
}

[[gnu::hot]] void Process::stop_meter() {
  if (!meter->measures()) return;
  if (cpu) wire->stopped();
  const Interval before = rank->clock().breakdown().compute, work = meter->take();
  if (!rank->measured(work)) starve();
  if (recorder) record_system(rank->clock().breakdown().compute - before, work);
}

void Process::record_system(Interval computed, Interval work) {
  constexpr std::int64_t shortest = 20'000'000;  // some ticks
  const double picoseconds = static_cast<double>(work.picoseconds()) / target.host_speed;
  const auto used = static_cast<std::int64_t>(picoseconds / 1000);
  if (used < shortest) return;
  const std::int64_t system = std::min(clock::thread_system_nanoseconds() - system_since_, used);
  const __int128 part = static_cast<__int128>(computed.picoseconds()) * system / used;
  recorder->system(Interval::picoseconds(static_cast<std::int64_t>(part)));
}

[[gnu::hot]] void Process::declare(double reference_seconds) {
  if (cpu) wire->stopped();
  if (!rank->declared(meter->declare(reference_seconds))) starve();
  if (recorder && meter->measures()) system_since_ = clock::thread_system_nanoseconds();
}

namespace {

std::string longest_time() {
  return format(Instant::last() - Instant::start(), 3) + " (53 days), the longest virtual time there is";
}

}  // namespace

void Process::starve() {
  const int node = target.place(size)[static_cast<std::size_t>(number)];
  const std::string computes = "starvation: rank " + std::to_string(number) + " computes from " +
                               format(rank->now() - Instant::start(), 9) +
                               " on, and the speed of its node, " + std::to_string(node);
  if (target.speed(node).stops().is_never())
    stop_job_in_turn(computes + ", is too low: that takes until after " + longest_time() +
                         "; in the target file, raise speed, or declare less work",
                     1);
  stop_job_in_turn(computes + ", stays 0; in the target file, let what makes it 0 end by `until`, or recover",
                   1);
}

void Process::overrun(Instant before) {
  stop_job_in_turn("rank " + std::to_string(number) + ", in " + call + " at " +
                       format(before - Instant::start(), 9) + ": what it does would end after " +
                       longest_time() + "; in the target file let that cost less, or let the program do less",
                   1);
}

[[gnu::hot]] void Process::start_meter() {
  if (!meter->measures()) return;
  if (recorder) system_since_ = clock::thread_system_nanoseconds();
  meter->start();
  if (cpu) wire->computing(cpu->since());
}

}  // namespace emu::mpi
