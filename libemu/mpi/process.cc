#include "mpi/process.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <tuple>
#include <vector>

#include "mpi/declares.h"
#include "wire/jitter.h"

namespace emu::mpi {

Process* process = nullptr;

namespace {

// An abort reaches the process manager by another way than what was written to stderr, and may overtake it:
// waits until the pipe has been emptied.
void deliver_stderr() {
  std::fflush(stderr);
  if (isatty(STDERR_FILENO)) return;
  int left = 0;
  for (int tries = 0; tries < 1000 && ioctl(STDERR_FILENO, FIONREAD, &left) == 0 && left > 0; ++tries)
    usleep(1000);
}

}  // namespace

void stop_job(const std::string& message, int exit_code) {
  std::fprintf(stderr, "libemu: %s\n", message.c_str());
  deliver_stderr();
  if (process) ++process->depth;  // what follows is not the program's call
  PMPI_Abort(MPI_COMM_WORLD, exit_code);
  _exit(exit_code);
}

namespace {

struct Where {
  int pid, fd, ok;
  std::uint64_t bytes;
};

// One rank speaks for all; the others are ended by its abort.
[[noreturn]] void stop_all(int number, const std::string& message, int exit_code) {
  if (number == 0) stop_job(message, exit_code);
  for (;;) pause();
}

std::string slurp(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void broadcast(std::string& text) {
  auto size = static_cast<std::uint64_t>(text.size());
  PMPI_Bcast(&size, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  text.resize(size);
  PMPI_Bcast(text.data(), static_cast<int>(size), MPI_CHAR, 0, MPI_COMM_WORLD);
}

}  // namespace

Process::Process(const std::string& path) {
  PMPI_Comm_rank(MPI_COMM_WORLD, &number);
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  read_target(path);
  network = std::make_unique<model::Network>(target.network, target.topology(size));
  open_wire();
  match::Wire* front = wire.get();
  if (const char* microseconds = std::getenv("EMU_JITTER")) {
    jitter = std::make_unique<wire::Jitter>(*wire, std::atoi(microseconds), number);
    front = jitter.get();
  }
  const int node = target.place(size)[static_cast<std::size_t>(number)];
  const model::Speed speed = target.speed(node);
  rank = std::make_unique<rank::Rank>(
      number, size, *network, *front,
      rank::Node{speed, target.outages_of(node), target.failures(size), [this] { fail(); }});
  if (const char* folder = std::getenv("EMU_TRACE"); folder && *folder) open_trace(folder);
  communicators.add_predefined(number, size);
  if (target.compute == target::Compute::declared) {
    meter = std::make_unique<clock::DeclaredMeter>();
  } else {
    auto measuring = std::make_unique<clock::CpuMeter>(target.host_speed);
    // A program that declares may replace what was measured: nobody can count on its CPU time before it is
    // charged.
    if (!program_declares_compute()) {
      cpu = measuring.get();
      const double fastest = static_cast<double>(speed.fastest()) / static_cast<double>(model::one);
      wire->measures(target.host_speed / fastest);
    }
    meter = std::move(measuring);
  }
  // Last: all ranks are in MPI_Init, so no clock goes back on any of them.
  if (number == 0) read_host_clocks(clocks_at_zero);
  PMPI_Bcast(clocks_at_zero.data(), static_cast<int>(clocks_at_zero.size()), MPI_INT64_T, 0, MPI_COMM_WORLD);
}

// Rank 0 reads the files, so that they need not be there on every node.
void Process::read_target(const std::string& path) {
  target::Sources sources;
  std::string problem;
  int readable = 1;
  if (number == 0) {
    if (auto loaded = target::load(path, &sources); !loaded) {
      readable = 0;
      problem = loaded.error().message;
    } else if (auto fits = target::fits(*loaded, size, path); !fits) {
      readable = 0;
      problem = fits.error().message;
    }
  }
  PMPI_Bcast(&readable, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (!readable) stop_all(number, problem, 2);
  broadcast(sources.text);
  auto files = static_cast<std::uint64_t>(sources.files.size());
  PMPI_Bcast(&files, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  auto next = sources.files.begin();
  for (std::uint64_t i = 0; i < files; ++i) {
    std::string name, text;
    if (number == 0) std::tie(name, text) = *next++;
    broadcast(name);
    broadcast(text);
    sources.files[name] = text;
  }
  auto parsed = target::parse(sources, path);
  if (!parsed) stop_job(parsed.error().message, 2);
  target = std::move(*parsed);
}

// One rank makes the shared region, the others open it. Succeeds only if all are on one node.
void Process::open_wire() {
  const std::size_t bytes = wire::SharedWire::region_bytes(size);
  Where where{getpid(), -1, 1, bytes};
  std::string problem;
  std::optional<wire::Region> region;
  const auto keep = [&](Result<wire::Region> made) {
    if (made)
      region.emplace(std::move(*made));
    else
      problem = made.error().message;
  };
  if (number == 0) {
    keep(wire::Region::create(bytes));
    if (region) {
      wire::Table::create(region->base(), size);
      where.fd = region->fd();
    }
  }
  std::string host = slurp("/proc/sys/kernel/random/boot_id");
  const std::string own = host;
  PMPI_Bcast(&where, sizeof where, MPI_BYTE, 0, MPI_COMM_WORLD);
  broadcast(host);
  if (number != 0 && where.fd >= 0) {
    if (own != host)
      problem = "it runs on another node than rank 0, and all ranks have to share one";
    else
      keep(wire::Region::open(where.pid, where.fd, where.bytes));
  }
  struct {
    int failed, rank;
  } mine{region ? 0 : 1, number}, worst{};
  PMPI_Allreduce(&mine, &worst, 1, MPI_2INT, MPI_MAXLOC, MPI_COMM_WORLD);
  if (worst.failed) {
    if (number == worst.rank) stop_job("rank " + std::to_string(number) + ": " + problem, 1);
    for (;;) pause();
  }
  wire = std::make_unique<wire::SharedWire>(std::move(*region), size, number, network->lookahead(),
                                            [](const std::string& message) { stop_job(message, 1); });
  if (const char* status = std::getenv("EMU_STATUS"); status && *status && number == 0)
    std::ofstream(status) << getpid() << ' ' << wire->region().fd() << ' ' << wire::Table::bytes(size)
                          << '\n';
}

void Process::open_trace(const std::string& folder) {
  const trace::Header header{number, size, target.name, program_invocation_short_name};
  const auto warn = [](const std::string& message) {
    std::fprintf(stderr, "libemu: warning: %s\n", message.c_str());
  };
  auto opened = trace::Recorder::create(folder, header, warn);
  if (!opened) stop_job(opened.error().message, 2);
  recorder = std::move(*opened);
  rank->record(*recorder);
}

void Process::stop_meter() {
  if (!meter->measures()) return;
  if (cpu) wire->stopped();
  if (!rank->measured(meter->take())) starve();
}

void Process::declare(double reference_seconds) {
  if (cpu) wire->stopped();
  if (!rank->declared(meter->declare(reference_seconds))) starve();
}

void Process::starve() {
  stop_job("starvation: rank " + std::to_string(number) + " computes from " +
               std::to_string(rank->now().seconds()) + " s on, and the speed of its node, " +
               std::to_string(target.place(size)[static_cast<std::size_t>(number)]) +
               ", stays 0: the target file has no end for it",
           1);
}

void Process::start_meter() {
  if (!meter->measures()) return;
  meter->start();
  if (cpu) wire->computing(cpu->since());
}

}  // namespace emu::mpi
