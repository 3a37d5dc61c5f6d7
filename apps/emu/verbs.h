// The verbs of the command `emu`, a folder each. `args` is what follows the verb; the result is the exit
// code: 0 good, 1 the answer is no or the run failed, 2 wrong use or input (nothing was run).
#pragma once

#include <string>
#include <vector>

namespace emu::app {

int run(const std::vector<std::string>& args);        // run/: runs a program as if on a target
int study(const std::vector<std::string>& args);      // study/: finds the best number of ranks
int plan(const std::vector<std::string>& args);       // plan/: what hosts a large run needs
int target(const std::vector<std::string>& args);     // target/: shows and checks target files
int calibrate(const std::vector<std::string>& args);  // calibrate/: measures a cluster, writes a target
int report(const std::vector<std::string>& args);     // report/: where the time of a recorded run went
int trace(const std::vector<std::string>& args);      // trace/: a recorded run for other viewers
int check(const std::vector<std::string>& args);      // check/: will this program run under libemu?

}  // namespace emu::app
