// Messages of the command on stderr: "emu: error: ...". Standard output belongs to the program that it runs.
#pragma once

#include <string>

#include "base/failure.h"

namespace emu::app {

// `level`: debug, info, warn or error; empty: EMU_LOG, or else info.
Result<void> start_log(const std::string& level);

// Prints every line of `message` as an error.
void print_error(const std::string& message);

// Prints the error, and returns the exit code.
int refuse(const std::string& message, int code = 2);
inline int refuse(const Failure& failure, int code = 2) { return refuse(failure.message, code); }

}  // namespace emu::app
