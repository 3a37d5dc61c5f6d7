// The command line of `emu run`.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/failure.h"
#include "program/programs.h"

namespace boost::program_options {
class variables_map;
}

namespace emu::app {

struct RunOptions {
  bool help = false;         // then no other option is set
  std::optional<int> ranks;  // of all programs; nothing: all slots of the target
  std::optional<int> cores;  // of this machine; nothing: all
  std::string target;
  std::string json;                 // file, "-" for standard output, empty for none
  std::string trace;                // folder, empty for none
  std::string report;               // file, empty for none
  std::vector<std::string> mpirun;  // further options of mpirun, split into words
  bool preload = false;
  bool host_clocks = false;  // only MPI's clock is virtual
  std::string log_level;     // empty: default
  std::vector<Program> programs;
  std::map<std::string, std::string> environment;  // variables that differ from this process's
};

// Options end at the first word that is not an option, the program; all following words belong to the program.
Result<RunOptions> parse_run_options(const std::vector<std::string>& args);

// Options that several verbs share, as far as the verb has them: target, log-level,
// host-clocks, preload, mpirun.
Result<RunOptions> common_run_options(const boost::program_options::variables_map& map);

std::string run_help();

}  // namespace emu::app
