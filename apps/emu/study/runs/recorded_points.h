// Points of a study that run once more with a trace, each with a page that shows the distribution of its time.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "study/plane/plane.h"
#include "study/runs/job.h"

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

// The study's JSON for `page`, a file; with --reports each successful point has "report", the path of its page from
// there.
nlohmann::ordered_json with_reports(const Job& job, nlohmann::ordered_json study, const std::string& page);

}  // namespace emu::app::studies
