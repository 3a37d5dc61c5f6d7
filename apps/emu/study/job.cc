#include "study/job.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <utility>

#include "base/units.h"
#include "common/installation.h"
#include "common/output.h"
#include "launch/loaded.h"
#include "launch/rank_numbers.h"

namespace emu::app::studies {
namespace {

// The targets of all variations, and the curves that are to be filled.
Result<void> add_targets(Job& job) {
  const std::string origin = job.plan.target;
  target::Sources sources;
  if (const auto read = target::load(origin, &sources); !read) return tl::unexpected(read.error());
  for (const Variation& variation : job.options.variations) {
    const auto text = apply(variation, sources.text, origin);
    if (!text) return tl::unexpected(text.error());
    const target::Sources changed{*text, sources.files};
    const std::string label = variation.label();
    const std::string name = label.empty() ? origin : origin + " with " + label;
    const auto target = target::parse(changed, name);
    if (!target) return label.empty() ? tl::unexpected(target.error()) : without_lines(target.error(), name);
    if (const auto fitting = target::fits(*target, job.study.ranks.back(), name); !fitting)
      return label.empty() ? tl::unexpected(fitting.error()) : without_lines(fitting.error(), name);
    job.targets.push_back(changed);
    job.study.curves.push_back({variation, *target, {}});
    // It does not count then.
    if (target->compute == target::Compute::declared)
      job.study.curves.back().target.uncertainties.erase("host_speed");
  }
  return {};
}

}  // namespace

Result<Job> prepare(Options options) {
  Job job;
  if (!options.measured.empty()) {
    auto measured = read_measured(options.measured);
    if (!measured) return tl::unexpected(measured.error());
    job.study.measured = std::move(*measured);
    if (options.ranks.empty())
      for (const auto& [ranks, seconds] : job.study.measured) options.ranks.push_back(ranks);
  }
  RunOptions first = options.run;
  if (!options.ranks.empty()) first.ranks = options.ranks.back();
  first.programs = with_ranks(first.programs, first.ranks.value_or(1));
  auto plan = prepare_run(first);
  if (!plan) return tl::unexpected(plan.error());
  job.plan = std::move(*plan);
  if (options.ranks.empty() && job.plan.schedule) options.ranks = {job.plan.ranks};
  if (options.ranks.empty()) {
    const int least = std::max(2, given_ranks(options.run.programs) + 1);
    auto ranks =
        parse_ranks(fmt::format("{}..{}", std::min(least, job.plan.ranks), job.plan.ranks), options.step);
    if (!ranks) return tl::unexpected(ranks.error());
    options.ranks = std::move(*ranks);
  }
  if (const auto shares = share_ranks(options.run.programs, options.ranks.front()); !shares)
    return fail("--ranks: with " + counted(options.ranks.front(), "rank") + " " + shares.error().message);
  job.study.program = options.words.front();
  job.study.arguments = {options.words.begin() + 1, options.words.end()};
  job.study.ranks = options.ranks;
  job.study.search = options.search;
  job.options = std::move(options);
  if (const auto added = add_targets(job); !added) return tl::unexpected(added.error());
  for (const auto& [option, file] :
       {std::pair("--json", job.options.json), std::pair("--html", job.options.html),
        std::pair("--picture", job.options.picture), std::pair("--report", job.options.report)})
    if (const auto writable = can_write(file, option); !writable) return tl::unexpected(writable.error());
  return job;
}

Identity identity(const Job& job, const target::Sources& target) {
  Identity identity;
  for (const std::filesystem::path& program : job.plan.programs) identity.programs.push_back(program);
  if (job.plan.schedule)
    for (const int ranks : job.study.ranks)
      identity.programs.push_back(with_ranks(job.options.run.programs, ranks).front().name);
  identity.arguments = {job.options.words.begin() + 1, job.options.words.end()};
  identity.target = target.text;
  for (const auto& [name, text] : target.files) identity.target += "\nfile " + name + "\n" + text;
  identity.options = job.options.run.mpirun;
  identity.options.push_back(job.plan.preload);
  if (job.options.run.host_clocks) identity.options.push_back("--host-clocks");
  identity.add_surroundings();
  if (job.options.first_ranks) identity.options.push_back("-n " + std::to_string(*job.options.first_ranks));
  // Scripts and static programs have none that could be told.
  for (const std::string& program : identity.programs)
    if (const auto loaded = loaded_by(program))
      identity.libraries.insert(identity.libraries.end(), loaded->paths.begin(), loaded->paths.end());
  if (const auto shim = shim_path(); shim && !job.plan.preload.empty())
    identity.libraries.push_back(shim->string());
  return identity;
}

std::string write_target(const target::Sources& sources, const TemporaryFolder& folder) {
  namespace fs = std::filesystem;
  const fs::path place = folder.file("target/1/2/3/4/5/6/7/8");
  const auto write = [](const fs::path& path, const std::string& text) {
    std::error_code ignored;
    fs::create_directories(path.parent_path(), ignored);
    std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
  };
  for (const auto& [name, text] : sources.files)
    if (fs::path(name).is_relative()) write((place / name).lexically_normal(), text);
  write(place / "target.toml", sources.text);
  return place / "target.toml";
}

}  // namespace emu::app::studies
