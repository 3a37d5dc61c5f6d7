#include "command_line.h"

#include <cmath>
#include <fstream>
#include <sstream>

#include "base/number.h"
#include "base/units.h"

namespace command_line {

using emu::fail;
using emu::Result;

po::typed_value<std::string>* value(const char* name) { return po::value<std::string>()->value_name(name); }

Result<Given> parse(int argc, char** argv, const po::options_description& options, const char* word) {
  Given given;
  po::positional_options_description words;
  if (*word) words.add(word, 1);
  try {
    using namespace po::command_line_style;
    const auto style = unix_style & ~allow_guessing;
    po::store(po::command_line_parser(argc, argv).options(options).style(style).positional(words).run(),
              given);
  } catch (const po::too_many_positional_options_error&) {
    return fail("unexpected argument (see --help)");
  } catch (const po::error& error) {
    return fail(std::string(error.what()) + " (see --help)");
  }
  return given;
}

tl::unexpected<emu::Failure> wrong(const std::string& option, const std::string& text,
                                   const std::string& right) {
  return fail("--" + option + " '" + text + "': expected " + right);
}

std::vector<std::string> parts(const std::string& text, char between) {
  std::istringstream stream(text);
  std::vector<std::string> found;
  for (std::string part; std::getline(stream, part, between);) found.push_back(part);
  if (text.ends_with(between)) found.emplace_back();
  return found;
}

std::optional<double> seconds(std::string_view text) {
  auto value = emu::read_number<double>(text);
  if (!value) {
    if (const auto interval = emu::parse_interval(text)) value = interval->seconds();
  }
  if (!value || !std::isfinite(*value) || *value < 0) return {};
  return value;
}

Result<void> read_text(const Given& given, const std::string& option, std::string& to) {
  if (given.count(option)) to = given[option].as<std::string>();
  return {};
}

Result<void> read_count(const Given& given, const std::string& option, std::int32_t least, std::int32_t most,
                        std::int32_t& to) {
  if (!given.count(option)) return {};
  const std::string text = given[option].as<std::string>();
  const auto value = emu::read_number<std::int32_t>(text);
  if (!value || *value < least || *value > most) {
    return wrong(option, text,
                 "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  }
  to = *value;
  return {};
}

Result<void> read_positive(const Given& given, const std::string& option, double& to) {
  if (!given.count(option)) return {};
  const std::string text = given[option].as<std::string>();
  const auto value = emu::read_number<double>(text);
  if (!value || !std::isfinite(*value) || *value <= 0) return wrong(option, text, "a number above 0");
  to = *value;
  return {};
}

Result<void> read_seconds(const Given& given, const std::string& option, double& to) {
  if (!given.count(option)) return {};
  const std::string text = given[option].as<std::string>();
  const auto value = seconds(text);
  if (!value) return wrong(option, text, "a time of 0 or more, in seconds or with a unit like 12.5us");
  to = *value;
  return {};
}

Result<void> read_choice(const Given& given, const std::string& option, const std::vector<std::string>& words,
                         int& to) {
  if (!given.count(option)) return {};
  const std::string text = given[option].as<std::string>();
  std::string right;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == text) {
      to = static_cast<int>(i);
      return {};
    }
    right += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
  }
  return wrong(option, text, right);
}

bool can_write(const std::string& path) { return path.empty() || std::ofstream(path, std::ios::app).good(); }

Result<void> all(std::initializer_list<Result<void>> readings) {
  for (const Result<void>& reading : readings)
    if (!reading) return reading;
  return {};
}

}  // namespace command_line
