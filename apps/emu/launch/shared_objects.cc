#include "launch/shared_objects.h"

#include <algorithm>
#include <sstream>

#include "launch/output_of.h"
#include "program/elf.h"

namespace emu::app {

namespace {

// The program's dynamic linker; that of this command if the program names none, as a library does.
Result<std::string> dynamic_linker(const std::string& program) {
  auto elf = read_elf(program);
  if (elf && elf->dynamic && elf->interpreter.empty()) elf = read_elf("/proc/self/exe");
  if (!elf) return tl::unexpected(elf.error());
  if (elf->interpreter.empty()) return fail("it is linked statically");
  return elf->interpreter;
}

}  // namespace

// Lines are "NAME => PATH (ADDRESS)", "NAME => not found", "PATH (ADDRESS)" or, for the kernel's own, "NAME
// (ADDRESS)".
Result<Loaded> loaded_by(const std::string& program) {
  const auto cannot = [&](const Failure& why) {
    return fail("cannot determine which libraries " + program + " loads: " + why.message);
  };
  const auto linker = dynamic_linker(program);
  if (!linker) return cannot(linker.error());
  const auto text = output_of({*linker, program.find('/') == std::string::npos ? "./" + program : program},
                              {{"LD_TRACE_LOADED_OBJECTS", "1"}});
  if (!text) return cannot(text.error());
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
