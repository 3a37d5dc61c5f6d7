// Study as one self-contained page: the curve, the table and the verdict. It opens from disk, without
// network or scripts. A run's report is another page, which needs scripts to fold and zoom.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "study/study.h"

namespace emu::app::studies {

// `json`: the study's results, with paths of the pages of its points (recorded_points.h). `picture`: the curve, as an
// element (report/curve.h).
std::string page(const Study& study, const nlohmann::ordered_json& json, const std::string& picture);

}  // namespace emu::app::studies
