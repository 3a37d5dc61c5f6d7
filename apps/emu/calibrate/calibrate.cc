// emu calibrate: measures the present cluster and writes it as a target.
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>

#include "../../calibrate/kernel.h"
#include "base/units.h"
#include "calibrate/fit.h"
#include "calibrate/options.h"
#include "calibrate/write.h"
#include "common/command_line.h"
#include "common/installation.h"
#include "common/log.h"
#include "common/output.h"
#include "common/temporary.h"
#include "launch/prepared_run.h"
#include "target/target.h"
#include "verbs.h"

namespace emu::app::calibration {
namespace {

namespace fs = std::filesystem;

std::string text_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

// One line at the bottom of the terminal: progress of the measurement.
class Bar {
 public:
  Bar(int ranks, std::size_t index, std::size_t count, std::string progress_file)
      : ranks_(ranks),
        index_(index),
        count_(count),
        file_(std::move(progress_file)),
        terminal_(::isatty(STDERR_FILENO)) {}
  ~Bar() {
    if (shown_) std::fputs("\r\033[K", stderr);
  }
  Bar(const Bar&) = delete;
  Bar& operator=(const Bar&) = delete;

  void update() {
    if (!terminal_) return;
    constexpr int width = 30;
    const std::string bytes = text_of(file_);
    const double share =
        bytes.empty() ? 0 : static_cast<double>(bytes.size() - 1) / static_cast<unsigned char>(bytes[0]);
    const int filled =
        static_cast<int>(width * (static_cast<double>(index_) + share) / static_cast<double>(count_));
    std::fprintf(stderr, "\r\033[Kemu: [%s%s] %d ranks, %.0f %%\r", std::string(filled, '#').c_str(),
                 std::string(width - filled, '.').c_str(), ranks_, 100 * share);
    std::fflush(stderr);
    shown_ = true;
  }

 private:
  const int ranks_;
  const std::size_t index_, count_;
  const std::string file_;
  const bool terminal_;
  bool shown_ = false;
};

// Settings of the runs for all numbers of ranks: native, or emulated.
struct Job {
  Options options;
  PreparedRun plan;  // for the greatest number of ranks; natively without a target
};

Result<Job> prepare(Options options) {
  const auto tool = tool_path("calibrate", "emu-calibrate");
  if (!tool) return tl::unexpected(tool.error());
  Job job;
  if (options.target.empty()) {
    const auto mpirun = find_mpirun();
    if (!mpirun) return tl::unexpected(mpirun.error());
    job.plan.mpirun = *mpirun;
    job.plan.programs = {*tool};
    job.plan.options.programs = {{{}, *tool, {}}};
    job.plan.options.mpirun = options.mpirun;
  } else {
    RunOptions run;
    run.target = options.target;
    run.programs = {{{}, *tool, {}}};
    run.mpirun = options.mpirun;
    run.preload = true;
    run.ranks = std::max(options.ranks.back(), 2 * options.slots);
    auto plan = prepare_run(run);
    if (!plan) return tl::unexpected(plan.error());
    job.plan = std::move(*plan);
  }
  if (options.output == "-") return fail("-o: a file is needed, not standard output");
  if (const auto writable = can_write({{"-o", options.output}}, {{"the target", job.plan.target}}); !writable)
    return tl::unexpected(writable.error());
  std::error_code error;
  if (!options.measurements.empty() && !fs::is_directory(options.measurements, error))
    return fail("--measurements: " + options.measurements + ": not a folder");
  job.options = std::move(options);
  return job;
}

// `limit`: S, if known from another number of ranks. `cards`: all ranks of two nodes talk at once.
Command command_for(const Job& job, int ranks, const TemporaryFolder& folder, const std::string& file,
                    const std::string& limit, bool cards) {
  const std::string progress = folder.file("progress");
  std::vector<std::string> arguments{file, progress, std::to_string(job.options.longest), limit};
  if (job.options.quick) arguments.push_back("quick");
  if (job.options.cold) arguments.push_back("cold");
  if (cards) arguments.push_back("cards");
  Command result;
  if (job.options.target.empty()) {
    result.has_to_start = true;
    result.words = {job.plan.mpirun, "-n", std::to_string(ranks)};
    result.words.insert(result.words.end(), job.options.mpirun.begin(), job.options.mpirun.end());
    result.words.push_back(job.plan.programs.front());
    result.words.insert(result.words.end(), arguments.begin(), arguments.end());
  } else {
    PreparedRun plan = job.plan;
    plan.ranks = ranks;
    plan.options.programs.front().arguments = arguments;
    result = command(plan, folder.file("record"), folder.file("status"));
  }
  result.output = folder.file("output");
  return result;
}

// Measures with one number of ranks; if `index` is beyond the last one, the cards. `signal`: receives an interrupting
// signal; 0: none.
Result<Measurement> measure(const Job& job, std::size_t index, const TemporaryFolder& folder,
                            const std::string& limit, int& signal) {
  const bool cards = index == job.options.ranks.size();
  const int ranks = cards ? 2 * job.options.slots : job.options.ranks[index];
  const std::string file = folder.file(fmt::format("{}-{}.json", cards ? "cards" : "measurement", ranks));
  std::error_code ignored;
  for (const char* name : {"progress", "output", "record", "status"}) fs::remove(folder.file(name), ignored);
  Bar bar(ranks, index, job.options.ranks.size() + (job.options.slots > 0), folder.file("progress"));
  const auto ending = launch(command_for(job, ranks, folder, file, limit, cards), [&] { bar.update(); });
  if (!ending) return tl::unexpected(ending.error());
  signal = ending->interrupted;
  const bool complete = fs::exists(file, ignored);  // written at the end of the measurement
  if (ending->code != 0 && !complete)
    return fail(fmt::format("measuring with {} ranks ended with exit code {}:\n{}{}", ranks, ending->code,
                            text_of(folder.file("output")), no_room(folder.path())));
  if (!job.options.measurements.empty())
    fs::copy_file(file,
                  fs::path(job.options.measurements) / fmt::format("{}{}.json", cards ? "cards-" : "", ranks),
                  fs::copy_options::overwrite_existing, ignored);
  return read_measurement(file);
}

std::string host_name() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "this machine";
}

Result<void> publish(const Job& job, const Fit& fit, const std::optional<CardFit>& cards,
                     const std::vector<Measurement>& all) {
  const std::string& output = job.options.output;
  Description description;
  description.name = job.options.name.empty() ? "calibrated on " + host_name() : job.options.name;
  description.nodes = job.options.nodes ? job.options.nodes : job.options.ranks.back();
  description.host_speed = calibrate::reference_seconds / calibrate::kernel_cpu_seconds();
  std::string counts;
  for (int ranks : job.options.ranks) counts += (counts.empty() ? "" : ", ") + std::to_string(ranks);
  description.how =
      "Two ranks talked among " + counts + "; messages of 0 B to " + format_bytes(job.options.longest) + ".";
  if (cards) description.how += fmt::format(" {} ranks on each of two nodes talked at once.", cards->slots);
  description.cards = cards;
  const std::string text = to_toml(fit, description);
  if (const auto good = target::parse(text, output); !good) return tl::unexpected(good.error());
  if (const auto written = write_text(text, output); !written) return written;
  std::cout << text << std::flush;
  const std::string picture = fs::path(output).replace_extension(".png");
  if (const auto drawn = draw(fit, all, description.name, picture); !drawn) {
    spdlog::warn("{}", drawn.error().message);
  } else {
    std::fprintf(stderr, "emu: wrote %s; points and fit are in %s\n", output.c_str(), picture.c_str());
  }
  return {};
}

// Converts measurements of other tools to a target.
int convert(const Options& options) {
  std::vector<NamedFile> inputs;
  for (const std::string& file : options.from) inputs.push_back({"a file of --from", file});
  if (const auto writable = can_write({{"-o", options.output}}, inputs); !writable)
    return refuse(writable.error());
  Imported all;
  std::string files;
  for (std::size_t i = 0; i < options.from.size(); ++i) {
    const std::string& file = options.from[i];
    if (const auto readable = can_read({"--from", file}); !readable) return refuse(readable.error());
    std::ifstream in(file, std::ios::binary);
    if (!in) return refuse("--from: " + file + " cannot be read: " + std::strerror(errno));
    const std::string text(std::istreambuf_iterator<char>(in), {});
    const auto at = std::find(format_names.begin(), format_names.end(), options.formats[i]);
    const auto read = read_into(all, text, file, static_cast<Format>(at - format_names.begin()));
    if (!read) return refuse(read.error());
    files += (files.empty() ? "" : ", ") + fs::path(file).filename().string();
  }
  for (const std::string& warning : all.warnings) spdlog::warn("{}", warning);
  const auto fitted = fit(all, options.eager_limit, options.serial, options.pieces);
  if (!fitted) return refuse(fitted.error().message + "\nNothing was written.", 1);
  Description description;
  description.name = options.name.empty() ? "from " + files : options.name;
  description.nodes = options.nodes ? options.nodes : 64;
  description.how = "From " + files + ".";
  const std::string text = to_toml(*fitted, description);
  if (const auto good = target::parse(text, options.output); !good) return refuse(good.error(), 1);
  if (const auto written = write_text(text, options.output); !written) return refuse(written.error(), 1);
  return 0;
}

// Measures once with each number of ranks, in addition to earlier measurements. Returns an exit code.
int measure_all(const Job& job, const TemporaryFolder& folder, std::vector<Measurement>& all) {
  const bool first = all.empty();
  for (std::size_t i = 0; i < job.options.ranks.size(); ++i) {
    int signal = 0;
    const std::string limit = all.empty() ? "unknown" : std::to_string(all.front().eager_limit);
    auto one = measure(job, i, folder, limit, signal);
    if (signal) return 128 + signal;
    if (!one) return refuse(one.error(), 1);
    if (first)
      all.push_back(std::move(*one));
    else
      add(all[i], *one);
  }
  return 0;
}

int execute(const Job& job) {
  const auto folder = TemporaryFolder::create();
  if (!folder) return refuse(folder.error());
  // Measurements with much scatter are repeated: noise varies with time. An emulated cluster has no noise.
  const int most = job.options.target.empty() ? 3 : 1;
  std::vector<Measurement> all;
  for (int round = 1; round <= most; ++round) {
    if (const int code = measure_all(job, *folder, all)) return code;
    if (round == most || !repeats_may_help(all, calibrate::reference_seconds)) break;
    std::fprintf(stderr, "emu: the times scatter; measuring again (%d of %d)\n", round + 1, most);
  }
  const auto fitted = fit(all, calibrate::reference_seconds, Scatter::widened);
  if (!fitted) return refuse(fitted.error().message + "\nNothing was written.", 1);
  std::optional<CardFit> cards;
  if (job.options.slots > 0) {
    int signal = 0;
    const std::string limit = std::to_string(all.front().eager_limit);
    const auto measured = measure(job, job.options.ranks.size(), *folder, limit, signal);
    if (signal) return 128 + signal;
    const auto found = measured ? fit_cards(*measured) : tl::unexpected(measured.error());
    if (!found) return refuse(found.error().message + "\nNothing was written.", 1);
    cards = *found;
  }
  if (const auto published = publish(job, *fitted, cards, all); !published)
    return refuse(published.error(), 1);
  return 0;
}

}  // namespace
}  // namespace emu::app::calibration

namespace emu::app {

int calibrate(const std::vector<std::string>& args) {
  using namespace calibration;
  auto options = parse_options(args);
  if (const auto code = ended_by_options("calibrate", options, help)) return *code;
  if (!options->from.empty()) return convert(*options);
  const auto job = prepare(std::move(*options));
  if (!job) return refuse(job.error());
  return execute(*job);
}

}  // namespace emu::app
