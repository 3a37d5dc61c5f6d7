#include "reader.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

#include "base/number.h"
#include "base/printable.h"

namespace emu::goal {
namespace {

constexpr std::int64_t most_bytes = std::numeric_limits<int>::max();
constexpr std::int64_t most_ranks = 1 << 20;
constexpr int most_operations = std::numeric_limits<int>::max();  // of a rank
constexpr std::int64_t most_time = std::numeric_limits<std::int64_t>::max();

// Part of a word; between words; a word by itself; end of a line; perhaps the start of a comment.
enum class Letter : std::uint8_t { part, blank, alone, end, slash };

constexpr std::array<Letter, 256> letters = [] {
  std::array<Letter, 256> all{};
  for (const char c : {' ', '\t', '\r', '\v', '\f'}) all[static_cast<unsigned char>(c)] = Letter::blank;
  for (const char c : {':', '{', '}'}) all[static_cast<unsigned char>(c)] = Letter::alone;
  all['\n'] = Letter::end;
  all['/'] = Letter::slash;
  return all;
}();

std::optional<std::int64_t> number(std::string_view word, std::int64_t most) {
  return read_number<std::int64_t>(word, 0, most);
}

// Line of an operation that can never start, or 0.
int line_in_cycle(const Block& block) {
  // An operation that only depends on earlier ones is in no cycle.
  if (std::all_of(block.dependencies.begin(), block.dependencies.end(),
                  [](const Dependency& d) { return d.on < d.of; }))
    return 0;
  std::vector<std::vector<int>> dependents(block.steps.size());
  std::vector<std::size_t> missing(block.steps.size());
  for (const Dependency& d : block.dependencies) {
    dependents[static_cast<std::size_t>(d.on)].push_back(d.of);
    ++missing[static_cast<std::size_t>(d.of)];
  }
  std::vector<int> ready;
  for (std::size_t i = 0; i < missing.size(); ++i)
    if (missing[i] == 0) ready.push_back(static_cast<int>(i));
  while (!ready.empty()) {
    const auto done = static_cast<std::size_t>(ready.back());
    ready.pop_back();
    for (const int next : dependents[done])
      if (--missing[static_cast<std::size_t>(next)] == 0) ready.push_back(next);
  }
  for (std::size_t i = 0; i < missing.size(); ++i)
    if (missing[i] != 0) return block.steps[i].line;
  return 0;
}

}  // namespace

Reader::Reader(std::string_view text, std::string origin) : text_(text), origin_(std::move(origin)) {}

// In a file that is not text, a word may contain any bytes, and be as long as the file.
tl::unexpected<Failure> Reader::error_at(int line, const std::string& what) const {
  std::string plain = printable(what);
  for (char& c : plain)
    if (static_cast<unsigned char>(c) >= 0x80) c = '?';
  return fail(origin_ + ":" + std::to_string(std::max(line, 1)) + ": " + plain);
}

std::string Reader::quoted(std::string_view word) {
  constexpr std::size_t most = 60;
  const std::string begin(word.substr(0, most));
  return "'" + begin + (word.size() > most ? "...'" : "'");
}

std::string Reader::shown(std::size_t i) const {
  return i < words_ ? quoted(word_[i]) : "the end of the line";
}

// The place after a comment, or the end of the line. A comment is equivalent to a blank.
std::size_t Reader::skip_comment(std::size_t at) {
  const std::size_t line_end = std::min(text_.find('\n', at), text_.size());
  if (!at_.in_comment && text_[at + 1] == '/') return line_end;
  const std::size_t close = text_.substr(0, line_end).find("*/", at_.in_comment ? at : at + 2);
  at_.in_comment = close == std::string_view::npos;
  return at_.in_comment ? line_end : close + 2;
}

// Reads the next line that has words. False at the end.
bool Reader::read_line() {
  words_ = 0;
  const char* const text = text_.data();
  const auto letter = [&](std::size_t i) { return letters[static_cast<unsigned char>(text[i])]; };
  const auto begins_comment = [&](std::size_t i) {
    return letter(i) == Letter::slash && i + 1 < text_.size() && (text[i + 1] == '/' || text[i + 1] == '*');
  };
  const auto is_part = [&](std::size_t i) {
    return letter(i) == Letter::part || (letter(i) == Letter::slash && !begins_comment(i));
  };
  while (at_.place < text_.size()) {
    ++at_.line;
    std::size_t i = at_.in_comment ? skip_comment(at_.place) : at_.place;
    while (i < text_.size() && letter(i) != Letter::end) {
      const std::size_t begin = i;
      if (begins_comment(i)) {
        i = skip_comment(i);
        continue;
      }
      ++i;
      if (letter(begin) == Letter::blank) continue;
      if (letter(begin) != Letter::alone)
        while (i < text_.size() && is_part(i)) ++i;
      if (words_ < most_words) word_[words_++] = text_.substr(begin, i - begin);
    }
    at_.place = i + 1;
    if (words_ > 0) return true;
  }
  return false;
}

Result<int> Reader::ranks() {
  if (!read_line()) return error("no 'num_ranks N'; a schedule begins with it");
  const auto count = words_ == 2 && is(0, "num_ranks") ? number(word_[1], most_ranks) : std::nullopt;
  if (!count || *count == 0)
    return error("expected 'num_ranks N' first, with N from 1 to " + std::to_string(most_ranks));
  ranks_ = static_cast<int>(*count);
  seen_.resize(static_cast<std::size_t>(ranks_));
  return ranks_;
}

Result<bool> Reader::next(Block& block) {
  const auto begun = begin(block);
  if (!begun || !*begun) return begun;
  if (const auto read = rest(block); !read) return tl::unexpected(read.error());
  return true;
}

Result<bool> Reader::begin(Block& block) {
  if (!read_line()) return false;
  if (const auto begun = begin_block(block); !begun) return tl::unexpected(begun.error());
  begin_ = at_;
  begin_again(block, false);
  return true;
}

Result<void> Reader::rest(Block& block) {
  begin_again(block, false);
  for (;;) {
    while (static_cast<std::int64_t>(block.steps.size()) <= kept_ && scan(block)) {
    }
    if (static_cast<std::int64_t>(block.steps.size()) > kept_)
      return error(
          "rank " + std::to_string(block.rank) + " needs more than " + std::to_string(kept_) +
          " operations in memory, because in or shortly before line " + std::to_string(hindrance_) +
          " labels are not numbered (l0, l1, l2, ...), are used before they are defined, or are needed far "
          "from the operations (expected a larger --memory)");
    if (!read_line()) return error("rank " + std::to_string(block.rank) + " has no closing '}'");
    if (is(0, "}")) return end_block(block);
    if (const auto done = statement(block); !done) return done;
    if (irregular_) begin_again(block, true);
  }
}

Result<Portion> Reader::portion(Block& block, int most) {
  block.first = block.next();
  block.steps.clear();
  block.dependencies.clear();
  const auto full = static_cast<std::size_t>(most);
  while (block.steps.size() < full) {
    if (scan(block)) continue;
    if (!read_line()) return error("rank " + std::to_string(block.rank) + " has no closing '}'");
    const bool ends = is(0, "}");
    if (const auto done = ends ? end_block(block) : statement(block); !done)
      return tl::unexpected(done.error());
    if (ends) return Portion::last;
    if (irregular_ || !pending_.empty()) return Portion::irregular;
  }
  return Portion::more;
}

void Reader::go_to(const Cursor& cursor, Block& block) {
  begin_ = cursor.at;
  ranks_ = cursor.ranks;
  block.rank = cursor.rank;
  begin_again(block, false);
}

// Reads the block again from its start.
void Reader::begin_again(Block& block, bool table) {
  at_ = begin_;
  block.first = 0;
  block.steps.clear();
  block.dependencies.clear();
  pending_.clear();
  irregular_ = false;
  labels_.clear();
  if (table) labels_.use_table();
}

// Reads a statement of a common form (scanner.h). False: nothing was read.
[[gnu::hot]] bool Reader::scan(Block& block) {
  if (text_.size() - std::min(at_.place, text_.size()) < Scanner::longest || at_.in_comment ||
      !labels_.numbered() || labels_.prefix().size() > 16)
    return false;
  const std::string_view prefix = labels_.prefix();
  Scanner scanner(text_.data() + at_.place);
  std::int64_t label = 0;
  if (!scanner.label(prefix, label)) return false;
  if (scanner.skip(": ")) {
    Step step;
    step.line = at_.line + 1;
    if (block.next() == most_operations || !scan_step(scanner, step) ||
        !labels_.add_numbered(label, block.next()))
      return false;
    block.steps.push_back(step);
  } else {
    const bool complete = scanner.skip(" requires ");
    std::int64_t on = 0;
    if ((!complete && !scanner.skip(" irequires ")) || !scanner.label(prefix, on) || !scanner.skip("\n"))
      return false;
    const Dependency dependency{labels_.place_of(label), labels_.place_of(on), complete};
    if (dependency.of < 0 || dependency.on < 0) return false;
    block.dependencies.push_back(dependency);
  }
  at_.place = static_cast<std::size_t>(scanner.at() - text_.data());
  ++at_.line;
  return true;
}

bool Reader::scan_step(Scanner& scanner, Step& step) const {
  if (scanner.skip("calc ")) return scanner.number(most_time, step.amount) && scanner.skip("\n");
  const bool sends = scanner.skip("send ");
  if (!sends && !scanner.skip("recv ")) return false;
  step.kind = sends ? Kind::send : Kind::receive;
  if (!scanner.number(most_bytes, step.amount)) return false;
  if (sends ? !scanner.skip("b to ") : !scanner.skip("b from ")) return false;
  std::int64_t peer = 0, tag = 0;
  if (!scanner.number(ranks_ - 1, peer)) return false;
  if (scanner.skip(" tag ") && !scanner.number(most_bytes, tag)) return false;
  step.peer = static_cast<int>(peer);
  step.tag = static_cast<int>(tag);
  return scanner.skip("\n");
}

Result<void> Reader::statement(Block& block) {
  return is(1, "requires") || is(1, "irequires") ? dependency(block) : operation(block);
}

Result<void> Reader::begin_block(Block& block) {
  if (words_ != 3 || !is(0, "rank") || !is(2, "{")) return error("expected 'rank R {', not " + shown(0));
  const auto rank = number(word_[1], std::int64_t{ranks_} - 1);
  if (!rank) return error("rank " + shown(1) + " is not one of 0 to " + std::to_string(ranks_ - 1));
  const auto place = static_cast<std::size_t>(*rank);
  if (seen_[place]) return error("rank " + word(1) + " has a block already");
  seen_[place] = true;
  block.rank = static_cast<int>(*rank);
  return {};
}

Result<void> Reader::operation(Block& block) {
  std::size_t at = 0;
  std::string_view label;
  if (is(1, ":")) {
    label = word_[0];
    at = 2;
  }
  Step step;
  step.line = at_.line;
  if (is(at, "calc")) {
    const auto amount = at + 1 < words_ ? number(word_[at + 1], most_time) : std::nullopt;
    if (!amount) return error("expected 'calc D' with D a whole number of units, not " + shown(at + 1));
    step.amount = *amount;
    at += 2;
  } else if (is(at, "send") || is(at, "recv")) {
    if (Result<void> done = message(at, step); !done) return done;
  } else {
    return error("expected 'send', 'recv', 'calc', 'X requires Y' or '}', not " + shown(at));
  }
  if (at < words_) return error("unexpected " + shown(at) + " after the operation");
  if (block.next() == most_operations)
    return error("rank " + std::to_string(block.rank) + " has more than " + std::to_string(most_operations) +
                 " operations");
  const auto added = label.empty() ? Labels::Added::yes : labels_.add(label, block.next());
  if (added == Labels::Added::twice)
    return error("label " + quoted(label) + " is used twice in rank " + std::to_string(block.rank));
  irregular_ = added == Labels::Added::not_numbered;
  block.steps.push_back(step);
  return {};
}

// Parses "send Nb to R [tag T]" or "recv Nb from R [tag T]", and moves `at` after it.
Result<void> Reader::message(std::size_t& at, Step& step) {
  const bool sends = is(at, "send");
  step.kind = sends ? Kind::send : Kind::receive;
  const std::string_view size = at + 1 < words_ ? word_[at + 1] : "";
  const auto bytes = size.ends_with('b') ? number(size.substr(0, size.size() - 1), most_bytes) : std::nullopt;
  if (!bytes)
    return error("expected a size like '1024b' of at most " + std::to_string(most_bytes) + " bytes, not " +
                 shown(at + 1));
  step.amount = *bytes;
  const std::string_view direction = sends ? "to" : "from";
  if (!is(at + 2, direction))
    return error("expected '" + std::string(direction) + " R' after the size, not " + shown(at + 2));
  const auto last = std::int64_t{ranks_} - 1;
  const auto peer = at + 3 < words_ ? number(word_[at + 3], last) : std::nullopt;
  if (!peer) return error("peer " + shown(at + 3) + " is not one of 0 to " + std::to_string(last));
  step.peer = static_cast<int>(*peer);
  at += 4;
  if (!is(at, "tag")) return {};
  const auto tag = at + 1 < words_ ? number(word_[at + 1], most_bytes) : std::nullopt;
  if (!tag) return error("expected 'tag T' with T a whole number, not " + shown(at + 1));
  step.tag = static_cast<int>(*tag);
  at += 2;
  return {};
}

// Labels may be used before they are defined.
Result<void> Reader::dependency(Block& block) {
  if (words_ != 3) return error("expected 'X " + word(1) + " Y'");
  const bool complete = is(1, "requires");
  const int of = labels_.find(word_[0]), on = labels_.find(word_[2]);
  if (of < 0 || on < 0)
    pending_.push_back({at_.line, word_[0], word_[2], complete});
  else
    block.dependencies.push_back({of, on, complete});
  return {};
}

Result<void> Reader::end_block(Block& block) {
  if (words_ != 1) return error("unexpected " + shown(1) + " after '}'");
  for (const Pending& d : pending_) {
    const int of = labels_.find(d.of), on = labels_.find(d.on);
    if (of < 0 || on < 0)
      return error_at(d.line, "no operation of rank " + std::to_string(block.rank) + " has the label " +
                                  quoted(of < 0 ? d.of : d.on));
    block.dependencies.push_back({of, on, d.complete});
  }
  // A block that is read in portions depends on earlier operations only (survey.h).
  if (const int line = block.first > 0 ? 0 : line_in_cycle(block))
    return error_at(line, "this operation of rank " + std::to_string(block.rank) + " depends on itself");
  return {};
}

}  // namespace emu::goal
