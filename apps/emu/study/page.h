// A study as one self-contained page: the curve, the table and the verdict. It opens from disk, without
// network or scripts. The page of a run's report is another one, which needs scripts to fold and zoom.
#pragma once

#include <string>

#include "study/report.h"

namespace emu::app::studies {

// `picture`: the curve, as an element (report/curve.h).
std::string page(const Study& study, const std::string& picture);

}  // namespace emu::app::studies
