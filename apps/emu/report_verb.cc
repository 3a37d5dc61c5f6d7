// emu report TRACE: where the time of a recorded run went, as a table, as a page to look at, and as JSON.

#include <boost/program_options.hpp>
#include <iostream>
#include <sstream>

#include "log.h"
#include "report.h"
#include "trace_report.h"
#include "verbs.h"

namespace emu::app {
namespace po = boost::program_options;
namespace {

po::options_description description() {
  po::options_description options("Options");
  options.add_options()  //
      ("output,o", po::value<std::string>()->value_name("FILE"),
       "write a page that any browser shows, from this one file alone")  //
      ("json", po::value<std::string>()->value_name("FILE"),
       "write the same as JSON, all times in picoseconds; - is standard output")  //
      ("help,h", "show this help");
  return options;
}

std::string help() {
  std::ostringstream text;
  text << "Usage: emu report TRACE [-o FILE.html] [--json FILE]\n\n"
          "Says where the time of a run went that emu run --trace TRACE recorded: per rank and per named "
          "interval\n"
          "(emu_interval_begin and _end, or MPI_Pcontrol(1, name) and (-1, name)); and where the critical "
          "path goes.\n\n"
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

int report(const std::vector<std::string>& args) {
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
    return wrong(std::string(error.what()) + "; see emu report --help");
  }
  if (map.count("help")) {
    std::cout << help();
    return 0;
  }
  const auto text = [&](const char* name) {
    return map.count(name) ? map[name].as<std::string>() : std::string();
  };
  if (!map.count("trace") || map["trace"].as<std::vector<std::string>>().size() != 1)
    return wrong("name one TRACE, the folder that emu run --trace made; see emu report --help");
  for (const char* option : {"output", "json"}) {
    const std::string name = std::string("--") + option;
    if (map.count(option) && text(option).empty()) return wrong(name + ": the file name is empty");
    if (const auto writable = can_write(text(option), name); !writable)
      return wrong(writable.error().message);
  }
  const auto made = TraceReport::read(map["trace"].as<std::vector<std::string>>()[0]);
  if (!made) return wrong(made.error().message);
  for (const std::string& note : made->notes()) std::cerr << "emu: warning: " << note << "\n";
  if (text("json") != "-") std::cout << made->table() << std::flush;
  if (!text("json").empty())
    if (const auto written = made->write_json(text("json")); !written) {
      print_error(written.error().message);
      return 1;
    }
  if (!text("output").empty())
    if (const auto written = made->write_page(text("output")); !written) {
      print_error(written.error().message);
      return 1;
    }
  return 0;
}

}  // namespace emu::app
