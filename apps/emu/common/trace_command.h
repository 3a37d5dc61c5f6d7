// Command line of the verbs that read a trace: the verb's options, and TRACE.
#pragma once

#include <boost/program_options.hpp>
#include <string>
#include <vector>

#include "base/failure.h"

namespace emu::app {

struct TraceCommand {
  std::string verb;
  std::string usage;  // "TRACE [-o FILE]", and the purpose of the verb
  boost::program_options::options_description options{"Options"};
  std::vector<const char*> written;  // the options that name output files
  std::vector<const char*> read;     // those that name input files
};

struct TraceCommandLine {
  boost::program_options::variables_map options;
  std::string trace;

  bool has(const char* option) const { return options.count(option) > 0; }
  std::string text(const char* option) const;  // empty if not given
};

// Handles --help, and reports errors: then the error is the exit code. Checks that all output files can be
// written.
tl::expected<TraceCommandLine, int> parse(TraceCommand command, const std::vector<std::string>& args);

}  // namespace emu::app
