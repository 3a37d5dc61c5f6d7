// emu trace TRACE --perfetto FILE | --paje FILE: a recorded run in the formats of other viewers.

#include <boost/program_options.hpp>
#include <iostream>
#include <sstream>

#include "log.h"
#include "report.h"
#include "trace_export.h"
#include "verbs.h"

namespace emu::app {
namespace po = boost::program_options;
namespace {

po::options_description description() {
  po::options_description options("Options");
  options.add_options()  //
      ("perfetto", po::value<std::string>()->value_name("FILE"),
       "write JSON for ui.perfetto.dev and chrome://tracing")                                            //
      ("paje", po::value<std::string>()->value_name("FILE"), "write a Paje trace, for PajeNG and ViTE")  //
      ("help,h", "show this help");
  return options;
}

std::string help() {
  std::ostringstream text;
  text << "Usage: emu trace TRACE [--perfetto FILE] [--paje FILE]\n\n"
          "Writes what emu run --trace TRACE recorded in the formats that other viewers open: the MPI calls "
          "and\n"
          "named intervals of every rank in virtual time, and the messages between them.\n\n"
       << description()
       << "\nExit code: 1 if what is asked for cannot be written; 2 if the trace cannot be read, or of wrong "
          "use.\n";
  return text.str();
}

int wrong(const std::string& message) {
  print_error(message);
  return 2;
}

}  // namespace

int trace(const std::vector<std::string>& args) {
  po::options_description hidden;
  hidden.add_options()("trace", po::value<std::vector<std::string>>());
  po::options_description all;
  all.add(description()).add(hidden);
  po::positional_options_description positional;
  positional.add("trace", -1);
  po::variables_map map;
  try {
    constexpr int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
    po::store(po::command_line_parser(args).options(all).positional(positional).style(style).run(), map);
  } catch (const po::error& error) {
    return wrong(std::string(error.what()) + "; see emu trace --help");
  }
  if (map.count("help")) {
    std::cout << help();
    return 0;
  }
  const auto named =
      map.count("trace") ? map["trace"].as<std::vector<std::string>>() : std::vector<std::string>();
  if (named.size() != 1)
    return wrong("name one TRACE, the folder that emu run --trace made; see emu trace --help");
  if (!map.count("perfetto") && !map.count("paje"))
    return wrong("name a format: --perfetto FILE or --paje FILE; see emu trace --help");
  for (const char* option : {"perfetto", "paje"}) {
    if (!map.count(option)) continue;
    const auto& file = map[option].as<std::string>();
    const std::string name = std::string("--") + option;
    if (file.empty()) return wrong(name + ": the file name is empty");
    if (const auto writable = can_write(file, name); !writable) return wrong(writable.error().message);
  }
  const auto folder = emu::trace::Folder::open(named[0]);
  if (!folder) return wrong(folder.error().message);
  const auto history = emu::trace::read_history(*folder);
  if (!history) return wrong(history.error().message);
  for (const auto& rank : history->ranks)
    if (!rank.cut.empty()) std::cerr << "emu: warning: " << rank.cut << "\n";
  for (const auto& [option, write] :
       {std::pair("perfetto", &write_perfetto), std::pair("paje", &write_paje)}) {
    if (!map.count(option)) continue;
    if (const auto written = write(*folder, *history, map[option].as<std::string>()); !written) {
      print_error(written.error().message);
      return 1;
    }
  }
  return 0;
}

}  // namespace emu::app
