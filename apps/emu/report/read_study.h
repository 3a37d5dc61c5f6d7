// Reads back the JSON that emu study writes.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "base/failure.h"

namespace emu::app {

// As it is. What the page relies on is checked: it may come from anywhere.
Result<nlohmann::ordered_json> read_study(const std::string& path);

}  // namespace emu::app
