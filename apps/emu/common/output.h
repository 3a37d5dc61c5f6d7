// Files that the command writes.
#pragma once

#include <string>

#include "base/failure.h"

namespace emu::app {

// Nothing yet hinders writing `path` ("-": standard output), which `option` names. To be known before a long
// run, not after.
Result<void> can_write(const std::string& path, const std::string& option = "--json");
// `text` to `path` ("-": standard output).
Result<void> write_text(const std::string& text, const std::string& path);

}  // namespace emu::app
