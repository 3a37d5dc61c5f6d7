// One table of a target file while it is being read: typed values by key, and mistakes in them.
//
// Reading continues after a mistake: an invalid value is reported to Problems and a harmless one returned,
// so that the user gets all mistakes in one list.
#pragma once

#include <toml++/toml.h>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/failure.h"
#include "base/rate.h"
#include "base/time.h"
#include "base/units.h"

namespace emu::target {

using Keys = std::vector<std::string_view>;

// The mistakes found in one file, and the intervals of its values.
class Problems {
 public:
  // Half-widths by key, in seconds, seconds per byte, or relative for a number; of several occurrences of a key, the
  // greatest.
  std::map<std::string, double> uncertainties;

  // `top`: the keys of values outside of all tables.
  Problems(std::string origin, Keys top) : origin_(std::move(origin)), top_(std::move(top)) {}

  void add(const toml::node& where, const std::string& key, const std::string& what);
  bool none() const { return problems_.empty(); }
  std::size_t count() const { return problems_.size(); }
  // One line for each mistake, "file:line: key: what", in file order.
  Failure failure() const;
  const Keys& top() const { return top_; }

 private:
  struct Problem {
    std::uint32_t line;
    std::string text;
  };
  std::string origin_;
  Keys top_;
  std::vector<Problem> problems_;
};

class Table {
 public:
  // `path` is the table's own key ("network.send"; empty for the root of the file). Reports keys that are not in
  // `known`. Refers to `table` and `problems`, which must outlive the object.
  Table(const toml::table& table, std::string path, const Keys& known, Problems& problems);

  // Each function returns the value of `key`, or `otherwise` if the key is missing. A key without `otherwise` is
  // required.
  std::string text(std::string_view key, std::string_view example) const;
  std::string optional_text(std::string_view key, std::string_view example) const;  // empty if not there
  Interval interval(std::string_view key, std::optional<Interval> otherwise = {}) const;
  std::optional<Interval> required_interval(std::string_view key) const;  // nullopt if invalid
  // The interval in text `node`, at `key` or in the key's list.
  Interval interval_at(const toml::node& node, std::string_view key) const;
  Rate time_per_byte(std::string_view key, std::optional<Rate> otherwise = {}) const;
  std::optional<std::int64_t> size(std::string_view key) const;  // required; nullopt if invalid
  // A size in bytes or the word "unlimited", which is nullopt.
  std::optional<std::int64_t> size_or_unlimited(std::string_view key) const;
  // `spread`: the relative spread of a value such as "1.0 spread 3%".
  double positive(std::string_view key, double otherwise, double* spread = nullptr) const;
  double percentage(std::string_view key) const;  // "2%" as a fraction below 1; 0 if missing
  int count(std::string_view key, std::optional<int> otherwise = {}) const;  // 1 ... max_count
  // An instant, written as the time since the start.
  Instant instant(std::string_view key, std::optional<Instant> otherwise = {}) const;
  // 0, or a number from a billionth to 1000000; in billionths. Required.
  std::int64_t factor(std::string_view key, const std::string& example) const;
  std::int64_t whole(std::string_view key, std::int64_t otherwise) const;  // from 0
  bool truth(std::string_view key, bool otherwise) const;
  // One of `words`; the first is the default. Returns its index.
  int choice(std::string_view key, const Keys& words) const;
  std::optional<int> one_of(std::string_view key, const Keys& words) const;  // nullopt: reported a mistake

  // The table `key` with the keys `known`; nullopt if it is missing or not a table, which is reported if `required`.
  std::optional<Table> table(std::string_view key, const Keys& known, bool required = true) const;
  // The tables of [[key]], at least one if `required`.
  std::vector<Table> tables(std::string_view key, const Keys& known, bool required = true) const;

  static constexpr int max_count = 1'000'000;

  // Number of mistakes in the file so far.
  std::size_t mistakes() const { return problems_->count(); }
  // Line of the start of the table.
  std::uint32_t line() const { return table_->source().begin.line; }
  bool has(std::string_view key) const { return find(key) != nullptr; }
  const toml::node* find(std::string_view key) const { return table_->get(key); }
  // Reports a mistake at `key`, present or missing; for an empty key, in the table itself.
  void wrong(std::string_view key, const std::string& what) const;
  void wrong(const toml::node& node, std::string_view key, const std::string& what) const;
  void missing(std::string_view key, const std::string& example) const;

 private:
  std::string full(std::string_view key) const;
  // The text at `key`; reports a value of another type. Missing: reported by `missing`, if `required`.
  std::optional<std::string> string_at(std::string_view key, const std::string& example, bool required) const;

  // Keeps the half-width of the value at `key`, written as `half`; or reports its mistake.
  void note_interval(std::string_view key, std::string_view half, const Result<double>& width) const;
  // A number, also in quotes, where an interval may follow.
  std::optional<double> number(std::string_view key, double* spread = nullptr) const;

  // Nothing, with a reported mistake, if `text` at `key` is not a time or is more than `most`.
  std::optional<Interval> time(std::string_view key, const std::string& text, const MostTime& most) const;

  const toml::table* table_;
  std::string path_;
  Problems* problems_;
  std::vector<std::string> mistyped_;  // known keys for which an unknown key was probably meant
};

}  // namespace emu::target
