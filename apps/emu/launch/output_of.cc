#include "launch/output_of.h"

#include <csignal>
#include <fstream>
#include <iterator>
#include <map>
#include <utility>

#include "common/temporary.h"
#include "launch/launch.h"
#include "program/search_path.h"

namespace emu::app {

Result<std::string> output_of(std::vector<std::string> words,
                              std::map<std::string, std::string> environment) {
  const std::string name = words.front();
  words.front() = on_search_path(name);
  if (words.front().empty()) return fail(name + " is not installed");
  const auto folder = TemporaryFolder::create();
  if (!folder) return tl::unexpected(folder.error());
  Command command;
  command.words = std::move(words);
  command.environment = std::move(environment);
  command.output = folder->file("output");
  command.errors = "/dev/null";
  const auto ending = launch(command, [] {});
  if (!ending) return tl::unexpected(ending.error());
  // The signal was meant for this process: raised again, it takes effect when the temporary folders are removed.
  if (ending->interrupted) raise(ending->interrupted);
  if (const std::string room = no_room(folder->path()); !room.empty()) return fail(room);
  if (ending->code != 0) return fail(name + " failed");
  std::ifstream in(command.output, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

}  // namespace emu::app
