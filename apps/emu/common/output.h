// Output files of the command.
#pragma once

#include <string>

#include "base/failure.h"

namespace emu::app {

// Checks that `path` ("-": standard output), the argument of `option`, can be written. To be called before a long
// run.
Result<void> can_write(const std::string& path, const std::string& option = "--json");
// Writes `text` to `path` ("-": standard output).
Result<void> write_text(const std::string& text, const std::string& path);

}  // namespace emu::app
