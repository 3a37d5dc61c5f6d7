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
constexpr std::int64_t most_time = std::numeric_limits<std::int64_t>::max();

// Replaces comments by blanks, so that lines keep their numbers.
std::string without_comments(std::string_view text) {
  std::string out(text);
  for (std::size_t i = 0; i + 1 < out.size(); ++i) {
    if (out[i] != '/') continue;
    std::size_t end;
    if (out[i + 1] == '/') {
      end = std::min(out.find('\n', i), out.size());
    } else if (out[i + 1] == '*') {
      const std::size_t close = out.find("*/", i + 2);
      end = close == std::string::npos ? out.size() : close + 2;
    } else {
      continue;
    }
    for (; i < end; ++i) {
      if (out[i] != '\n') out[i] = ' ';
    }
    --i;  // the loop moves on by one
  }
  return out;
}

enum class Letter : std::uint8_t {
  part,
  blank,
  alone,
  end
};  // of a word; between words; a word by itself; of a line

constexpr std::array<Letter, 256> letters = [] {
  std::array<Letter, 256> all{};
  for (const char c : {' ', '\t', '\r', '\v', '\f'}) all[static_cast<unsigned char>(c)] = Letter::blank;
  for (const char c : {':', '{', '}'}) all[static_cast<unsigned char>(c)] = Letter::alone;
  all['\n'] = Letter::end;
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

Reader::Reader(std::string_view text, std::string origin) : text_(text), origin_(std::move(origin)) {
  if (text.find('/') == std::string_view::npos) return;
  without_comments_ = without_comments(text);
  text_ = without_comments_;
}

tl::unexpected<Failure> Reader::error_at(int line, const std::string& what) const {
  return fail(origin_ + ":" + std::to_string(line) + ": " + printable(what));
}

std::string Reader::shown(std::size_t i) const {
  return i < words_ ? std::string("'").append(word_[i]).append("'") : "the end of the line";
}

// Reads the next line that has words. False: there is none.
bool Reader::read_line() {
  words_ = 0;
  const char* const text = text_.data();
  while (at_ < text_.size()) {
    ++line_;
    std::size_t i = at_;
    for (; i < text_.size(); ++i) {
      const Letter letter = letters[static_cast<unsigned char>(text[i])];
      if (letter == Letter::end) break;
      if (letter == Letter::blank) continue;
      const std::size_t begin = i;
      if (letter == Letter::part)
        while (i + 1 < text_.size() && letters[static_cast<unsigned char>(text[i + 1])] == Letter::part) ++i;
      if (words_ < most_words) word_[words_++] = text_.substr(begin, i + 1 - begin);
    }
    at_ = i + 1;
    if (words_ > 0) return true;
  }
  return false;
}

Result<int> Reader::ranks() {
  if (!read_line()) return error("no 'num_ranks N'; a schedule begins with it");
  const auto count = words_ == 2 && is(0, "num_ranks") ? number(word_[1], most_ranks) : std::nullopt;
  if (!count || *count == 0)
    return error("expected 'num_ranks N' first, with N from 1 to " + std::to_string(most_ranks));
  seen_.resize(static_cast<std::size_t>(*count));
  return static_cast<int>(*count);
}

Result<bool> Reader::next(Block& block) {
  block.steps.clear();
  block.dependencies.clear();
  if (!read_line()) return false;
  if (const auto begun = begin_block(block); !begun) return tl::unexpected(begun.error());
  while (read_line()) {
    const bool ends = is(0, "}");
    const auto done = ends                                      ? end_block(block)
                      : is(1, "requires") || is(1, "irequires") ? dependency(block)
                                                                : operation(block);
    if (!done) return tl::unexpected(done.error());
    if (ends) return true;
  }
  return error("rank " + std::to_string(block.rank) + " has no closing '}'");
}

Result<void> Reader::begin_block(Block& block) {
  if (words_ != 3 || !is(0, "rank") || !is(2, "{")) return error("expected 'rank R {', not " + shown(0));
  const auto rank = number(word_[1], static_cast<std::int64_t>(seen_.size()) - 1);
  if (!rank) return error("rank " + shown(1) + " is not one of 0 to " + std::to_string(seen_.size() - 1));
  const auto place = static_cast<std::size_t>(*rank);
  if (seen_[place]) return error("rank " + word(1) + " has a block already");
  seen_[place] = true;
  block.rank = static_cast<int>(*rank);
  labels_.clear();
  pending_.clear();
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
  step.line = line_;
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
  if (!label.empty() && !labels_.add(label, static_cast<int>(block.steps.size())))
    return error("label '" + std::string(label) + "' is used twice in rank " + std::to_string(block.rank));
  block.steps.push_back(step);
  return {};
}

// Parses "send Nb to R [tag T]" or "recv Nb from R [tag T]", and moves `at` behind it.
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
  const auto last = static_cast<std::int64_t>(seen_.size()) - 1;
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
    pending_.push_back({line_, word_[0], word_[2], complete});
  else
    block.dependencies.push_back({of, on, complete});
  return {};
}

Result<void> Reader::end_block(Block& block) {
  if (words_ != 1) return error("unexpected " + shown(1) + " after '}'");
  for (const Pending& d : pending_) {
    const int of = labels_.find(d.of), on = labels_.find(d.on);
    if (of < 0 || on < 0)
      return error_at(d.line, "no operation of rank " + std::to_string(block.rank) + " has the label '" +
                                  std::string(of < 0 ? d.of : d.on) + "'");
    block.dependencies.push_back({of, on, d.complete});
  }
  if (const int line = line_in_cycle(block))
    return error_at(line, "this operation of rank " + std::to_string(block.rank) + " depends on itself");
  return {};
}

}  // namespace emu::goal
