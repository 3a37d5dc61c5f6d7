// Verbs of the command `emu`, one folder each. `args` is the rest of the command line; the result is the exit
// code: 0 success, 1 a negative answer or a failed run, 2 wrong use or input (nothing was run).
#pragma once

#include <string>
#include <vector>

namespace emu::app {

int run(const std::vector<std::string>& args);
int study(const std::vector<std::string>& args);
int farm(const std::vector<std::string>& args);
int plan(const std::vector<std::string>& args);
int scatter(const std::vector<std::string>& args);
int target(const std::vector<std::string>& args);
int calibrate(const std::vector<std::string>& args);
int report(const std::vector<std::string>& args);
int trace(const std::vector<std::string>& args);
int check(const std::vector<std::string>& args);
int skeleton(const std::vector<std::string>& args);

struct Verb {
  const char* name;
  int (*function)(const std::vector<std::string>&);
  const char* purpose;
};

inline constexpr Verb verbs[] = {
    {"run", run, "run an MPI program as if on another cluster, and predict its time there"},
    {"study", study, "predict the time for many numbers of ranks: which is best, and why"},
    {"farm", farm, "predict masters and slaves without a program: how many ranks, which chunks"},
    {"plan", plan, "compute the hosts for a run that is too large for this machine"},
    {"scatter", scatter, "compute the number of items that a scatter should give to each rank"},
    {"target", target, "show what a target file describes, or check it"},
    {"calibrate", calibrate, "measure this cluster, and write it as a target"},
    {"report", report, "show where the time of a recorded run went"},
    {"trace", trace, "write a recorded run in the formats of other viewers"},
    {"check", check, "check whether a program will run under libemu"},
    {"skeleton", skeleton, "predict a long program's time by a short one of the same shape"},
};

}  // namespace emu::app
