#include "common/command_line.h"

#include <algorithm>
#include <cctype>
#include <cstring>

#include "base/number.h"

namespace emu::app {
namespace po = boost::program_options;
namespace {

// No abbreviations: a new option must not change the meaning of an abbreviated one.
constexpr int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;

bool takes_value(const po::options_description& options, const std::string& name) {
  const po::option_description* option = options.find_nothrow(name, false);
  return option && option->semantic()->max_tokens() > 0;
}

// The index of the program: after "--", or the first word that is neither an option nor an option's value.
std::size_t program_index(const std::vector<std::string>& args, const po::options_description& options) {
  for (std::size_t i = 0; i < args.size(); ++i) {
    const std::string& word = args[i];
    if (word == "--") return i + 1;
    if (word.size() < 2 || word[0] != '-') return i;
    const bool with_value = word[1] == '-'
                                ? word.find('=') == std::string::npos && takes_value(options, word.substr(2))
                                : word.size() == 2 && takes_value(options, word);
    if (with_value) ++i;
  }
  return args.size();
}

}  // namespace

Result<CommandLine> parse_command_line(const std::vector<std::string>& args,
                                       const po::options_description& options) {
  const std::size_t program = std::min(program_index(args, options), args.size());
  std::vector<std::string> own(args.begin(), args.begin() + static_cast<std::ptrdiff_t>(program));
  if (!own.empty() && own.back() == "--") own.pop_back();
  CommandLine line;
  try {
    po::store(po::command_line_parser(own).options(options).style(style).run(), line.options);
  } catch (const po::error& error) {
    std::string message = error.what();
    if (const auto at = message.find("'--n'"); at != std::string::npos) message.replace(at, 5, "'-n'");
    return fail(message);
  }
  line.words.assign(args.begin() + static_cast<std::ptrdiff_t>(program), args.end());
  return line;
}

Result<void> names_files(const po::variables_map& map, std::initializer_list<const char*> options) {
  for (const char* option : options)
    if (map.count(option) && map[option].as<std::string>().empty())
      return fail(std::string("--") + option + ": the file name is empty");
  return {};
}

namespace {

Result<std::vector<std::string>> split_words(const std::string& text) {
  std::vector<std::string> words;
  bool in_word = false;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool blank = c == ' ' || c == '\t' || c == '\n';
    if (!quote && blank) {
      in_word = false;
      continue;
    }
    if (!in_word) words.emplace_back();
    in_word = true;
    if (c == quote) {
      quote = 0;
    } else if (!quote && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == '\\' && quote != '\'') {
      if (++i == text.size()) return fail("ends in a backslash");
      words.back() += text[i];
    } else {
      words.back() += c;
    }
  }
  if (quote) return fail(std::string("a quote ") + quote + " is not closed");
  return words;
}

}  // namespace

// mpirun would take a word that is not an option for the program.
Result<std::vector<std::string>> mpirun_options(const std::string& text) {
  auto words = split_words(text);
  if (!words) return fail("--mpirun: " + words.error().message);
  if (!words->empty() && !words->front().starts_with('-'))
    return fail("--mpirun: invalid option: " + shown(words->front()) +
                " (expected options of mpirun, such as \"-hosts a,b\")");
  return words;
}

std::string shell_word(const std::string& word) {
  const auto plain = [](unsigned char c) { return std::isalnum(c) || std::strchr("_@%+=:,./-", c); };
  if (!word.empty() && std::all_of(word.begin(), word.end(), plain)) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
  return text + "'";
}

}  // namespace emu::app
