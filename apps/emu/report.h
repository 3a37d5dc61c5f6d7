// What `emu run` says of a finished run: one line for people, JSON for tools.
#pragma once

#include <string>

#include "base/failure.h"
#include "trace/summary.h"

namespace emu::app {

// To people whose target has compute = "declared" and whose program has not a word on it.
inline constexpr const char* nothing_declared =
    "no rank computed, since this target counts only the work that programs declare with emu_compute; with "
    "compute = \"measured\" it counts what they do";

struct Report {
  std::string program;  // as named on the command line
  trace::RunSummary run;
  double host_seconds = 0;  // wall time of the run here
};

// "predicted 4.37 s on 64 ranks of TARGET (1234 messages; 2.1 s here)"
std::string one_line(const Report& report);

// "critical path: compute 2.1 s (48 %), latency ...": what the predicted time is made of, what weighs most
// first.
std::string made_of(const Report& report);

// The keys are fixed: other tools read them.
std::string to_json(const Report& report);

// Nothing yet hinders writing `path` ("-": standard output), which `option` names. To be known before a long
// run, not after.
Result<void> can_write(const std::string& path, const std::string& option = "--json");
// `text` to `path` ("-": standard output).
Result<void> write_text(const std::string& text, const std::string& path);
Result<void> write_json(const Report& report, const std::string& path);

}  // namespace emu::app
