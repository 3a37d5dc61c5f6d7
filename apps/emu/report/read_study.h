// Reader of the output of emu study --json.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/failure.h"

namespace emu::app {

// Unchanged. The properties on which the page relies are checked, because the file may come from anywhere.
Result<nlohmann::ordered_json> read_study(const std::string& path);

}  // namespace emu::app
