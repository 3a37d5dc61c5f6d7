#include "common/environment.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <initializer_list>
#include <set>
#include <sstream>

#include "base/number.h"

namespace emu::app {

namespace {

std::string text(const char* name, const std::string& otherwise = "") {
  const char* value = std::getenv(name);
  return value && *value ? value : otherwise;
}

bool any(std::initializer_list<const char*> names) {
  return std::any_of(names.begin(), names.end(),
                     [](const char* name) { return std::getenv(name) != nullptr; });
}

// Blanks and line breaks separate the names; what follows '#' on a line is a comment.
std::set<std::string> names_in(std::istream& in) {
  std::set<std::string> names;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    for (std::string word; words >> word;) names.insert(word.substr(0, word.find(':')));
  }
  return names;
}

// The number of hosts in a file with a line for each host, which begins with the name of the host.
std::optional<int> hosts_in_file(const char* variable) {
  std::ifstream file(text(variable));
  std::stringstream firsts;
  for (std::string line; std::getline(file, line);)
    firsts << line.substr(0, line.find_first_of(" \t")) << '\n';
  const auto found = static_cast<int>(names_in(firsts).size());
  return found > 0 ? std::optional(found) : std::nullopt;
}

std::optional<int> hosts() {
  for (const char* variable : {"SLURM_JOB_NUM_NODES", "SLURM_NNODES"})
    if (const auto number = read_number<int>(text(variable), 1)) return number;
  std::istringstream listed(text("LSB_HOSTS"));
  if (const auto names = names_in(listed); !names.empty()) return static_cast<int>(names.size());
  for (const char* variable : {"PBS_NODEFILE", "PE_HOSTFILE", "HYDRA_HOST_FILE"})
    if (const auto found = hosts_in_file(variable)) return found;
  return std::nullopt;
}

// The specification of XDG_CACHE_HOME requires that relative paths are ignored.
std::string cache() {
  if (const std::string chosen = text("XDG_CACHE_HOME"); chosen.starts_with('/')) return chosen;
  const std::string home = text("HOME");
  return home.starts_with('/') ? home + "/.cache" : "";
}

}  // namespace

Environment environment() {
  Environment e;
  e.path = text("PATH", e.path);
  e.log = text("EMU_LOG", e.log);
  e.start_limit = text("EMU_START_LIMIT", e.start_limit);
  e.temporary = text("TMPDIR", e.temporary);
  e.cache = cache();
  e.preload = text("LD_PRELOAD");
  e.record = text("EMU_RECORD");
  e.awake_cores = text("EMU_AWAKE_CORES") != "0";
  e.several_hosts = any({"SLURM_JOB_ID", "PBS_NODEFILE", "LSB_HOSTS", "PE_HOSTFILE", "HYDRA_HOST_FILE"});
  if (e.several_hosts) e.hosts = hosts();
  e.divides_host = any({"EMU_NODES", "MPIR_CVAR_NUM_CLIQUES", "MPIR_CVAR_NOLOCAL"});
  e.settles_transports = any({"UCX_TLS", "UCX_MODULES"});
  e.settles_debug_signal = any({"UCX_DEBUG_SIGNO"});
  e.settles_c_library = any({"GLIBC_TUNABLES"});
  e.settles_openmp = any({"OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME", "KMP_LIBRARY"});
  return e;
}

}  // namespace emu::app
