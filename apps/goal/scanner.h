// Statements in the form that generators write: words separated by one blank, numbered labels, no comment.
//
//   l12: send 8b to 1 tag 0
//   l12 requires l11
//
// The scanner reads such a statement in one pass, without a list of words. It leaves any other statement, and the end
// of the file, to Reader::read_line().
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace emu::goal {

class Scanner {
 public:
  // Greatest number of characters of a statement. At least as many must remain in the text.
  static constexpr std::size_t longest = 256;

  explicit Scanner(const char* at) : at_(at) {}
  const char* at() const { return at_; }

  template <std::size_t size>
  bool skip(const char (&word)[size]) {
    if (std::memcmp(at_, word, size - 1) != 0) return false;
    at_ += size - 1;
    return true;
  }
  bool skip(std::string_view word) {
    for (std::size_t i = 0; i < word.size(); ++i)
      if (at_[i] != word[i]) return false;
    at_ += word.size();
    return true;
  }
  // Digits up to 10^18; with more digits the next skip() fails.
  bool number(std::int64_t most, std::int64_t& value) {
    unsigned digit = digit_at(0);
    if (digit > 9) return false;
    std::int64_t sum = digit;
    std::size_t length = 1;
    for (; length < most_digits && (digit = digit_at(length)) <= 9; ++length) sum = 10 * sum + digit;
    at_ += length;
    value = sum;
    return sum <= most;
  }
  // A label: `prefix`, then a number without leading zeros.
  bool label(std::string_view prefix, std::int64_t& value) {
    if (!skip(prefix)) return false;
    const char* const begin = at_;
    return number(most_label, value) && (*begin != '0' || at_ == begin + 1);
  }

 private:
  static constexpr std::size_t most_digits = 18;
  static constexpr std::int64_t most_label = 999'999'999'999'999;

  unsigned digit_at(std::size_t i) const { return static_cast<unsigned char>(at_[i]) - unsigned{'0'}; }

  const char* at_;
};

}  // namespace emu::goal
