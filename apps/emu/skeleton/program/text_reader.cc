#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/number.h"
#include "skeleton/program/text.h"
#include "skeleton/program/text_fields.h"

namespace emu::skeleton {
namespace {

std::vector<std::string_view> split(std::string_view text, char between) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(between, at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

// Unprintable characters are replaced in messages.
std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text.substr(0, 40)) result += c < 0x20 || c > 0x7e ? '?' : c;
  return result + "\"";
}

class Reader {
 public:
  Reader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  Result<Skeleton> read() {
    if (!next() || line_ != text_magic)
      return fail(file_ + ": not a skeleton (expected \"skeleton 1\" in the first line)");
    std::vector<Node> open(1);  // open loops
    bool head = true, complete = false;
    while (next()) {
      if (line_.empty() || line_.front() == '#') continue;
      if (complete)
        return wrong(
            "unexpected text after the end of the skeleton (expected one end for each loop, and a last one)");
      words_ = split(line_, ' ');
      const std::string_view word = words_.front();
      if (head && read_head(word)) {
        if (!error_.empty()) return fail(error_);
        continue;
      }
      if (skeleton_.ranks == 0)
        return wrong("a step before the number of ranks (expected the line ranks before the first step)");
      head = false;
      if (word == "loop") {
        open.push_back(loop());
        if (open.size() > 100) return wrong("loops are nested more than 100 deep");
      } else if (word == "end") {
        complete = open.size() == 1;
        if (complete) continue;
        if (open.back().body.empty()) return wrong("the loop that ends here is empty");
        Node done = std::move(open.back());
        open.pop_back();
        open.back().body.push_back(std::move(done));
      } else {
        Node node;
        ++steps_;
        if (static_cast<double>(steps_) * skeleton_.ranks > most_calls)
          return wrong("there are more than 4000000 steps of a rank in it");
        node.step = step(word);
        open.back().body.push_back(std::move(node));
      }
      if (!error_.empty()) return fail(error_);
    }
    if (open.size() > 1) return wrong("a loop has no end; was the file cut off?");
    if (skeleton_.ranks == 0) return wrong("the number of ranks is missing");
    skeleton_.nodes = std::move(open.front().body);
    if (skeleton_.nodes.empty()) return wrong("the skeleton has no steps");
    if (!complete) return wrong("the last line, end, is missing; was the file cut off?");
    return std::move(skeleton_);
  }

 private:
  bool next() {
    if (at_ >= text_.size()) return false;
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    line_ = text_.substr(at_, end - at_);
    line_.remove_prefix(std::min(line_.find_first_not_of(' '), line_.size()));
    at_ = end + 1;
    ++number_;
    return true;
  }

  tl::unexpected<Failure> wrong(const std::string& what) const {
    return fail(file_ + ":" + std::to_string(number_) + ": " + what);
  }
  void complain(const std::string& what) {
    if (error_.empty()) error_ = wrong(what).value().message;
  }

  double real(std::string_view text, double most) {
    const auto value = read_number<double>(text);
    if (!value || !(*value >= 0 && *value <= most))
      complain("invalid number: " + quoted(text) + " (expected 0 to " + number_text(most) + ")");
    return error_.empty() ? *value : 0;
  }

  // Returns true if the line is one of those before the steps.
  bool read_head(std::string_view key) {
    const std::string_view rest = line_.substr(std::min(key.size() + 1, line_.size()));
    if (key == "program") {
      skeleton_.program = rest;
    } else if (key == "target") {
      skeleton_.target = rest;
    } else if (key == "ranks") {
      const auto value = read_number<int>(rest);
      constexpr int most = 1 << 16;
      if (!value || *value < 1 || *value > most)
        complain("invalid number of ranks: " + quoted(rest) + " (expected 1 to 65536)");
      skeleton_.ranks = value.value_or(1);
    } else if (key == "seconds") {
      skeleton_.seconds = real(rest, 1e7);
    } else if (key == "work-per-second") {
      skeleton_.work_per_second = real(rest, 1e15);
    } else if (key == "events") {
      const auto value = read_number<std::uint64_t>(rest);
      if (!value) complain("invalid number of events: " + quoted(rest));
      skeleton_.events = value.value_or(0);
    } else {
      return false;
    }
    for (std::string* text : {&skeleton_.program, &skeleton_.target})
      for (char& c : *text)
        if (c < 0x20 || c == 0x7f) c = '?';
    return true;
  }

  Node loop() {
    Node node;
    std::string_view count = words_.size() == 2 ? words_[1] : std::string_view();
    if (count.starts_with('~')) {
      node.varies = true;
      count.remove_prefix(1);
    }
    node.times = real(count, 4e9);
    if (error_.empty() && !(node.times >= 1)) complain("a loop runs at least once");
    if (error_.empty() && !node.varies && node.times != std::floor(node.times))
      complain("a loop runs a whole number of times; ~ in front of it says that it is a mean");
    return node;
  }

  // A word for each rank, in the format of `over_ranks`.
  std::vector<std::string_view> over_all(std::string_view text) {
    const auto ranks = static_cast<std::size_t>(skeleton_.ranks);
    std::vector<std::string_view> result;
    const auto parts = split(text, ',');
    for (const std::string_view part : parts) {
      const std::size_t star = part.find('*');
      const auto n = star == part.npos ? (parts.size() == 1 ? ranks : 1)
                                       : read_number<std::size_t>(part.substr(star + 1)).value_or(0);
      if (n == 0 || n > ranks - std::min(ranks, result.size())) {
        complain(quoted(part) + ": there are " + std::to_string(ranks) +
                 " ranks, and as many values are needed");
        return {};
      }
      result.insert(result.end(), n, part.substr(0, star));
    }
    if (result.size() != ranks)
      complain("there are values for " + std::to_string(result.size()) + " ranks of " +
               std::to_string(ranks));
    return error_.empty() ? result : std::vector<std::string_view>(ranks);
  }

  Step step(std::string_view word) {
    Step step;
    const auto function = std::find(std::begin(function_names) + 1, std::end(function_names), word);
    if (function == std::end(function_names)) {
      complain("unknown step: " + quoted(word) +
               " (expected for example send, irecv, wait, allreduce, loop or end)");
      return step;
    }
    const auto ranks = static_cast<std::size_t>(skeleton_.ranks);
    step.calls.resize(ranks);
    step.work.resize(ranks);
    for (Call& call : step.calls)
      call.function = static_cast<Function>(function - std::begin(function_names));
    for (std::size_t i = 1; i < words_.size() && error_.empty(); ++i) read_part(words_[i], step);
    bool anyone = false;
    for (Call& call : step.calls) {
      if (call.function == Function::nothing) call = {};
      anyone = anyone || call.function != Function::nothing;
    }
    if (error_.empty() && !anyone) complain("no rank takes part in this step");
    return step;
  }

  void read_part(std::string_view word, Step& step) {
    const std::size_t equals = std::min(word.find('='), word.size());
    const std::string_view key = word.substr(0, equals),
                           value = word.substr(std::min(equals + 1, word.size()));
    if (key == "classes")
      read_classes(value, step.variation);
    else if (key == "together")
      step.variation.together = real(value, 1);
    else if (key == "inside")
      step.inside = real(value, 1e7);
    else if (key == "times")
      step.times = static_cast<std::uint64_t>(real(value, 1e18));
    else if (key == "ranks" || key == "work" || key == "list")
      read_for_ranks(key, over_all(value), step);
    else
      read_field(key, value, step);
  }

  void read_classes(std::string_view text, Variation& variation) {
    const auto parts = split(text, '/');
    if (parts.size() != class_ends.size())
      return complain("classes has " + std::to_string(parts.size()) + " values; " +
                      std::to_string(class_ends.size()) + " are needed");
    for (const std::string_view part : parts) variation.classes.push_back(real(part, 1e7));
  }

  void read_for_ranks(std::string_view key, const std::vector<std::string_view>& values, Step& step) {
    for (std::size_t rank = 0; rank < values.size() && error_.empty(); ++rank) {
      Call& call = step.calls[rank];
      if (key == "work") step.work[rank] = real(values[rank], 1e7);
      if (key == "ranks" && values[rank] == "0") call.function = Function::nothing;
      if (key == "list" && values[rank] != "-") read_list(values[rank], call);
    }
  }

  void read_list(std::string_view text, Call& call) {
    for (const std::string_view part : split(text, '/')) {
      const std::size_t cross = part.find('x');
      const auto value = read_number<std::int64_t>(part.substr(0, cross));
      const auto n = cross == part.npos ? 1 : read_number<std::size_t>(part.substr(cross + 1)).value_or(0);
      constexpr std::size_t most = 1 << 18;
      constexpr std::size_t most_of_all = 1 << 24;
      if (!value || *value < 0 || *value > most_bytes || n == 0 || n > most - call.list.size() ||
          n > most_of_all - list_numbers_)
        return complain("invalid part of a list: " + quoted(part));
      list_numbers_ += n;
      call.list.insert(call.list.end(), n, *value);
    }
  }

  void read_field(std::string_view key, std::string_view text, Step& step) {
    const auto field =
        std::find_if(std::begin(fields), std::end(fields), [&](const Field& f) { return f.name == key; });
    if (field == std::end(fields)) return complain("unknown part of a step: " + quoted(key));
    const auto values = over_all(text);
    for (std::size_t rank = 0; rank < values.size() && error_.empty(); ++rank) {
      std::string_view digits = values[rank];
      const bool relative = digits.starts_with('r') && (key == "peer" || key == "source");
      if (relative) digits.remove_prefix(digits.starts_with("r+") ? 2 : 1);
      const auto value = read_number<std::int64_t>(digits);
      const std::int64_t base = relative ? static_cast<std::int64_t>(rank) : 0;
      const std::int64_t most = key == "peer" || key == "source" ? skeleton_.ranks - 1 : field->most;
      if (!value || *value > most_bytes || *value < -most_bytes || base + *value > most ||
          base + *value < (relative ? 0 : field->least))
        return complain(std::string(key) + "=" + quoted(values[rank]) + " cannot be");
      field->set(step.calls[rank], base + *value);
    }
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
  int number_ = 0;
  std::string_view line_;
  std::vector<std::string_view> words_;
  std::string error_;
  std::size_t steps_ = 0, list_numbers_ = 0;
  Skeleton skeleton_{.ranks = 0};
};

}  // namespace

Result<Skeleton> parse_text(std::string_view text, const std::string& file) {
  return Reader(text, file).read();
}

}  // namespace emu::skeleton
