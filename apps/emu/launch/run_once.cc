#include "launch/run_once.h"

#include <chrono>
#include <deque>
#include <filesystem>
#include <fstream>

#include "common/progress.h"

namespace emu::app {
namespace {

// The last lines of a file, each after a line break and a blank.
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

std::string reason(const Ending& ending, const std::string& program, bool recorded) {
  if (ending.code != 0)
    return program + " ended with exit code " + std::to_string(ending.code) +
           (recorded ? "" : " before MPI_Finalize");
  return program + " ran without libemu: " + how_to_get_it_in;
}

}  // namespace

RunOutcome run_once(const PreparedRun& plan, const TemporaryFolder& folder, const std::string& before,
                    const std::function<void()>& look) {
  RunOutcome outcome;
  outcome.record = folder.file("record");
  const std::string status = folder.file("status"), output = folder.file("output");
  std::error_code ignored;
  for (const std::string& file : {outcome.record, status, output}) std::filesystem::remove(file, ignored);
  Command what = command(plan, outcome.record, status);
  what.output = output;
  const auto begin = std::chrono::steady_clock::now();
  ProgressLine line(status, before);
  const auto ending = launch(what, [&] {
    line.update();
    if (look) look();
  });
  line.clear();
  outcome.host_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (!ending) {
    outcome.failure = ending.error().message;
    return outcome;
  }
  outcome.interrupted = ending->interrupted;
  const bool recorded = std::filesystem::exists(outcome.record);
  if (ending->code != 0 || !recorded) {
    outcome.failure = reason(*ending, names_of(plan.options.programs), recorded) + last_lines(output);
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

}  // namespace emu::app
