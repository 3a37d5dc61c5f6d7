// Messages of the command about itself, on stderr: "emu: error: ...". Standard output belongs to the program it runs.
#pragma once

#include <string>

#include "base/failure.h"

namespace emu::app {

// `level`: debug, info, warn or error; empty means the environment's EMU_LOG, or else info.
Result<void> start_log(const std::string& level);

// Every line of `message` as an error.
void print_error(const std::string& message);

}  // namespace emu::app
