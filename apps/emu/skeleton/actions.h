// Actions of `emu skeleton`. Failures are wrong use or input; `code` is then the exit code.
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
  std::string message;  // empty: all has been said
  int code = 2;
};
template <class T>
using Outcome = tl::expected<T, Trouble>;

inline tl::unexpected<Trouble> trouble(std::string message, int code = 2) {
  return tl::unexpected<Trouble>(Trouble{std::move(message), code});
}

// Runs the program with the recorder in it; the recording is in `folder` then.
Outcome<void> record(const Options& options, const std::string& target, const std::string& folder);

// A recording's folder, or the text of a skeleton.
Outcome<skeleton::Compressed> read(const std::string& path, double tolerance);
// What so many ranks would do, from recordings with other numbers of ranks.
struct Extrapolated {
  skeleton::Compressed compressed;
  std::vector<std::string> notes;
};
Outcome<Extrapolated> extrapolate(const std::vector<std::string>& paths, int ranks, double tolerance);
// How much was compressed, as a line for people.
std::string summary(const skeleton::Compressed& compressed);

// A C program, that has run through under the emulator: no rank waits for ever.
struct Built {
  std::string text;
  skeleton::Scaling scaling;
  std::string executable;  // in the temporary folder
};
Outcome<Built> build(const skeleton::Compressed& compressed, double scale, const TemporaryFolder& folder);
// Whether it also runs through where every message waits for its receive. A program that relies on buffers does not, and
// nor does its skeleton.
Outcome<bool> runs_without_buffers(const Built& built, int ranks, const TemporaryFolder& folder);

// Runs a built skeleton on a target.
struct Ran {
  skeleton::Outcome outcome;
  double host_seconds = 0;
};
// The same without a program, in this process.
Outcome<Ran> run_on_fibers(const skeleton::Compressed& compressed, const skeleton::Scaling& scaling,
                           const target::Target& target);
Outcome<Ran> run_built(const Built& built, int ranks, const std::string& target,
                       const TemporaryFolder& folder);

}  // namespace emu::app::skeletons
