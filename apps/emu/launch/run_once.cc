#include "launch/run_once.h"

#include <chrono>
#include <deque>
#include <filesystem>
#include <fstream>

#include "common/progress.h"

namespace emu::app {
namespace {

// The last lines of a file, each preceded by a line break and a blank.
std::string last_lines(const std::string& path) {
  constexpr std::size_t lines = 5, longest = 300;
  std::ifstream in(path, std::ios::binary);
  std::deque<std::string> last;
  for (std::string line; std::getline(in, line);) {
    if (line.empty()) continue;
    last.push_back(line.substr(0, longest));
    if (last.size() > lines) last.pop_front();
  }
  std::string text;
  for (const std::string& line : last) text += "\n  " + line;
  return text;
}

}  // namespace

ProgramRun::ProgramRun(const PreparedRun& plan, std::string files, const BlockedSignals& signals)
    : files_(std::move(files)), plan_(plan), child_(command_for(plan), signals) {}

Command ProgramRun::command_for(const PreparedRun& plan) const {
  std::error_code ignored;
  for (const char* const file : {"record", "status", "output"})
    std::filesystem::remove(files_ + file, ignored);
  Command command = app::command(plan, files_ + "record", status());
  command.output = files_ + "output";
  return command;
}

std::optional<RunOutcome> ProgramRun::look() {
  const auto ending = child_.look();
  if (!ending) return {};
  RunOutcome outcome;
  outcome.record = files_ + "record";
  outcome.output = files_ + "output";
  outcome.host_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count();
  if (!*ending) {
    outcome.failure = ending->error().message;
    return outcome;
  }
  outcome.interrupted = (*ending)->interrupted;
  const bool recorded = std::filesystem::exists(outcome.record);
  if ((*ending)->code != 0 || !recorded) {
    const int code = (*ending)->code;
    const std::string room = no_room(std::filesystem::path(files_).parent_path());
    outcome.failure = recorded
                          ? names_of(plan_.options.programs) + " ended with exit code " + std::to_string(code)
                          : why_no_record(plan_, code, std::filesystem::exists(status()));
    outcome.failure += last_lines(outcome.output) + (room.empty() ? "" : "\n  " + room);
    return outcome;
  }
  auto run = record::read(outcome.record);
  if (run) {
    outcome.run = std::move(*run);
  } else {
    outcome.failure = run.error().message;
  }
  return outcome;
}

RunOutcome run_once(const PreparedRun& plan, const TemporaryFolder& folder, const std::string& before,
                    const std::function<void()>& look) {
  const BlockedSignals signals;
  ProgramRun run(plan, folder.file(""), signals);
  ProgressLine line(run.status(), before);
  for (;;) {
    if (auto outcome = run.look()) {
      const int late = signals.taken_up();
      if (outcome->interrupted == 0) outcome->interrupted = late;
      return std::move(*outcome);
    }
    line.update();
    if (look) look();
    if (const auto signal = signals.wait()) run.interrupt(*signal);
  }
}

}  // namespace emu::app
