// Environment variables of the command `emu`: read here and nowhere else. (What it says to libemu, in the ranks'
// processes: libemu/process/start/environment.h.)
#pragma once

#include <optional>
#include <string>

namespace emu::app {

// A variable that is set but empty counts as not set, but in the last group.
struct Environment {
  std::string path = "/usr/bin:/bin";  // PATH: the folders of programs
  std::string log = "info";            // EMU_LOG: what is said, unless an option tells
  std::string start_limit =
      "60";  // EMU_START_LIMIT: seconds that mpirun may take to reach its hosts; 0: for ever
  std::string temporary = "/tmp";  // TMPDIR: the folder of temporary files
  std::string cache;    // XDG_CACHE_HOME, or .cache in HOME: what studies keep; empty: neither is set
  std::string preload;  // LD_PRELOAD
  std::string record;   // EMU_RECORD: where another emu that started this one wants the run's summary

  // A resource manager's: the ranks may be started on other machines too,
  bool several_hosts = false;
  std::optional<int> hosts;  // on so many, this one among them or not; nothing: it does not say
  // EMU_NODES, or MPICH's own settings for that: this machine counts as several.
  bool divides_host = false;
  // What the user has settled stays as it is: what UCX is to load, and what the C library is told.
  bool settles_transports = false;
  bool settles_c_library = false;
};

Environment environment();

}  // namespace emu::app
