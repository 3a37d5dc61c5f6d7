// Study as one self-contained page: the curve, the table and the verdict. It opens from disk, without
// network or scripts. A run's report is another page, which needs scripts to fold and zoom.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "study/report.h"

namespace emu::app::studies {

// `picture`: the curve, as an element (report/curve.h). `links`: pages of points, by their contents.
std::string page(const Study& study, const std::string& picture,
                 const std::vector<std::pair<std::string, std::string>>& links = {});

}  // namespace emu::app::studies
