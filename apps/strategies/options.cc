#include "options.h"

#include <algorithm>
#include <string>

namespace strategies {

namespace po = command_line::po;
using command_line::value;
using emu::Result;

void add_options(po::options_description& options) {
  auto add = options.add_options();
  add("strategy", value("si|ml|dy"),
      "one master, several masters, or masters that split and merge by the waits of their slaves (si)");
  add("masters", value("PM"), "ml: number of masters (2)");
  add("dealing", value("scattered|cyclic|block"),
      "ml: task i to master i mod PM, neighbours far apart in time (scattered) or in the order of the tasks "
      "(cyclic); or an equal block of tasks to each master (block) (scattered)");
  add("split-at", value("X"),
      "dy: a master splits when its slaves wait X times a message's round trip for a task (2)");
  add("merge-at", value("X"),
      "dy: a secondary master returns its slaves when they wait less than X times the round trip (1.05)");
}

Result<void> read_options(const command_line::Given& given, int ranks, Plan& to) {
  int kind = 0;
  int dealing = 0;
  to.masters = std::min(to.masters, ranks);
  const Result<void> read = command_line::all({
      command_line::read_choice(given, "strategy", {"si", "ml", "dy"}, kind),
      command_line::read_count(given, "masters", 1, 1 << 20, to.masters),
      command_line::read_choice(given, "dealing", {"scattered", "cyclic", "block"}, dealing),
      command_line::read_positive(given, "split-at", to.adaptation.split_at),
      command_line::read_positive(given, "merge-at", to.adaptation.merge_at),
  });
  if (!read) return read;
  if (to.masters > ranks) {
    return emu::fail("--masters " + std::to_string(to.masters) + ": expected at most the number of ranks, " +
                     std::to_string(ranks));
  }
  to.kind = static_cast<Kind>(kind);
  to.dealing = static_cast<Dealing>(dealing);
  const auto only = [&](const std::string& option, Kind where, const std::string& name) -> Result<void> {
    if (!given.count(option) || to.kind == where) return {};
    return emu::fail("--" + option + " is an option of --strategy " + name);
  };
  return command_line::all({
      only("masters", Kind::multiple, "ml"),
      only("dealing", Kind::multiple, "ml"),
      only("split-at", Kind::dynamic, "dy"),
      only("merge-at", Kind::dynamic, "dy"),
  });
}

}  // namespace strategies
