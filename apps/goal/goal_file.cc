#include "goal_file.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <unordered_map>

#include "base/number.h"
#include "base/printable.h"

namespace emu::goal {
namespace {

constexpr std::int64_t most_bytes = std::numeric_limits<int>::max();

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

// Words of a line; ':', '{' and '}' are words of their own.
std::vector<std::string_view> words_of(std::string_view line) {
  constexpr std::string_view blank = " \t\r\v\f";
  constexpr std::string_view blank_or_alone = " \t\r\v\f:{}";
  std::vector<std::string_view> words;
  std::size_t i = 0;
  while ((i = line.find_first_not_of(blank, i)) != std::string_view::npos) {
    const std::size_t end = std::max(i + 1, std::min(line.find_first_of(blank_or_alone, i), line.size()));
    words.push_back(line.substr(i, end - i));
    i = end;
  }
  return words;
}

std::optional<std::int64_t> number(std::string_view word, std::int64_t most) {
  return read_number<std::int64_t>(word, 0, most);
}

class Parser {
 public:
  explicit Parser(const std::string& origin) : origin_(origin) {}

  Result<Schedule> run(std::string_view text) {
    std::istringstream lines(without_comments(text));
    std::string line;
    while (std::getline(lines, line)) {
      ++line_;
      words_ = words_of(line);
      if (words_.empty()) continue;
      if (Result<void> done = statement(); !done) return tl::make_unexpected(done.error());
    }
    if (rank_ >= 0) return error("rank " + std::to_string(rank_) + " has no closing '}'");
    if (schedule_.ranks.empty()) return error("no 'num_ranks N'; a schedule begins with it");
    return std::move(schedule_);
  }

 private:
  struct Dependency {
    int line;
    std::string from, on;
    bool complete;  // requires; else irequires
  };

  tl::unexpected<Failure> error_at(int line, const std::string& what) const {
    return fail(origin_ + ":" + std::to_string(line) + ": " + printable(what));
  }
  tl::unexpected<Failure> error(const std::string& what) const { return error_at(line_, what); }

  std::string word(std::size_t i) const { return i < words_.size() ? std::string(words_[i]) : ""; }
  bool is(std::size_t i, std::string_view expected) const {
    return i < words_.size() && words_[i] == expected;
  }
  std::string shown(std::size_t i) const {
    return i < words_.size() ? std::string("'").append(words_[i]).append("'") : "the end of the line";
  }

  Result<void> statement() {
    if (schedule_.ranks.empty()) return num_ranks();
    if (rank_ < 0) return begin_rank();
    if (is(0, "}")) return end_rank();
    if (is(1, "requires") || is(1, "irequires")) return dependency();
    return operation();
  }

  Result<void> num_ranks() {
    const auto count =
        words_.size() == 2 && is(0, "num_ranks") ? number(words_[1], most_ranks) : std::nullopt;
    if (!count || *count == 0) {
      return error("expected 'num_ranks N' first, with N from 1 to " + std::to_string(most_ranks));
    }
    schedule_.ranks.resize(*count);
    seen_.resize(*count);
    return {};
  }

  Result<void> begin_rank() {
    if (words_.size() != 3 || !is(0, "rank") || !is(2, "{"))
      return error("expected 'rank R {', not " + shown(0));
    const auto rank = number(words_[1], static_cast<std::int64_t>(seen_.size()) - 1);
    if (!rank) return error("rank " + shown(1) + " is not one of 0 to " + std::to_string(seen_.size() - 1));
    if (seen_[*rank]) return error("rank " + word(1) + " has a block already");
    seen_[*rank] = true;
    rank_ = static_cast<int>(*rank);
    return {};
  }

  Result<void> operation() {
    std::size_t at = 0;
    std::string label;
    if (is(1, ":")) {
      label = word(0);
      at = 2;
    }
    Operation op;
    op.line = line_;
    if (is(at, "calc")) {
      const auto amount = at + 1 < words_.size() ? number(words_[at + 1], most_time) : std::nullopt;
      if (!amount) return error("expected 'calc D' with D a whole number of units, not " + shown(at + 1));
      op.amount = *amount;
      at += 2;
    } else if (is(at, "send") || is(at, "recv")) {
      if (Result<void> done = message(at, op); !done) return done;
    } else {
      return error("expected 'send', 'recv', 'calc', 'X requires Y' or '}', not " + shown(at));
    }
    if (at < words_.size()) return error("unexpected " + shown(at) + " after the operation");
    std::vector<Operation>& operations = schedule_.ranks[rank_];
    if (!label.empty() && !labels_.emplace(label, operations.size()).second) {
      return error("label '" + label + "' is used twice in rank " + std::to_string(rank_));
    }
    operations.push_back(std::move(op));
    return {};
  }

  // send Nb to R [tag T], recv Nb from R [tag T]; moves `at` behind it.
  Result<void> message(std::size_t& at, Operation& op) {
    const bool sends = is(at, "send");
    op.kind = sends ? Kind::send : Kind::receive;
    const std::string size = word(at + 1);
    const auto bytes = size.ends_with('b')
                           ? number(std::string_view(size).substr(0, size.size() - 1), most_bytes)
                           : std::nullopt;
    if (!bytes) {
      return error("expected a size like '1024b' of at most " + std::to_string(most_bytes) + " bytes, not " +
                   shown(at + 1));
    }
    op.amount = *bytes;
    const char* direction = sends ? "to" : "from";
    if (!is(at + 2, direction)) {
      return error("expected '" + std::string(direction) + " R' after the size, not " + shown(at + 2));
    }
    const auto last = static_cast<std::int64_t>(seen_.size()) - 1;
    const auto peer = at + 3 < words_.size() ? number(words_[at + 3], last) : std::nullopt;
    if (!peer) return error("peer " + shown(at + 3) + " is not one of 0 to " + std::to_string(last));
    op.peer = static_cast<int>(*peer);
    at += 4;
    if (!is(at, "tag")) return {};
    const auto tag = at + 1 < words_.size() ? number(words_[at + 1], most_bytes) : std::nullopt;
    if (!tag) return error("expected 'tag T' with T a whole number, not " + shown(at + 1));
    op.tag = static_cast<int>(*tag);
    at += 2;
    return {};
  }

  // Labels may be used before they are defined, so dependencies are resolved at the end of the block.
  Result<void> dependency() {
    if (words_.size() != 3) return error("expected 'X " + word(1) + " Y'");
    dependencies_.push_back({line_, word(0), word(2), is(1, "requires")});
    return {};
  }

  Result<void> end_rank() {
    if (words_.size() != 1) return error("unexpected " + shown(1) + " after '}'");
    std::vector<Operation>& operations = schedule_.ranks[rank_];
    for (const Dependency& d : dependencies_) {
      const auto from = labels_.find(d.from);
      const auto on = labels_.find(d.on);
      if (from == labels_.end() || on == labels_.end()) {
        return error_at(d.line, "no operation of rank " + std::to_string(rank_) + " has the label '" +
                                    (from == labels_.end() ? d.from : d.on) + "'");
      }
      Operation& op = operations[from->second];
      (d.complete ? op.requires_ : op.irequires).push_back(on->second);
    }
    if (const int line = line_in_cycle(operations)) {
      return error_at(line, "this operation of rank " + std::to_string(rank_) + " depends on itself");
    }
    labels_.clear();
    dependencies_.clear();
    rank_ = -1;
    return {};
  }

  // The line of an operation that can never start, or 0.
  static int line_in_cycle(const std::vector<Operation>& operations) {
    std::vector<std::vector<int>> dependents(operations.size());
    std::vector<std::size_t> missing(operations.size());
    std::vector<int> ready;
    for (std::size_t i = 0; i < operations.size(); ++i) {
      for (const auto* list : {&operations[i].requires_, &operations[i].irequires}) {
        for (int on : *list) dependents[on].push_back(static_cast<int>(i));
        missing[i] += list->size();
      }
      if (missing[i] == 0) ready.push_back(static_cast<int>(i));
    }
    while (!ready.empty()) {
      const int done = ready.back();
      ready.pop_back();
      for (int next : dependents[done]) {
        if (--missing[next] == 0) ready.push_back(next);
      }
    }
    for (std::size_t i = 0; i < operations.size(); ++i) {
      if (missing[i] != 0) return operations[i].line;
    }
    return 0;
  }

  static constexpr std::int64_t most_ranks = 1 << 20;
  static constexpr std::int64_t most_time = std::numeric_limits<std::int64_t>::max();

  const std::string& origin_;
  Schedule schedule_;
  std::vector<bool> seen_;  // ranks whose block has begun
  int line_ = 0;
  int rank_ = -1;  // the block we are in, -1 between blocks
  std::vector<std::string_view> words_;
  std::unordered_map<std::string, int> labels_;  // of this block: label -> index of the operation
  std::vector<Dependency> dependencies_;         // of this block
};

}  // namespace

Result<Schedule> parse(std::string_view text, const std::string& origin) { return Parser(origin).run(text); }

Result<Schedule> load(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  // An empty file sets the fail bit of `text`; the parser says what is wrong with it.
  if (!file || (file.peek() != EOF && !(text << file.rdbuf()))) return fail(path + ": cannot be read");
  return parse(text.str(), path);
}

}  // namespace emu::goal
