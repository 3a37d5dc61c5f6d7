// Points of a study that run once more with a trace, each with a page that shows the distribution of its time.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "study/job.h"
#include "study/plane/plane.h"

namespace emu::app::studies {

// Writes the page of one point to `path`, which includes `study` unless it is null. Returns the signal that stopped it,
// or 0. Messages begin with `option`.
Result<int> record_point(const Job& job, const Request& request, const std::string& option,
                         const std::string& path, const TemporaryFolder& folder,
                         nlohmann::ordered_json study = nullptr);

// The optimum, with the study, for --report.
Result<int> record_optimum(const Job& job, const TemporaryFolder& folder);

// All successful points for --reports, in that folder.
Result<int> record_points(const Job& job, const TemporaryFolder& folder);

// Contents of each of these pages, and its path relative to the page of --html.
std::vector<std::pair<std::string, std::string>> links_to_points(const Job& job);

}  // namespace emu::app::studies
