// Messages of the command on stderr: "emu: error: ...". Standard output belongs to the program that it runs.
#pragma once

#include <string>

#include "base/failure.h"

namespace emu::app {

// `level`: debug, info, warn or error; empty: EMU_LOG, or else info.
Result<void> start_log(const std::string& level);

// Prints every line of `message` as an error.
void print_error(const std::string& message);

}  // namespace emu::app
