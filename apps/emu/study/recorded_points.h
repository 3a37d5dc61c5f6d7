// Points of a study that run once more, recorded, each with a page that shows where its time goes.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "study/job.h"
#include "study/plane/plane.h"

namespace emu::app::studies {

// Writes the page of one point to `path`; `study`, if it is not null, is shown on it too. The result is the signal that stopped it,
// or 0. Messages begin with `option`.
Result<int> record_point(const Job& job, const Request& request, const std::string& option,
                         const std::string& path, const TemporaryFolder& folder,
                         nlohmann::ordered_json study = nullptr);

// The optimum, with the study, for --report.
Result<int> record_optimum(const Job& job, const TemporaryFolder& folder);

// All good points for --reports, in that folder.
Result<int> record_points(const Job& job, const TemporaryFolder& folder);

// What each of these pages shows, and where it is, seen from the page of --html.
std::vector<std::pair<std::string, std::string>> links_to_points(const Job& job);

}  // namespace emu::app::studies
