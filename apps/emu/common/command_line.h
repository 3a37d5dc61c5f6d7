// Command line of the verbs that run a program: the verb's options, then the program and its arguments.
#pragma once

#include <boost/program_options.hpp>
#include <cstdio>
#include <initializer_list>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "base/failure.h"
#include "common/log.h"

namespace emu::app {

struct CommandLine {
  boost::program_options::variables_map options;
  std::vector<std::string> words;  // the program and its arguments; may be empty
};

// Options end at the first word that is not an option, or at "--".
Result<CommandLine> parse_command_line(const std::vector<std::string>& args,
                                       const boost::program_options::options_description& options);

// A verb's options: the result of `from` for the command line, or `help` alone.
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

// The exit code of a verb whose options are wrong, or ask for help.
template <class Options, class Help>
std::optional<int> ended_by_options(const char* verb, const Result<Options>& options, Help help) {
  if (!options) {
    print_error(options.error().message);
    std::fprintf(stderr, "See emu %s --help.\n", verb);
    return 2;
  }
  if (!options->help) return {};
  std::cout << help();
  return 0;
}

// Checks that the given ones of these options, which name files, are not empty.
Result<void> names_files(const boost::program_options::variables_map& map,
                         std::initializer_list<const char*> options);

// The words of `text`, the value of --mpirun, as a shell splits them: quotes and backslashes keep blanks; nothing is
// substituted.
Result<std::vector<std::string>> mpirun_options(const std::string& text);

// `word` as text that a shell reads as this one word: in quotes where that is necessary.
std::string shell_word(const std::string& word);

}  // namespace emu::app
