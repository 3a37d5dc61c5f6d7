#include "launch/shared_objects.h"

#include <algorithm>
#include <sstream>

#include "launch/output_of.h"

namespace emu::app {

// Lines are "NAME => PATH (ADDRESS)", "NAME => not found", "PATH (ADDRESS)" or, for the kernel's own, "NAME
// (ADDRESS)".
Result<Loaded> loaded_by(const std::string& program) {
  const auto text = output_of({"ldd", program.find('/') == std::string::npos ? "./" + program : program});
  if (!text) return fail("ldd cannot tell which libraries " + program + " loads: " + text.error().message);
  Loaded loaded;
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    line.erase(0, line.find_first_not_of(" \t"));
    const std::size_t arrow = line.find(" => ");
    std::string path = arrow == std::string::npos ? line : line.substr(arrow + 4);
    if (arrow != std::string::npos && path == "not found") {
      loaded.missing.push_back(line.substr(0, arrow));
      continue;
    }
    path.erase(std::min(path.rfind(" ("), path.size()));
    if (path.starts_with('/')) loaded.paths.push_back(path);
  }
  return loaded;
}

}  // namespace emu::app
