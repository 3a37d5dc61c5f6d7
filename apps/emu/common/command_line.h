// Command line of the verbs that run a program: options of their own, then the program and its words.
#pragma once

#include <boost/program_options.hpp>
#include <initializer_list>
#include <string>
#include <vector>

#include "base/failure.h"

namespace emu::app {

struct CommandLine {
  boost::program_options::variables_map options;
  std::vector<std::string> words;  // the program and its arguments; may be empty
};

// Options end at the first word that is none, or behind "--".
Result<CommandLine> parse_command_line(const std::vector<std::string>& args,
                                       const boost::program_options::options_description& options);

// A verb's options: what `from` makes of the command line, or `help` alone.
template <class Options, class From>
Result<Options> options_from(const std::vector<std::string>& args,
                             const boost::program_options::options_description& description, From from) {
  const auto line = parse_command_line(args, description);
  if (!line) return tl::unexpected(line.error());
  if (line->options.count("help") == 0) return from(*line);
  Options options;
  options.help = true;
  return options;
}

// Those of these options, which name files, that were given name one.
Result<void> names_files(const boost::program_options::variables_map& map,
                         std::initializer_list<const char*> options);

// `text` in words as a shell would: quotes and backslashes keep blanks together; nothing is substituted.
Result<std::vector<std::string>> split_words(const std::string& text);

}  // namespace emu::app
