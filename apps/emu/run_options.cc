#include "run_options.h"

#include <boost/program_options.hpp>
#include <charconv>
#include <sstream>

namespace emu::app {
namespace po = boost::program_options;
namespace {

po::options_description description() {
  po::options_description options("Options");
  options.add_options()  //
      (",n", po::value<std::string>()->value_name("N"),
       "ranks to start; all slots of the target if not given")  //
      ("target", po::value<std::string>()->value_name("FILE"),
       "the cluster to predict: a target file, or the name of one that comes with libemu")  //
      ("json", po::value<std::string>()->value_name("FILE"),
       "write the prediction as JSON; - is standard output")  //
      ("mpirun", po::value<std::string>()->value_name("OPTIONS"),
       "further options for mpirun, as one word")                                                       //
      ("preload", "carry libemu into PROGRAM by LD_PRELOAD, for programs that are not linked with it")  //
      ("host-clocks",
       "leave clock_gettime, gettimeofday, time and std::chrono as they are here; MPI_Wtime still tells the "
       "target's time")  //
      ("log-level", po::value<std::string>()->value_name("LEVEL"),
       "debug, info, warn or error; else the environment variable EMU_LOG, else info")  //
      ("help,h", "show this help");
  return options;
}

// Guessing off: an option that is added later must not change what a shortened one means.
constexpr int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;

bool takes_value(const po::options_description& options, const std::string& name) {
  const po::option_description* option = options.find_nothrow(name, false);
  return option && option->semantic()->max_tokens() > 0;
}

// The index of the program: behind "--", or the first word that is neither an option nor an option's value.
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

Result<int> rank_count(const std::string& text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1)
    return fail("-n: \"" + text + "\" is no number of ranks; write a whole number from 1");
  return value;
}

Result<RunOptions> from_map(const po::variables_map& map) {
  const auto text = [&](const char* name) {
    return map.count(name) ? map[name].as<std::string>() : std::string();
  };
  RunOptions options;
  options.target = text("target");
  options.json = text("json");
  options.log_level = text("log-level");
  options.host_clocks = map.count("host-clocks") > 0;
  options.preload = map.count("preload") > 0;
  if (map.count("-n")) {
    const auto ranks = rank_count(text("-n"));
    if (!ranks) return tl::unexpected(ranks.error());
    options.ranks = *ranks;
  }
  auto words = split_words(text("mpirun"));
  if (!words) return fail("--mpirun: " + words.error().message);
  options.mpirun = *words;
  if (options.target.empty()) return fail("--target is missing; write for example --target fast-ethernet-64");
  if (map.count("json") && options.json.empty()) return fail("--json: the file name is empty");
  return options;
}

}  // namespace

Result<RunOptions> parse_run_options(const std::vector<std::string>& args) {
  const po::options_description options = description();
  const std::size_t program = std::min(program_index(args, options), args.size());
  std::vector<std::string> own(args.begin(), args.begin() + static_cast<std::ptrdiff_t>(program));
  if (!own.empty() && own.back() == "--") own.pop_back();
  po::variables_map map;
  try {
    po::store(po::command_line_parser(own).options(options).style(style).run(), map);
  } catch (const po::error& error) {
    std::string message = error.what();
    if (const auto at = message.find("'--n'"); at != std::string::npos) message.replace(at, 5, "'-n'");
    return fail(message);
  }
  if (map.count("help")) {
    RunOptions result;
    result.help = true;
    return result;
  }
  auto result = from_map(map);
  if (!result) return result;
  if (program == args.size()) return fail("the PROGRAM to run is missing");
  result->program = args[program];
  result->arguments.assign(args.begin() + static_cast<std::ptrdiff_t>(program) + 1, args.end());
  return result;
}

std::string run_help() {
  std::ostringstream text;
  text << "Usage: emu run [-n N] --target FILE [--json FILE] [--mpirun \"OPTIONS\"] PROGRAM [ARGS]\n\n"
          "Runs the MPI program PROGRAM here as if on the target: same answers, and the time it would take "
          "there.\n"
          "PROGRAM must be linked by emucc, emucxx or emufc, or be run with --preload.\n\n"
       << description()
       << "\nExit code: the program's; 1 if it ran without libemu; 2 if nothing was run because of wrong "
          "input.\n";
  return text.str();
}

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

}  // namespace emu::app
