// Command line of the verbs that read a trace: options of their own, and the TRACE.
#pragma once

#include <boost/program_options.hpp>
#include <string>
#include <vector>

#include "base/failure.h"

namespace emu::app {

struct TraceCommand {
  std::string verb;
  std::string usage;  // "TRACE [-o FILE]", and what the verb is for
  boost::program_options::options_description options{"Options"};
  std::vector<const char*> written;  // those of the options that name files to write
};

struct TraceCommandLine {
  boost::program_options::variables_map options;
  std::string trace;

  bool has(const char* option) const { return options.count(option) > 0; }
  std::string text(const char* option) const;  // empty if it is not given
};

// Answers --help, or says what is wrong: then the error is the exit code. All files that are to be written
// can be.
tl::expected<TraceCommandLine, int> parse(TraceCommand command, const std::vector<std::string>& args);

}  // namespace emu::app
