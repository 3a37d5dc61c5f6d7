#include "schedule/schedule.h"

#include <algorithm>
#include <map>
#include <utility>

#include "../goal/goal_file.h"
#include "../goal/player.h"
#include "base/units.h"

namespace emu::app::schedules {
namespace {

// The first word behind blanks and comments.
std::string_view first_word(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\v\f\n";
  for (;;) {
    text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
    std::size_t end = 0;
    if (text.starts_with("//"))
      end = text.find('\n');
    else if (text.starts_with("/*"))
      end = text.find("*/", 2);
    else
      return text.substr(0, text.find_first_of(blanks));
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + (text.starts_with("/*") ? 2 : 1));
  }
}

Result<Interval> read_unit(const std::string& text) {
  const auto unit = parse_interval(text);
  if (!unit || *unit <= Interval())
    return fail("invalid --unit of the schedule: \"" + text +
                "\" (expected a time above 0 with a unit, like 0.1ns, 1ns or 1us)");
  return *unit;
}

std::string in_words(const goal::Step& step) {
  if (step.kind == goal::Kind::compute) return "calc " + std::to_string(step.amount);
  const bool sends = step.kind == goal::Kind::send;
  return (sends ? "send " : "recv ") + std::to_string(step.amount) + (sends ? "b to " : "b from ") +
         std::to_string(step.peer) + " tag " + std::to_string(step.tag);
}

}  // namespace

bool is_schedule(const std::string& path) {
  if (path.ends_with(".goal")) return true;  // its name says so, whatever is in it
  const auto file = goal::File::open(path);
  return file && first_word(file->text()) == "num_ranks";
}

Result<Source> read_source(const std::string& path, const std::vector<std::string>& arguments) {
  Source source{path};
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    const bool joined = word.starts_with("--unit=");
    if (!joined && (word != "--unit" || i + 1 == arguments.size()))
      return fail("invalid argument of the schedule " + path + ": \"" + word + "\" (expected --unit TIME)");
    const auto unit = read_unit(joined ? word.substr(7) : arguments[++i]);
    if (!unit) return tl::unexpected(unit.error());
    source.unit = *unit;
  }
  const auto file = goal::File::open(path);
  if (!file) return tl::unexpected(file.error());
  // A reader removes the comments of all that it is given.
  const std::string_view text = file->text();
  const auto ranks = goal::Reader(text.substr(0, std::min<std::size_t>(text.size(), 1 << 16)), path).ranks();
  if (!ranks) return tl::unexpected(ranks.error());
  source.ranks = *ranks;
  return source;
}

Result<Schedule> load(const Source& source) {
  const auto file = goal::File::open(source.path);
  if (!file) return tl::unexpected(file.error());
  goal::Reader reader(file->text(), source.path);
  const auto ranks = reader.ranks();
  if (!ranks) return tl::unexpected(ranks.error());
  Schedule schedule{source.path, source.unit.picoseconds(), {}};
  schedule.parts.resize(static_cast<std::size_t>(*ranks));
  goal::Block block;
  for (;;) {
    const auto more = reader.next(block);
    if (!more) return tl::unexpected(more.error());
    if (!*more) return schedule;
    goal::Part part(block);
    if (!goal::fits_in_picoseconds(part.longest(), schedule.unit))
      return fail(source.path + ": with this --unit a 'calc' of rank " + std::to_string(block.rank) +
                  " is longer than 53 days, all virtual time");
    schedule.parts[static_cast<std::size_t>(block.rank)] = std::move(part);
  }
}

std::vector<std::string> describe(const std::string& path, const std::vector<Place>& places) {
  std::map<int, std::vector<std::pair<int, std::size_t>>>
      asked;  // by rank: operations, and their places in the answer
  for (std::size_t i = 0; i < places.size(); ++i) asked[places[i].rank].emplace_back(places[i].operation, i);
  std::vector<std::string> words(places.size());
  const auto file = goal::File::open(path);
  if (!file) return words;
  goal::Reader reader(file->text(), path);
  if (!reader.ranks()) return words;
  goal::Block block;
  for (auto more = reader.next(block); more && *more; more = reader.next(block)) {
    const auto wanted = asked.find(block.rank);
    if (wanted == asked.end()) continue;
    for (const auto& [operation, place] : wanted->second) {
      if (operation < 0 || operation >= static_cast<int>(block.steps.size())) continue;
      const goal::Step& step = block.steps[static_cast<std::size_t>(operation)];
      words[place] = path + ":" + std::to_string(step.line) + ": " + in_words(step);
    }
  }
  return words;
}

}  // namespace emu::app::schedules
