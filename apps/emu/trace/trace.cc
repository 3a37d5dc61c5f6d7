// emu trace TRACE --perfetto FILE | --otf2 FOLDER: a recorded run in the formats of other viewers.

#include <iostream>

#include "common/log.h"
#include "common/progress.h"
#include "common/trace_command.h"
#include "replay/goal_writer.h"
#include "trace/export.h"
#include "verbs.h"

namespace emu::app::traces {
namespace po = boost::program_options;
namespace {

struct Format {
  const char* option;
  const char* purpose;
  Result<void> (*write)(const emu::analysis::Folder&, const emu::analysis::History&, const std::string& path);
  const char* value = "FILE";
  int passes = 1;  // over the trace
};

constexpr Format formats[] = {
    {"perfetto", "write JSON for ui.perfetto.dev and chrome://tracing; '-' is standard output",
     write_perfetto},
    {"otf2", "write an OTF2 archive, FOLDER/traces.otf2, for Vampir and other readers of Score-P's traces",
     write_otf2, "FOLDER", 2},
};

TraceCommand command() {
  TraceCommand command;
  command.verb = "trace";
  command.usage =
      "TRACE [--perfetto FILE] [--otf2 FOLDER] [--goal FILE] [--replay TARGET [--json FILE]]\n\n"
      "Converts a trace of emu run --trace TRACE to formats of other viewers: the MPI calls and named\n"
      "intervals of every rank in virtual time, and the messages between them. Or predicts the program on\n"
      "another target, without the program.\n";
  for (const Format& format : formats) {
    command.options.add_options()(format.option, po::value<std::string>()->value_name(format.value),
                                  format.purpose);
    if (format.write != write_otf2) command.written.push_back(format.option);
  }
  command.options.add_options()("goal", po::value<std::string>()->value_name("FILE"),
                                "write a GOAL schedule whose unit of time is a picosecond: emu run FILE "
                                "--unit 1ps; '-' is standard output")(
      "replay", po::value<std::string>()->value_name("TARGET"),
      "predict the recorded program on this target: its ranks make the calls of the recording")(
      "json", po::value<std::string>()->value_name("FILE"),
      "with --replay: write the prediction as JSON, as emu run --json does; '-' is standard output");
  command.written.push_back("goal");
  return command;
}

std::string without_program(const std::string& trace) {
  return trace + ": program.0 is missing: not a trace of emu run --trace";
}

int write_schedule(const std::string& trace, const std::string& path) {
  if (!replay::is_recording(trace)) return refuse(without_program(trace));
  const auto recording = replay::open_recording(trace);
  if (!recording) return refuse(recording.error());
  const auto notes = replay::write_goal(*recording, path);
  if (!notes) return refuse(notes.error());
  for (const std::string& note : *notes) std::cerr << "emu: note: " << note << "\n";
  return 0;
}

int predict(const TraceCommandLine& line) {
  if (!replay::is_recording(line.trace)) return refuse(without_program(line.trace));
  std::vector<std::string> words = {"--target", line.text("replay")};
  if (line.has("json")) words.insert(words.end(), {"--json", line.text("json")});
  words.push_back(line.trace);
  return run(words);
}

}  // namespace
}  // namespace emu::app::traces

namespace emu::app {

int trace(const std::vector<std::string>& args) {
  using namespace traces;
  const auto line = parse(command(), args);
  if (!line) return line.error();
  int passes = 0;
  for (const Format& format : formats) passes += line->has(format.option) ? format.passes : 0;
  if (line->has("json") && !line->has("replay")) return refuse("--json needs --replay TARGET");
  const bool data = line->has("goal") || line->has("replay");
  if (passes == 0 && !data)
    return refuse(
        "the format is missing (expected --perfetto FILE, --otf2 FOLDER, --goal FILE or --replay TARGET)");
  if (line->has("goal"))
    if (const int code = write_schedule(line->trace, line->text("goal")); code != 0) return code;
  if (line->has("replay"))
    if (const int code = predict(*line); code != 0) return code;
  if (passes == 0) return 0;
  if (line->has("otf2"))
    if (const auto writable = can_write_otf2(line->text("otf2")); !writable) return refuse(writable.error());
  auto folder = emu::analysis::Folder::open(line->trace);
  if (!folder) return refuse(folder.error());
  Bar bar("reading the trace", folder->bytes() * static_cast<std::uint64_t>(1 + passes));
  folder->watch([&](std::uint64_t bytes) { bar.advance(bytes); });
  const auto history = emu::analysis::read_history(*folder);
  bar.clear();
  if (!history) return refuse(history.error());
  for (const auto& rank : history->ranks)
    if (!rank.cut.empty()) std::cerr << "emu: warning: " << rank.cut << "\n";
  for (const Format& format : formats) {
    if (!line->has(format.option)) continue;
    if (const auto written = format.write(*folder, *history, line->text(format.option)); !written) {
      bar.clear();
      print_error(written.error().message);
      return 1;
    }
  }
  return 0;
}

}  // namespace emu::app
