#include "program/programs.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/number.h"
#include "program/rank_numbers.h"

namespace emu::app {
namespace {

// Reads the option at `words[at]`, after a colon, and advances `at`.
Result<int> take_option(const std::vector<std::string>& words, std::size_t& at) {
  const std::string option = words[at++];
  const bool attached = option.starts_with("-n") && option.size() > 2 && option != "-np";
  if (option != "-n" && option != "-np" && !attached)
    return fail(
        fmt::format("invalid option of a program after \":\": {} (expected -n N; all other options precede "
                    "the first program)",
                    option));
  if (!attached && at == words.size()) return fail(option + ": the number of ranks is missing");
  return whole_number("-n", attached ? option.substr(2) : words[at++], most_ranks);
}

}  // namespace

Result<std::vector<Program>> parse_programs(const std::vector<std::string>& words, std::optional<int> ranks) {
  std::vector<Program> programs;
  std::size_t at = 0;
  do {
    Program program;
    if (programs.empty()) program.ranks = ranks;
    while (!programs.empty() && at < words.size() && words[at].size() > 1 && words[at][0] == '-') {
      const auto given = take_option(words, at);
      if (!given) return tl::unexpected(given.error());
      program.ranks = *given;
    }
    if (at == words.size() || words[at] == ":")
      return fail(fmt::format("program {} of those with \":\" between them is missing", programs.size() + 1));
    program.name = words[at++];
    while (at < words.size() && words[at] != ":") program.arguments.push_back(words[at++]);
    programs.push_back(std::move(program));
  } while (at++ < words.size());
  const auto open =
      std::count_if(programs.begin(), programs.end(), [](const Program& p) { return !p.ranks; });
  if (open > 1)
    return fail(
        fmt::format("{} of the {} programs have no -n (expected one at most, which gets the remaining ranks)",
                    open, programs.size()));
  return programs;
}

int given_ranks(const std::vector<Program>& programs) {
  int given = 0;
  for (const Program& program : programs) given += program.ranks.value_or(0);
  return given;
}

std::optional<int> all_ranks(const std::vector<Program>& programs) {
  const auto has = [](const Program& program) { return program.ranks.has_value(); };
  if (!std::all_of(programs.begin(), programs.end(), has)) return std::nullopt;
  return given_ranks(programs);
}

Result<std::vector<int>> share_ranks(const std::vector<Program>& programs, int ranks) {
  const int given = given_ranks(programs);
  std::vector<int> shares;
  for (const Program& program : programs) {
    if (!program.ranks && given >= ranks)
      return fail(fmt::format("no rank is left for {}: the other programs have {} of {}", program.name, given,
                              ranks));
    shares.push_back(program.ranks.value_or(ranks - given));
  }
  return shares;
}

std::string words_of(const std::vector<Program>& programs) {
  std::string text;
  for (const Program& program : programs) {
    if (!text.empty()) text += program.ranks ? fmt::format(" : -n {} ", *program.ranks) : " : ";
    text += program.name;
    for (const std::string& word : program.arguments) text += ' ' + word;
  }
  return text;
}

std::string names_of(const std::vector<Program>& programs) {
  std::string text;
  for (const Program& program : programs) text += (text.empty() ? "" : " : ") + program.name;
  return text;
}

}  // namespace emu::app
