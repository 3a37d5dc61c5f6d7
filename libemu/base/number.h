// Numbers in user input: options, environment variables, files.
#pragma once

#include <charconv>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace emu {

// Reads all of `text` as a number of type T; nothing if it is not a number, or not within `least` and `most`.
// Blanks and plus signs are not accepted.
template <class T>
std::optional<T> read_number(std::string_view text, T least = std::numeric_limits<T>::lowest(),
                             T most = std::numeric_limits<T>::max()) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  if (!(value >= least && value <= most)) return {};  // NaN fails
  return value;
}

// An invalid number in an error message, in quotes if it is empty or has blanks.
inline std::string shown(std::string_view text) {
  const bool plain = !text.empty() && text.find_first_of(" \t\n") == text.npos;
  return plain ? std::string(text) : '"' + std::string(text) + '"';
}

}  // namespace emu
