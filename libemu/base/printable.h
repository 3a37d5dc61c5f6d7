// Text of a file, quoted in a message: no byte of it may command the terminal that shows it.
#pragma once

#include <string>

namespace emu {

// Control characters, ends of lines too, become "?".
inline std::string printable(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  return text;
}

}  // namespace emu
