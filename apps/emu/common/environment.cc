#include "common/environment.h"

#include <algorithm>
#include <cstdlib>
#include <initializer_list>

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
  e.several_hosts = any({"SLURM_JOB_ID", "PBS_NODEFILE", "LSB_HOSTS", "PE_HOSTFILE", "HYDRA_HOST_FILE"});
  e.divides_host = any({"EMU_NODES", "MPIR_CVAR_NUM_CLIQUES", "MPIR_CVAR_NOLOCAL"});
  e.settles_transports = any({"UCX_TLS", "UCX_MODULES"});
  e.settles_c_library = any({"GLIBC_TUNABLES"});
  return e;
}

}  // namespace emu::app
