// Executables that the user names: along PATH, or by a path.
#pragma once

#include <filesystem>
#include <string>

#include "base/failure.h"

namespace emu::app {

// The program that a shell would start for `name`, or else a file in the current directory: in the form in which it
// is to be started, with a slash. Fails if there is none, or if it is not executable.
Result<std::filesystem::path> program_path(const std::string& name);

// The executable `name` along PATH; empty if there is none.
std::filesystem::path on_search_path(const std::string& name);

}  // namespace emu::app
