#include "study/runs/job.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <system_error>
#include <utility>

#include "base/units.h"
#include "common/installation.h"
#include "common/output.h"
#include "launch/shared_objects.h"
#include "program/rank_numbers.h"
#include "schedule/source.h"
#include "study/plane/sweep.h"

namespace emu::app::studies {
namespace {

// Adds the target of one variation with one setting, and its curve.
Result<void> add_target(Job& job, const Variation& variation, const Setting& setting,
                        const target::Sources& sources) {
  const std::string origin = job.plan.target;
  const auto text = apply(job.options.grid ? placed(variation, setting) : variation, sources.text, origin);
  if (!text) return tl::unexpected(text.error());
  const target::Sources changed{*text, sources.files};
  const std::string label = variation.label();
  const std::string name = label.empty() ? origin : origin + " with " + label;
  const auto target = target::parse(changed, name);
  if (!target) return label.empty() ? tl::unexpected(target.error()) : without_lines(target.error(), name);
  job.targets.push_back(changed);
  job.study.curves.push_back({.variation = variation,
                              .target = *target,
                              .points = {},
                              .setting = setting,
                              .power = target::powers(*text)});
  if (job.options.grid && target->node_count() < job.study.nodes.back())
    return fail(fmt::format("--grid: invalid number of nodes: {} (expected at most {}, the target's)",
                            job.study.nodes.back(), target->node_count()));
  const int most = job.study.ranks_of(job.study.curves.size() - 1).back();
  if (const auto fitting = target::fits(*target, most, name); !fitting)
    return label.empty() ? tl::unexpected(fitting.error()) : without_lines(fitting.error(), name);
  // The speed of the host has no effect then.
  if (target->compute == target::Compute::declared)
    job.study.curves.back().target.uncertainties.erase("host_speed");
  return {};
}

// Adds the targets of all variations, and their empty curves.
Result<void> add_targets(Job& job) {
  target::Sources sources;
  if (const auto read = target::load(job.plan.target, &sources); !read) return tl::unexpected(read.error());
  for (const Variation& variation : job.options.variations) {
    for (const Setting& setting : settings_of(job.options.sweeps))
      if (const auto added = add_target(job, variation, setting, sources); !added) return added;
  }
  return {};
}

// All numbers of ranks of a grid.
std::vector<int> ranks_of(const Grid& grid) {
  std::set<int> ranks;
  for (const int nodes : grid.nodes)
    for (const int slots : grid.slots) ranks.insert(nodes * slots);
  return {ranks.begin(), ranks.end()};
}

// Number of dimensions with several values, out of ranks and swept names.
std::size_t dimensions(const Study& study) {
  const auto several = std::count_if(study.sweeps.begin(), study.sweeps.end(),
                                     [](const Sweep& sweep) { return sweep.values.size() > 1; });
  return static_cast<std::size_t>(several) + (study.ranks_of(0).size() > 1 ? 1 : 0);
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
  if (options.grid) options.ranks = ranks_of(*options.grid);
  if (!options.ranks.empty()) first.ranks = options.ranks.back();
  // Each setting of a grid has its own target.
  if (options.grid) first.ranks = given_ranks(options.run.programs) + 1;
  first.programs =
      with_values(first.programs, values_of(settings_of(options.sweeps).front(), first.ranks.value_or(1)));
  auto plan = prepare_run(first);
  if (!plan) return tl::unexpected(plan.error());
  job.plan = std::move(*plan);
  if (!job.plan.declared && !job.plan.schedule) job.plan.cold = find_cold_cores();
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
  job.study.sweeps = options.sweeps;
  job.study.metric = options.metric;
  if (options.grid) job.study.nodes = options.grid->nodes;
  job.study.price = options.price;
  job.options = std::move(options);
  if (const auto added = add_targets(job); !added) return tl::unexpected(added.error());
  std::vector<NamedFile> inputs = {{"the target", job.plan.target},
                                   {"the measured times", job.options.measured}};
  for (const auto& program : job.plan.programs) inputs.push_back({"the program", program});
  if (const auto writable = can_write({{"--json", job.options.json},
                                       {"--html", job.options.html},
                                       {"--picture", job.options.picture},
                                       {"--heat-map", job.options.heat_map},
                                       {"--report", job.options.report}},
                                      inputs);
      !writable)
    return tl::unexpected(writable.error());
  if (!job.options.heat_map.empty())
    if (const std::size_t several = dimensions(job.study); several != 2)
      return fail(
          fmt::format("--heat-map: {} of ranks and swept names have several values (expected 2)", several));
  if (std::error_code error; !job.options.reports.empty()) {
    if (const auto named = names_folder({"--reports", job.options.reports}); !named)
      return tl::unexpected(named.error());
    std::filesystem::create_directories(job.options.reports, error);
    if (error) return fail("--reports: " + job.options.reports + " cannot be made: " + error.message());
  }
  return job;
}

Identity identity(const Job& job, const Setting& setting, const target::Sources& target) {
  Identity identity;
  for (const std::filesystem::path& program : job.plan.programs) identity.programs.push_back(program);
  if (job.plan.schedule)
    for (const int ranks : job.study.ranks)
      for (const std::string& file :
           schedules::files_of(with_values(job.options.run.programs, values_of(setting, ranks)).front().name))
        identity.programs.push_back(file);
  const Values values = setting.in_braces();
  for (std::size_t i = 1; i < job.options.words.size(); ++i)
    identity.arguments.push_back(values.empty() ? job.options.words[i]
                                                : with_values(job.options.words[i], values));
  identity.target = target.text;
  for (const auto& [name, text] : target.files) identity.target += "\nfile " + name + "\n" + text;
  identity.options = job.options.run.mpirun;
  identity.options.push_back(job.plan.preload);
  if (job.options.run.host_clocks) identity.options.push_back("--host-clocks");
  if (!job.options.metric.empty()) identity.options.push_back("--metric " + job.options.metric);
  identity.add_surroundings(environment_of(setting, job.options.grid.has_value()));
  if (job.options.first_ranks) identity.options.push_back("-n " + std::to_string(*job.options.first_ranks));
  // Scripts and static programs have no libraries that can be determined.
  for (const std::string& program : identity.programs)
    if (const auto loaded = loaded_by(program))
      identity.libraries.insert(identity.libraries.end(), loaded->paths.begin(), loaded->paths.end());
  if (const auto shim = shim_path(); shim && !job.plan.preload.empty())
    identity.libraries.push_back(shim->string());
  return identity;
}

std::string write_target(const target::Sources& sources, const TemporaryFolder& folder,
                         const std::string& name) {
  namespace fs = std::filesystem;
  const fs::path place = folder.file(name + "/1/2/3/4/5/6/7/8");
  const auto write = [](const fs::path& path, const std::string& text) {
    std::error_code ignored;
    fs::create_directories(path.parent_path(), ignored);
    std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
  };
  for (const auto& [file, text] : sources.files)
    if (fs::path(file).is_relative()) write((place / file).lexically_normal(), text);
  write(place / "target.toml", sources.text);
  return place / "target.toml";
}

}  // namespace emu::app::studies
