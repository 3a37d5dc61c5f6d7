// Table and verdict of a study with swept names, for users.
#pragma once

#include <cstddef>
#include <string>

#include "study/study.h"

namespace emu::app::studies {

// For all variations.
std::string sweep_table(const Study& study);
std::string sweep_verdict(const Study& study, std::size_t variation);
// A sentence on the least and the greatest metric; empty without a metric.
std::string metric_verdict(const Study& study, std::size_t variation);

}  // namespace emu::app::studies
