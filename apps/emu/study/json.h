// JSON of a study, for tools and for the drawing of the curve (report/curve.h).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "study/study.h"

namespace emu::app::studies {

// The keys are fixed, because other tools read them.
nlohmann::ordered_json to_json(const Study& study);
std::string json_text(const nlohmann::ordered_json& json);

}  // namespace emu::app::studies
