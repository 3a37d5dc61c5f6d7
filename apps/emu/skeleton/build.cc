// emu skeleton compress and build: from a recording to loops, and to a tested program.
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/units.h"
#include "common/output.h"
#include "launch/run_once.h"
#include "program/search_path.h"
#include "skeleton/actions.h"
#include "skeleton/play/play.h"
#include "skeleton/program/text.h"

namespace emu::app::skeletons {
namespace fs = std::filesystem;
namespace {

Outcome<std::string> contents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream all;
  all << in.rdbuf();
  if (!in) return trouble(path + ": cannot be read");
  return std::move(all).str();
}

// A cluster on which only the order of actions matters.
std::string plain_target(int ranks, const std::string& eager_limit) {
  return "name = \"check of a skeleton\"\ncompute = \"declared\"\n[network]\nlatency = \"1us\"\ngap_per_byte "
         "= \"1ps\"\n"
         "eager_limit = \"" +
         eager_limit +
         "\"\n[network.send]\nfixed = \"1us\"\nper_process = \"0us\"\nper_byte = "
         "\"0ps\"\n"
         "[network.receive]\nfixed = \"1us\"\nper_process = \"0us\"\nper_byte = \"0ps\"\n[[node]]\ncount = " +
         std::to_string(ranks) + "\n";
}

Outcome<void> compile(const std::string& source, const std::string& executable,
                      const TemporaryFolder& folder) {
  fs::path compiler = on_search_path("mpicc.mpich");
  if (compiler.empty()) compiler = on_search_path("mpicc");
  if (compiler.empty())
    return trouble("mpicc was not found along PATH; install MPICH (Debian: apt install libmpich-dev)");
  Command command;
  command.words = {compiler, "-O2", "-o", executable, source, "-lm"};
  command.output = folder.file("compiler");
  const auto ending = launch(command, [] {});
  if (!ending) return trouble(ending.error().message);
  if (ending->code == 0) return {};
  const auto said = contents(command.output);
  return trouble("the skeleton does not compile; mpicc says:\n" + (said ? *said : ""), 1);
}

}  // namespace

Outcome<skeleton::Compressed> read(const std::string& path, double tolerance) {
  std::error_code error;
  if (!fs::exists(path, error)) return trouble(path + ": no such file or folder");
  if (fs::is_directory(path, error)) {
    auto recording = skeleton::read_recording(path);
    if (!recording) return trouble(recording.error().message);
    auto compressed = skeleton::compress(std::move(*recording), {tolerance});
    if (!compressed) return trouble(compressed.error().message);
    return std::move(*compressed);
  }
  const auto text = contents(path);
  if (!text) return tl::unexpected(text.error());
  auto skeleton = skeleton::parse_text(*text, path);
  if (!skeleton) return trouble(skeleton.error().message);
  skeleton::Compressed compressed;
  compressed.symbols = skeleton::steps_in(skeleton->nodes);
  compressed.skeleton = std::move(*skeleton);
  return compressed;
}

std::string summary(const skeleton::Compressed& compressed) {
  const skeleton::Skeleton& skeleton = compressed.skeleton;
  std::ostringstream text;
  text << counted(static_cast<std::int64_t>(skeleton.events), "event") << " on "
       << counted(skeleton.ranks, "rank");
  if (compressed.columns > 0) text << ", " << compressed.columns << " in one program";
  text << ": " << counted(static_cast<std::int64_t>(compressed.symbols), "symbol");
  return text.str();
}

namespace {

Outcome<void> try_out(const Built& built, int ranks, const std::string& eager_limit,
                      const TemporaryFolder& folder) {
  const std::string target = folder.file("check.toml");
  if (const auto written = write_text(plain_target(ranks, eager_limit), target); !written)
    return trouble(written.error().message);
  if (const auto tried = run_built(built, ranks, target, folder); !tried)
    return tl::unexpected(tried.error());
  return {};
}

}  // namespace

Outcome<Built> build(const skeleton::Compressed& compressed, double scale, const TemporaryFolder& folder) {
  Built built;
  built.scaling = skeleton::scale_down(compressed.skeleton, scale);
  auto text = skeleton::c_program(compressed.skeleton, built.scaling, compressed.structure);
  if (!text) return trouble(text.error().message);
  built.text = std::move(*text);
  const std::string source = folder.file("skeleton.c");
  built.executable = folder.file("skeleton");
  if (const auto written = write_text(built.text, source); !written) return trouble(written.error().message);
  if (const auto compiled = compile(source, built.executable, folder); !compiled)
    return tl::unexpected(compiled.error());
  const auto tried = try_out(built, compressed.skeleton.ranks, "unlimited", folder);
  if (!tried && tried.error().code == 1)
    return trouble("the skeleton does not run through under the emulator, so it is not handed over: " +
                       tried.error().message,
                   1);
  if (!tried) return tl::unexpected(tried.error());
  return built;
}

Outcome<bool> runs_without_buffers(const Built& built, int ranks, const TemporaryFolder& folder) {
  const auto tried = try_out(built, ranks, "0B", folder);
  if (!tried && tried.error().code != 1) return tl::unexpected(tried.error());
  return tried.has_value();
}

Outcome<Ran> run_on_fibers(const skeleton::Compressed& compressed, const skeleton::Scaling& scaling,
                           const target::Target& target) {
  const auto begin = std::chrono::steady_clock::now();
  const auto played = skeleton::play(compressed.skeleton, scaling, target);
  if (!played) return trouble("the skeleton does not run through: " + played.error().message, 1);
  return Ran{played->outcome,
             std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count()};
}

Outcome<Ran> run_built(const Built& built, int ranks, const std::string& target,
                       const TemporaryFolder& folder) {
  RunOptions options;
  options.target = target;
  options.ranks = ranks;
  options.preload = true;
  options.programs = {{{}, built.executable, {}}};
  auto plan = prepare_run(options);
  if (!plan) return trouble(plan.error().message);
  const RunOutcome outcome = run_once(*plan, folder, "");
  if (outcome.interrupted) return trouble("", 128 + outcome.interrupted);
  if (!outcome.run) return trouble(outcome.failure, 1);
  const auto said = contents(folder.file("output"));
  const auto result = skeleton::parse_outcome(said ? *said : "");
  if (!result) return trouble(result.error().message, 1);
  return Ran{*result, outcome.host_seconds};
}

}  // namespace emu::app::skeletons
