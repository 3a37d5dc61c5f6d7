#include "schedule/schedule.h"

#include <unistd.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "../goal/goal_file.h"
#include "../goal/player.h"
#include "../goal/survey.h"
#include "base/units.h"

namespace emu::app::schedules {
namespace {

// The first word after blanks and comments.
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

Result<void> read_argument(const std::string& name, const std::string& text, Source& to) {
  if (name == "--unit") {
    const auto unit = parse_interval(text);
    if (!unit || *unit <= Interval())
      return fail("invalid --unit of the schedule: \"" + text +
                  "\" (expected a time above 0 with a unit, like 0.1ns, 1ns or 1us)");
    to.unit = *unit;
    return {};
  }
  const auto memory = parse_bytes(text);
  if (!memory || *memory <= 0)
    return fail("invalid --memory of the schedule: \"" + text +
                "\" (expected a size above 0, like 512MiB or 8GiB)");
  to.memory = *memory;
  return {};
}

// A quarter of this machine's memory.
std::int64_t usual_memory() {
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? std::int64_t{pages} * page / 4 : std::int64_t{1} << 30;
}

std::string in_words(const goal::Step& step) {
  if (step.kind == goal::Kind::compute) return "calc " + std::to_string(step.amount);
  const bool sends = step.kind == goal::Kind::send;
  return (sends ? "send " : "recv ") + std::to_string(step.amount) + (sends ? "b to " : "b from ") +
         std::to_string(step.peer) + " tag " + std::to_string(step.tag);
}

}  // namespace

bool is_schedule(const std::string& path) {
  if (path.ends_with(".goal")) return true;  // a schedule by name, whatever its contents
  const auto file = goal::File::open(path);
  return file && first_word(file->text()) == "num_ranks";
}

Result<Source> read_source(const std::string& path, const std::vector<std::string>& arguments) {
  Source source{path};
  source.memory = usual_memory();
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const bool joined = equals != std::string::npos;
    if ((name != "--unit" && name != "--memory") || (!joined && i + 1 == arguments.size()))
      return fail("invalid argument of the schedule " + path + ": \"" + word +
                  "\" (expected --unit TIME or --memory SIZE)");
    if (const auto read = read_argument(name, joined ? word.substr(equals + 1) : arguments[++i], source);
        !read)
      return tl::unexpected(read.error());
  }
  const auto file = goal::File::open(path);
  if (!file) return tl::unexpected(file.error());
  const auto ranks = goal::Reader(file->text(), path).ranks();
  if (!ranks) return tl::unexpected(ranks.error());
  source.ranks = *ranks;
  return source;
}

namespace {

// Reads the blocks of a file one after the other.
class Loader {
 public:
  Loader(const Source& source, std::shared_ptr<const goal::File> file)
      : source_(source), file_(std::move(file)), reader_(file_->text(), source.path) {}

  Result<Schedule> load() {
    const auto ranks = reader_.ranks();
    if (!ranks) return tl::unexpected(ranks.error());
    schedule_ = {source_.path, source_.unit.picoseconds(), {}};
    schedule_.parts.resize(static_cast<std::size_t>(*ranks));
    if (static_cast<std::int64_t>(file_->text().size()) > source_.memory) {
      // The file remains mapped as long as a part needs it.
      auto* const streamed =
          new goal::Streamed(file_->text(), source_.path, source_.memory, goal::File::forget);
      text_ = {streamed, [file = file_](goal::Streamed* text) { delete text; }};
      reader_.keep_at_most(source_.memory / bytes_while_reading);
    }
    for (;;) {
      const auto more = reader_.begin(block_);
      if (!more) return tl::unexpected(more.error());
      if (!*more) return std::move(schedule_);
      const auto read = text_ ? read_streamed() : read_whole();
      if (!read) return tl::unexpected(read.error());
    }
  }

 private:
  // for each operation, until its block is a goal::Part
  static constexpr std::int64_t bytes_while_reading = 64;

  goal::Part& part() { return schedule_.parts[static_cast<std::size_t>(block_.rank)]; }

  Result<void> read_whole() {
    if (const auto read = reader_.rest(block_); !read) return read;
    part() = goal::Part(block_);
    return check(part().longest());
  }
  Result<void> read_streamed() {
    goal::Survey survey;
    const auto streamed = surveyor_.survey(reader_, block_, *text_, survey);
    if (!streamed) return tl::unexpected(streamed.error());
    if (*streamed) {
      part() = goal::Part(std::make_shared<goal::StreamedBlock>(survey, text_));
      return check(survey.longest);
    }
    if (const auto read = read_whole(); !read) return read;
    if (text_->take(part().bytes())) return {};
    return fail(source_.path + ": up to rank " + std::to_string(block_.rank) +
                " its operations need more memory than " + format_bytes(source_.memory) +
                ", because labels are not numbered (l0, l1, l2, ...), or are needed far from the operations "
                "(expected a larger --memory)");
  }
  Result<void> check(std::int64_t longest) const {
    if (goal::fits_in_picoseconds(longest, schedule_.unit)) return {};
    return fail(source_.path + ": with this --unit a 'calc' of rank " + std::to_string(block_.rank) +
                " is longer than 53 days, all virtual time");
  }

  const Source& source_;
  const std::shared_ptr<const goal::File> file_;
  goal::Reader reader_;
  goal::Surveyor surveyor_;
  goal::Block block_;
  Schedule schedule_;
  std::shared_ptr<goal::Streamed> text_;  // null: all operations are in memory
};

}  // namespace

Result<Schedule> load(const Source& source) {
  auto file = goal::File::open(source.path);
  if (!file) return tl::unexpected(file.error());
  return Loader(source, std::make_shared<const goal::File>(std::move(*file))).load();
}

std::vector<std::string> describe(const std::string& path, const std::vector<Place>& places) {
  std::map<int, std::vector<std::pair<int, std::size_t>>>
      asked;  // by rank: operations, and their indices in the result
  for (std::size_t i = 0; i < places.size(); ++i) asked[places[i].rank].emplace_back(places[i].operation, i);
  std::vector<std::string> words(places.size());
  const auto file = goal::File::open(path);
  if (!file) return words;
  goal::Reader reader(file->text(), path);
  if (!reader.ranks()) return words;
  goal::Block block;
  for (auto more = reader.begin(block); more && *more; more = reader.begin(block)) {
    const auto wanted = asked.find(block.rank);
    for (auto portion = goal::Portion::more; portion == goal::Portion::more;) {
      const auto read = reader.portion(block, 4096);
      if (!read) return words;
      portion = *read;
      // Labels are not needed, except that after an irregular portion the whole block has to be read.
      if (portion == goal::Portion::irregular && !reader.rest(block)) return words;
      if (wanted == asked.end()) continue;
      for (const auto& [operation, place] : wanted->second) {
        if (operation < block.first || operation >= block.next()) continue;
        const goal::Step& step = block.steps[static_cast<std::size_t>(operation - block.first)];
        words[place] = path + ":" + std::to_string(step.line) + ": " + in_words(step);
      }
    }
  }
  return words;
}

}  // namespace emu::app::schedules
