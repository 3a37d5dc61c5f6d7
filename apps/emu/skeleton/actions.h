// Actions of `emu skeleton`. Failures are errors of use or input; `code` is then the exit code.
#pragma once

#include <string>

#include "base/failure.h"
#include "common/temporary.h"
#include "launch/prepared_run.h"
#include "skeleton/generate/generate.h"
#include "skeleton/options.h"
#include "skeleton/program/skeleton.h"
#include "target/target.h"

namespace emu::app::skeletons {

struct Trouble {
  std::string message;  // empty: already reported
  int code = 2;
};
template <class T>
using Outcome = tl::expected<T, Trouble>;

inline tl::unexpected<Trouble> trouble(std::string message, int code = 2) {
  return tl::unexpected<Trouble>(Trouble{std::move(message), code});
}

// Runs the program with the recorder; the recording is then in `folder`.
Outcome<void> record(const Options& options, const std::string& target, const std::string& folder);

// Reads the folder of a recording, or the text of a skeleton.
Outcome<skeleton::Compressed> read(const std::string& path, double tolerance);
// The skeleton for one number of ranks, from recordings with other numbers of ranks.
struct Extrapolated {
  skeleton::Compressed compressed;
  std::vector<std::string> notes;
};
Outcome<Extrapolated> extrapolate(const std::vector<std::string>& paths, int ranks, double tolerance);
// The degree of compression, as a line for users.
std::string summary(const skeleton::Compressed& compressed);

// A compiled C program that ran to its end under the emulator, so no rank waits for ever.
struct Built {
  std::string text;
  skeleton::Scaling scaling;
  std::string executable;  // in the temporary folder
};
Outcome<Built> build(const skeleton::Compressed& compressed, double scale, const TemporaryFolder& folder);
// True if the program also runs to its end if every message waits for its receive. A program that relies on buffers
// does not, nor does its skeleton.
Outcome<bool> runs_without_buffers(const Built& built, int ranks, const TemporaryFolder& folder);

// Result of a skeleton's run on a target.
struct Ran {
  skeleton::Outcome outcome;
  double host_seconds = 0;
};
// Runs a skeleton in this process, without a C program.
Outcome<Ran> run_on_fibers(const skeleton::Compressed& compressed, const skeleton::Scaling& scaling,
                           const target::Target& target);
Outcome<Ran> run_built(const Built& built, int ranks, const std::string& target,
                       const TemporaryFolder& folder);

}  // namespace emu::app::skeletons
