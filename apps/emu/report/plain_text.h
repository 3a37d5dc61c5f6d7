#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace emu::app {

// A text without its quotes; any other value as in JSON.
inline std::string plain_text(const nlohmann::ordered_json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

}  // namespace emu::app
