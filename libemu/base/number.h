// Numbers in words that people write: options, environment variables, files.
#pragma once

#include <charconv>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace emu {

// `text` as a number of type T, which is to be all of it; nothing if it is none, or not from `least` to `most`.
// Neither a blank nor a plus sign belongs to a number.
template <class T>
std::optional<T> read_number(std::string_view text, T least = std::numeric_limits<T>::lowest(),
                             T most = std::numeric_limits<T>::max()) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  if (!(value >= least && value <= most)) return {};  // NaN is not
  return value;
}

// `text`, which is not the number that it should be, in a message. In quotes if they are needed to see it.
inline std::string shown(std::string_view text) {
  const bool plain = !text.empty() && text.find_first_of(" \t\n") == text.npos;
  return plain ? std::string(text) : '"' + std::string(text) + '"';
}

}  // namespace emu
