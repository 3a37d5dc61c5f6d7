#include "process/start/environment.h"

#include <algorithm>
#include <cstdlib>
#include <thread>

#include "base/number.h"

namespace emu::mpi {

namespace {

const Environment* kept = nullptr;

std::string text(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// A number set by another program: an invalid one counts as 0.
int others_number(const char* name) { return read_number(text(name), 0).value_or(0); }

Result<Division> read_division() {
  if (const std::string nodes = text("EMU_NODES"); !nodes.empty()) {
    if (nodes == "ranks") return Division{0};
    if (const auto number = read_number(nodes, 1)) return Division{*number};
    return fail("EMU_NODES: invalid number of nodes: " + shown(nodes) + " (expected 1 or more, or ranks)");
  }
  if (others_number("MPIR_CVAR_NOLOCAL")) return Division{0};
  return Division{std::max(1, others_number("MPIR_CVAR_NUM_CLIQUES"))};
}

}  // namespace

const char* target_in_environment() {
  if (kept) return kept->target.c_str();
  const char* target = std::getenv("EMU_TARGET");
  return target && *target ? target : nullptr;
}

Started read_started() {
  Started s;
  s.connection = read_number<int>(text("PMI_FD"), 0);
  s.by_port = !s.connection && !text("PMI_PORT").empty();
  s.rank = read_number<int>(text("PMI_RANK"), 0).value_or(-1);
  s.size = read_number<int>(text("PMI_SIZE"), 1).value_or(0);
  return s;
}

AloneEnvironment::AloneEnvironment() {
  for (const char* name : {"PMI_FD", "PMI_RANK", "PMI_SIZE", "PMI_PORT", "PMI_ID", "PMI_SPAWNED",
                           "MPI_LOCALRANKID", "MPI_LOCALNRANKS"})
    set(name, nullptr);
  // MPICH needs neither the machine's topology nor its network cards.
  const std::string processors = "pu:" + std::to_string(std::max(1u, std::thread::hardware_concurrency()));
  set("HWLOC_SYNTHETIC", processors.c_str());
  set("UCX_TLS", "self");
  set("UCX_NET_DEVICES", nullptr);
}

AloneEnvironment::~AloneEnvironment() {
  for (const auto& [name, value] : before_) value ? setenv(name, value->c_str(), 1) : unsetenv(name);
}

void AloneEnvironment::set(const char* name, const char* value) {
  const char* before = std::getenv(name);
  before_.emplace_back(name, before ? std::optional<std::string>(before) : std::nullopt);
  value ? setenv(name, value, 1) : unsetenv(name);
}

bool managed_in_environment() { return !text("PMI_FD").empty() || !text("PMI_PORT").empty(); }

void Environment::keep() const { kept = new Environment(*this); }

Result<Environment> Environment::read() {
  if (kept) return *kept;
  Environment e;
  e.target = text("EMU_TARGET");
  e.record = text("EMU_RECORD");
  e.trace = text("EMU_TRACE");
  e.status = text("EMU_STATUS");
  const std::string host_clocks = text("EMU_HOST_CLOCKS");
  e.host_clocks = !host_clocks.empty() && host_clocks != "0";
  e.awake_cores = text("EMU_AWAKE_CORES") != "0";
  const std::string cancel_sends = text("EMU_CANCEL_SENDS");
  if (!cancel_sends.empty()) e.cancel_sends = cancel_sends != "0";
  const std::string one_sided = text("EMU_ONE_SIDED");
  e.one_sided = !one_sided.empty() && one_sided != "0";
  e.local_ranks = others_number("MPI_LOCALNRANKS");
  if (const std::string jitter = text("EMU_JITTER"); !jitter.empty()) {
    e.jitter = read_number(jitter, 0);
    if (!e.jitter)
      return fail("EMU_JITTER: invalid number of microseconds: " + shown(jitter) +
                  " (expected 0 or more, such as 200)");
  }
  if (const std::string cores = text("EMU_CORES"); !cores.empty()) {
    e.cores = read_number(cores, 1);
    if (!e.cores)
      return fail("EMU_CORES: invalid number of cores: " + shown(cores) + " (expected 1 or more)");
  }
  const auto divided = read_division();
  if (!divided) return tl::unexpected(divided.error());
  e.division = *divided;
  return e;
}

}  // namespace emu::mpi
