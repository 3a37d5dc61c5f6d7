// Text of a file, quoted in a message: its bytes must not control the terminal.
#pragma once

#include <string>

namespace emu {

// Replaces control characters, including line ends, by "?".
inline std::string printable(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  return text;
}

}  // namespace emu
