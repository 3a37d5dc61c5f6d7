// emu skeleton record: runs the program with the recorder.
#include <spdlog/spdlog.h>

#include <filesystem>

#include "common/command_line.h"
#include "common/installation.h"
#include "common/output.h"
#include "common/progress.h"
#include "program/search_path.h"
#include "schedule/source.h"
#include "skeleton/actions.h"
#include "skeleton/recording/trace.h"
#include "target/target.h"

namespace emu::app::skeletons {
namespace fs = std::filesystem;
namespace {

bool is_of_recording(const std::string& name) { return name == "run" || name.starts_with("rank."); }

void remove_recording(const std::string& folder) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) fs::remove(entry.path(), ignored);
}

// Creates the folder, or removes an older recording from it. Returns whether it was created.
Result<bool> prepare_folder(const std::string& folder) {
  if (const auto named = names_folder({"-o", folder}); !named) return tl::unexpected(named.error());
  std::error_code error;
  if (fs::exists(folder, error) && !fs::is_directory(folder, error))
    return fail("-o: " + folder + ": not a folder");
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (!is_of_recording(entry.path().filename()))
      return fail("-o: " + folder + " is not a recording: it contains " + entry.path().filename().string());
  remove_recording(folder);
  const bool created = fs::create_directories(folder, error);
  if (!fs::is_directory(folder, error)) return fail("-o: " + folder + " cannot be made");
  return created;
}

// libemu is in the program, linked or preloaded.
Result<PreparedRun> prepare(const Options& options, const std::string& target) {
  RunOptions run;
  run.target = target;
  run.ranks = options.ranks;
  run.programs = {{{}, options.words.front(), {options.words.begin() + 1, options.words.end()}}};
  run.preload = options.preload;
  run.log_level = options.log_level;
  auto plan = prepare_run(run);
  if (plan && plan->schedule)
    return fail(options.words.front() + " is a " + schedules::noun(*plan->schedule) +
                ", which emu run plays without a skeleton of it");
  if (plan || options.preload) return plan;
  run.preload = true;
  auto preloaded = prepare_run(run);
  return preloaded ? preloaded : plan;
}

Result<Command> native_command(const Options& options, const std::string& recorder) {
  const auto mpirun = find_mpirun();
  if (!mpirun) return tl::unexpected(mpirun.error());
  const auto program = program_path(options.words.front());
  if (!program) return tl::unexpected(program.error());
  const auto further = mpirun_options(options.mpirun);
  if (!further) return tl::unexpected(further.error());
  Command command;
  command.words = {mpirun->string(), "-n", std::to_string(*options.ranks), "-genv", "LD_PRELOAD", recorder};
  command.words.insert(command.words.end(), further->begin(), further->end());
  command.words.push_back(program->string());
  command.words.insert(command.words.end(), options.words.begin() + 1, options.words.end());
  command.has_to_start = true;
  return command;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  return text;
}

struct Plan {
  Command command;
  skeleton::RunFacts facts;
};

Result<Plan> plan_of(const Options& options, const std::string& target, const TemporaryFolder& temporary) {
  const auto recorder = recorder_path();
  if (!recorder) return tl::unexpected(recorder.error());
  Plan plan;
  plan.facts.program = joined(options.words);
  if (target.empty()) {
    auto command = native_command(options, *recorder);
    if (!command) return tl::unexpected(command.error());
    plan.command = std::move(*command);
    return plan;
  }
  auto prepared = prepare(options, target);
  if (!prepared) return tl::unexpected(prepared.error());
  auto further = mpirun_options(options.mpirun);
  if (!further) return tl::unexpected(further.error());
  prepared->options.mpirun = std::move(*further);
  prepared->preload = recorder->string() + (prepared->preload.empty() ? "" : ":" + prepared->preload);
  const auto described = target::load(prepared->target);
  if (!described) return tl::unexpected(described.error());
  plan.facts.target = described->name;
  for (const int node : described->place(prepared->ranks))
    plan.facts.speeds.push_back(
        1e-9 * static_cast<double>(described->usual_speed(node, prepared->ranks).at(Instant())));
  plan.command = command(*prepared, temporary.file("record"), temporary.file("status"));
  return plan;
}

Outcome<void> record_into(const std::string& folder, Plan plan, const std::string& program,
                          const TemporaryFolder& temporary) {
  plan.command.environment["EMU_SKELETON"] = fs::absolute(folder);
  ProgressLine line(temporary.file("status"));
  const auto ending = launch(plan.command, [&] { line.update(); });
  line.clear();
  if (!ending) return trouble(ending.error().message);
  if (ending->interrupted) return trouble("", 128 + ending->interrupted);
  if (ending->code != 0)
    return trouble(
        program + " ended with exit code " + std::to_string(ending->code) + ": it was not recorded", 1);
  std::error_code error;
  if (!fs::exists(folder + "/rank.0", error))
    return trouble(
        program +
            " ran without the recorder: it may be no MPI program, or linked statically, or not with MPICH",
        1);
  if (const auto written = write_text(to_text(plan.facts), folder + "/run"); !written)
    return trouble(written.error().message);
  return {};
}

}  // namespace

Outcome<void> record(const Options& options, const std::string& target, const std::string& folder) {
  const auto temporary = TemporaryFolder::create();
  if (!temporary) return trouble(temporary.error().message);
  auto plan = plan_of(options, target, *temporary);
  if (!plan) return trouble(plan.error().message);
  const auto created = prepare_folder(folder);
  if (!created) return trouble(created.error().message);
  auto recorded = record_into(folder, std::move(*plan), options.words.front(), *temporary);
  if (!recorded) {
    remove_recording(folder);
    std::error_code ignored;
    if (*created) fs::remove(folder, ignored);
  }
  return recorded;
}

}  // namespace emu::app::skeletons
