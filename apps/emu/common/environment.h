// Environment variables of the command `emu`: read only here. (The command's variables for libemu in the ranks'
// processes: libemu/process/start/environment.h.)
#pragma once

#include <optional>
#include <string>

namespace emu::app {

// An empty variable counts as not set, except in the last group.
struct Environment {
  std::string path = "/usr/bin:/bin";  // PATH: the folders of programs
  std::string log = "info";            // EMU_LOG: level of messages, unless an option sets it
  std::string start_limit =
      "60";  // EMU_START_LIMIT: seconds that mpirun may take to reach its hosts; 0: no limit
  std::string temporary = "/tmp";  // TMPDIR: folder of temporary files
  std::string cache;    // XDG_CACHE_HOME, or .cache in HOME: results kept by studies; empty: neither is set
  std::string preload;  // LD_PRELOAD
  std::string record;   // EMU_RECORD: file of the run's summary for an emu that started this one

  bool awake_cores =
      true;  // EMU_AWAKE_CORES, unless 0: ranks with measured compute keep cores awake while they wait

  // A resource manager is present: ranks may be started on other machines.
  bool several_hosts = false;
  std::optional<int> hosts;  // their number, with or without this machine; nothing: it is unknown
  // EMU_NODES, or MPICH's own settings: this machine counts as several.
  bool divides_host = false;
  // The user's own settings remain: the transports and the signal of UCX, options of the C library, and how threads of
  // OpenMP wait.
  bool settles_transports = false;
  bool settles_debug_signal = false;
  bool settles_c_library = false;
  bool settles_openmp = false;
};

Environment environment();

}  // namespace emu::app
