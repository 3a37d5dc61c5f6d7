#include "common/trace_command.h"

#include <iostream>

#include "common/log.h"
#include "common/output.h"
#include "common/trace_folder.h"

namespace emu::app {
namespace po = boost::program_options;
namespace {

tl::unexpected<int> wrong_use(const std::string& message) {
  print_error(message);
  return tl::unexpected(2);
}

}  // namespace

std::string TraceCommandLine::text(const char* option) const {
  return has(option) ? options[option].as<std::string>() : std::string();
}

tl::expected<TraceCommandLine, int> parse(TraceCommand command, const std::vector<std::string>& args) {
  command.options.add_options()("help,h", "show this help");
  po::options_description all;
  all.add(command.options).add_options()("trace", po::value<std::vector<std::string>>());
  po::positional_options_description positional;
  positional.add("trace", -1);
  const std::string see = "; see emu " + command.verb + " --help";
  TraceCommandLine line;
  try {
    constexpr int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
    po::store(po::command_line_parser(args).options(all).positional(positional).style(style).run(),
              line.options);
  } catch (const po::error& error) {
    return wrong_use(error.what() + see);
  }
  if (line.has("help")) {
    std::cout << "Usage: emu " << command.verb << " " << command.usage << "\n"
              << command.options
              << "\nExit code: 1 if an output cannot be written; 2 for wrong use or an unreadable trace.\n";
    return tl::unexpected(0);
  }
  std::vector<std::string> named;
  if (line.has("trace")) named = line.options["trace"].as<std::vector<std::string>>();
  if (named.size() != 1) return wrong_use("name one TRACE, the folder that emu run --trace made" + see);
  line.trace = named[0];
  std::vector<NamedFile> outputs;
  for (const char* option : command.written) {
    if (!line.has(option)) continue;
    const std::string name = std::string("--") + option;
    if (line.text(option).empty()) return wrong_use(name + ": the file name is empty");
    outputs.push_back({name, line.text(option)});
  }
  std::vector<NamedFile> inputs;
  for (const std::string& file : files_of_trace(line.trace)) inputs.push_back({"a file of the trace", file});
  for (const char* option : command.read)
    inputs.push_back({std::string("the file of --") + option, line.text(option)});
  if (const auto writable = can_write(outputs, inputs); !writable) return wrong_use(writable.error().message);
  return line;
}

}  // namespace emu::app
