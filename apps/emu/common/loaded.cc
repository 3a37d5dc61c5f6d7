#include "common/loaded.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <sstream>

namespace emu::app {

namespace {

// What `ldd path` prints on its standard output.
Result<std::string> ldd(const std::string& path) {
  std::array<int, 2> ends;
  if (pipe(ends.data()) != 0) return fail(std::string("cannot run ldd: ") + std::strerror(errno));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", 1, 0);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  posix_spawn_file_actions_addclose(&actions, ends[1]);
  std::string command = "ldd", argument = path;
  char* arguments[] = {command.data(), argument.data(), nullptr};
  pid_t child = 0;
  const int error = posix_spawnp(&child, "ldd", &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text;
  std::array<char, 4096> buffer;
  for (ssize_t n; error == 0 && (n = read(ends[0], buffer.data(), buffer.size())) > 0;)
    text.append(buffer.data(), static_cast<std::size_t>(n));
  close(ends[0]);
  if (error != 0) return fail(std::string("cannot run ldd: ") + std::strerror(error));
  int status = 0;
  waitpid(child, &status, 0);
  if (status != 0) return fail("ldd cannot tell which libraries " + path + " loads");
  return text;
}

}  // namespace

// Lines are "NAME => PATH (ADDRESS)", "NAME => not found", "PATH (ADDRESS)" or, for the kernel's own, "NAME
// (ADDRESS)".
Result<Loaded> loaded_by(const std::string& program) {
  const auto text = ldd(program.find('/') == std::string::npos ? "./" + program : program);
  if (!text) return tl::unexpected<Failure>(text.error());
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
