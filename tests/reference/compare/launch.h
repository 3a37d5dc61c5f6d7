// Start of a command, and the wait for its end with a time limit.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace emu::reference {

struct Ended {
  int code = 0;            // exit code; 128 + signal if one ended it
  bool timed_out = false;  // it was ended because it took too long
  double seconds = 0;
};

// `environment` is set in addition to this process's. The command is ended if it takes more than `seconds`; it has to
// end its own processes.
Ended launch(const std::vector<std::string>& command, const std::map<std::string, std::string>& environment,
             int seconds);

}  // namespace emu::reference
