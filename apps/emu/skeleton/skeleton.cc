// emu skeleton: prediction of a program's time by a short program of equal structure.
#include "skeleton/program/skeleton.h"

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <iostream>

#include "base/units.h"
#include "common/command_line.h"
#include "common/installation.h"
#include "common/log.h"
#include "common/output.h"
#include "launch/end_on_signal.h"
#include "skeleton/actions.h"
#include "skeleton/program/text.h"
#include "skeleton/run.h"
#include "target/target.h"
#include "verbs.h"

namespace emu::app::skeletons {
namespace {

void say(const std::string& text) { std::fprintf(stderr, "emu: %s\n", text.c_str()); }

Outcome<void> do_record(const Options& options) {
  if (const auto recorded = record(options, options.target, options.output); !recorded) return recorded;
  const auto recording = skeleton::read_recording(options.output);
  if (!recording) return trouble(recording.error().message, 1);
  say("recorded " + counted(static_cast<std::int64_t>(recording->events()), "event") + " on " +
      counted(static_cast<std::int64_t>(recording->ranks.size()), "rank") + ", " +
      format(Interval::seconds(recording->seconds()), 5) +
      (options.target.empty() ? "" : " of \"" + recording->facts.target + "\""));
  return {};
}

// The words of the command line are recordings, skeletons, or a program.
Result<void> can_write_for(const Options& options, const char* option, const std::string& output) {
  std::vector<NamedFile> inputs = {{"the target", options.target}};
  for (const std::string& word : options.words) inputs.push_back({"an input", word});
  return can_write({{option, output}}, inputs);
}

Outcome<void> do_compress(const Options& options) {
  if (!options.output.empty())
    if (const auto can = can_write_for(options, "-o", options.output); !can)
      return trouble(can.error().message);
  const auto compressed = read(options.words[0], options.tolerance);
  if (!compressed) return tl::unexpected(compressed.error());
  say(summary(*compressed));
  if (!compressed->structure.empty() && options.output != "-")
    std::cout << compressed->structure << std::endl;
  if (options.output.empty()) return {};
  if (const auto written = write_text(to_text(compressed->skeleton), options.output); !written)
    return trouble(written.error().message);
  return {};
}

void say_notes(const std::vector<std::string>& notes) {
  for (const std::string& note : notes) say("note: " + note);
}

Outcome<void> do_extrapolate(const Options& options) {
  const std::string output = options.output.empty() ? "-" : options.output;
  if (const auto can = can_write_for(options, "-o", output); !can) return trouble(can.error().message);
  const auto asked = extrapolate(options.words, *options.ranks, options.tolerance);
  if (!asked) return tl::unexpected(asked.error());
  if (const auto written = write_text(to_text(asked->compressed.skeleton), output); !written)
    return trouble(written.error().message);
  say(summary(asked->compressed));
  say_notes(asked->notes);
  return {};
}

Outcome<void> do_build(const Options& options) {
  const std::string output = options.output.empty() ? "-" : options.output;
  if (const auto can = can_write_for(options, "-o", output); !can) return trouble(can.error().message);
  const auto compressed = read(options.words[0], options.tolerance);
  if (!compressed) return tl::unexpected(compressed.error());
  const auto folder = TemporaryFolder::create();
  if (!folder) return trouble(folder.error().message);
  const auto built = build(*compressed, options.scale, *folder);
  if (!built) return tl::unexpected(built.error());
  const auto unbuffered = runs_without_buffers(*built, compressed->skeleton.ranks, *folder);
  if (!unbuffered) return tl::unexpected(unbuffered.error());
  if (const auto written = write_text(built->text, output); !written) return trouble(written.error().message);
  char share[32];
  std::snprintf(share, sizeof share, "%.3g", 100 * built->scaling.share);
  say(summary(*compressed) + "; of the recorded time the skeleton takes " + share + " %");
  say_notes(built->scaling.notes);
  if (!*unbuffered)
    say("note: it needs messages that are buffered: where the eager limit is below their sizes it waits for "
        "ever");
  return {};
}

// True for a recording's folder, or a skeleton as text; false for a program.
bool is_recorded(const std::string& what) {
  std::error_code error;
  if (std::filesystem::is_regular_file(what + "/rank.0", error)) return true;
  if (!std::filesystem::is_regular_file(what, error)) return false;
  std::FILE* file = std::fopen(what.c_str(), "r");
  char begin[sizeof "skeleton"] = "";
  const bool text = file && std::fgets(begin, sizeof begin, file) && std::string(begin) == "skeleton";
  if (file) std::fclose(file);
  return text;
}

Outcome<Extrapolated> of_recordings(const Options& options) {
  const std::string& what = options.words[0];
  if (!options.from.empty()) return trouble("--from: " + what + " has been recorded before");
  for (const std::string& each : options.words)
    if (!is_recorded(each))
      return trouble(each + ": not a recording (only recordings may follow the recording " + what + ")");
  if (options.words.size() > 1) {
    if (!options.ranks) return trouble("-n is missing (expected the number of ranks to extrapolate to)");
    return extrapolate(options.words, *options.ranks, options.tolerance);
  }
  auto compressed = read(what, options.tolerance);
  if (!compressed) return tl::unexpected(compressed.error());
  if (options.ranks && *options.ranks != compressed->skeleton.ranks)
    return trouble("-n: " + what + " was recorded with " + counted(compressed->skeleton.ranks, "rank") +
                   ", and tells nothing of others; with recordings of two or three numbers of ranks it may");
  return Extrapolated{std::move(*compressed), {}};
}

// The skeleton to be predicted: recorded before, or now.
Outcome<Extrapolated> asked_for(const Options& options, const TemporaryFolder& folder) {
  if (is_recorded(options.words[0])) return of_recordings(options);
  const std::string where = folder.file("recording");
  if (const auto recorded = record(options, options.from.empty() ? options.target : options.from, where);
      !recorded)
    return tl::unexpected(recorded.error());
  auto compressed = read(where, options.tolerance);
  if (!compressed) return tl::unexpected(compressed.error());
  return Extrapolated{std::move(*compressed), {}};
}

// Reports the deviation if the recording contains the program's time on this target.
void say_how_far_off(const Prediction& prediction, const skeleton::Skeleton& skeleton, bool extrapolated) {
  constexpr double much = 0.1;
  if (extrapolated || skeleton.target != prediction.target || skeleton.seconds <= 0) return;
  const double off = prediction.outcome.predicted / skeleton.seconds - 1;
  if (std::abs(off) <= much) return;
  char share[32];
  std::snprintf(share, sizeof share, "%+.0f", 100 * off);
  say("note: recorded on this target the program took " + format(Interval::seconds(skeleton.seconds), 5) +
      ": the skeleton is " + share + " % off, and will be on others too");
}

Outcome<Ran> run_by_processes(const skeleton::Compressed& compressed, double scale, const std::string& target,
                              const TemporaryFolder& folder) {
  const auto built = build(compressed, scale, folder);
  if (!built) return tl::unexpected(built.error());
  return run_built(*built, compressed.skeleton.ranks, target, folder);
}

Outcome<void> do_run(const Options& options) {
  if (const auto can = can_write_for(options, "--json", options.json); !can)
    return trouble(can.error().message);
  const auto path = target_path(options.target);
  if (!path) return trouble(path.error().message);
  const auto target = target::load(*path);
  if (!target) return trouble(target.error().message);
  const auto folder = TemporaryFolder::create();
  if (!folder) return trouble(folder.error().message);
  const auto asked = asked_for(options, *folder);
  if (!asked) return tl::unexpected(asked.error());
  const skeleton::Compressed* const compressed = &asked->compressed;
  const int ranks = compressed->skeleton.ranks;
  if (const auto fits = target::fits(*target, ranks, *path); !fits) return trouble(fits.error().message);
  const skeleton::Scaling scaling = skeleton::scale_down(compressed->skeleton, options.scale);
  const auto on_fibers = [&] {
    const EndOnSignal end(*folder);
    return run_on_fibers(*compressed, scaling, *target);
  };
  const auto ran =
      options.processes ? run_by_processes(*compressed, options.scale, *path, *folder) : on_fibers();
  if (!ran) return tl::unexpected(ran.error());
  Prediction prediction;
  prediction.outcome = ran->outcome;
  prediction.target = target->name;
  prediction.ranks = ranks;
  prediction.scale = options.scale;
  prediction.recorded = compressed->skeleton.seconds;
  prediction.events = compressed->skeleton.events;
  prediction.symbols = compressed->symbols;
  prediction.host_seconds = ran->host_seconds;
  say(one_line(prediction));
  say(summary(*compressed));
  say_notes(asked->notes);
  say_notes(scaling.notes);
  say_how_far_off(prediction, compressed->skeleton, options.words.size() > 1);
  if (options.json.empty()) return {};
  if (const auto written = write_text(to_json(prediction), options.json); !written)
    return trouble(written.error().message);
  return {};
}

}  // namespace
}  // namespace emu::app::skeletons

namespace emu::app {

int skeleton(const std::vector<std::string>& args) {
  using namespace skeletons;
  const auto options = parse_options(args);
  if (const auto code = ended_by_options("skeleton", options, help_text)) return *code;
  if (const auto log = start_log(options->log_level); !log) return refuse(log.error());
  constexpr skeletons::Outcome<void> (*actions[])(const Options&) = {do_record, do_compress, do_extrapolate,
                                                                     do_build, do_run};
  const auto done = actions[static_cast<int>(options->action)](*options);
  if (done) return 0;
  if (!done.error().message.empty()) print_error(done.error().message);
  return done.error().code;
}

}  // namespace emu::app
