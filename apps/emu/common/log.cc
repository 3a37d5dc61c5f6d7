#include "common/log.h"

#include <fmt/format.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <sstream>

#include "common/environment.h"

namespace emu::app {
namespace {

void write_to_stderr() {
  auto logger = spdlog::stderr_logger_st("emu");
  logger->set_pattern("emu: %l: %v");
  spdlog::set_default_logger(std::move(logger));
}

}  // namespace

Result<void> start_log(const std::string& level) {
  if (!spdlog::get("emu")) write_to_stderr();
  const std::string source = level.empty() ? "EMU_LOG" : "--log-level";
  const std::string name = level.empty() ? environment().log : level;
  for (const char* known : {"debug", "info", "warn", "error"}) {
    if (name != known) continue;
    spdlog::set_level(spdlog::level::from_str(name));
    return {};
  }
  return fail(source + ": unknown level: \"" + name + "\" (expected debug, info, warn or error)");
}

// A message may quote any file. Control characters would change the terminal.
void print_error(const std::string& message) {
  std::istringstream lines(message);
  for (std::string line; std::getline(lines, line);) {
    std::string shown;
    for (const char c : line)
      shown +=
          (c >= 0 && c < ' ' && c != '\t') || c == '\x7f' ? fmt::format("\\x{:02x}", c) : std::string(1, c);
    spdlog::error("{}", shown);
  }
}

int refuse(const std::string& message, int code) {
  print_error(message);
  return code;
}

}  // namespace emu::app
