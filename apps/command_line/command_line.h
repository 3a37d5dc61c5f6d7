// Command lines of the programs. Every value is read as text first, so that the error for a wrong value can quote it
// and say what is expected.
#pragma once

#include <boost/program_options.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/failure.h"

namespace command_line {

namespace po = boost::program_options;
using Given = po::variables_map;

// An option's value, as the help text names it.
po::typed_value<std::string>* value(const char* name);

// Parses a command line. Options must not be abbreviated, and words without an option are errors, except one word
// that is the value of the option `word`, if `word` is not empty.
emu::Result<Given> parse(int argc, char** argv, const po::options_description& options,
                         const char* word = "");

// "--option 'text': expected right"
tl::unexpected<emu::Failure> wrong(const std::string& option, const std::string& text,
                                   const std::string& right);

// The parts of "a,b,c"; an empty text has none.
std::vector<std::string> parts(const std::string& text, char between = ',');

// A time of 0 or more, in seconds or with a unit ("12.5us"), as seconds.
std::optional<double> seconds(std::string_view text);

// Each function reads an option into `to`, and leaves `to` unchanged if the option is not given.
emu::Result<void> read_text(const Given& given, const std::string& option, std::string& to);
// A whole number from `least` to `most`.
emu::Result<void> read_count(const Given& given, const std::string& option, std::int32_t least,
                             std::int32_t most, std::int32_t& to);
// A number above 0.
emu::Result<void> read_positive(const Given& given, const std::string& option, double& to);
emu::Result<void> read_seconds(const Given& given, const std::string& option, double& to);
// Reads one of `words`; `to` is its index.
emu::Result<void> read_choice(const Given& given, const std::string& option,
                              const std::vector<std::string>& words, int& to);

// True if the file can be written; the file is not changed. Also true if `path` is empty.
bool can_write(const std::string& path);

// The first failure of several readings.
emu::Result<void> all(std::initializer_list<emu::Result<void>> readings);

}  // namespace command_line
