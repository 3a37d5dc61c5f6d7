// Numbers as letters, which is what long rows of the page are made of: page/view.js reads them.
#pragma once

#include <algorithm>

namespace emu::app {

inline constexpr int most_of_letter = 61;

// A number from 0 to 61; greater ones are 61.
inline char letter_of(int n) {
  constexpr const char* letters = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  return letters[std::clamp(n, 0, most_of_letter)];
}

// A share. Only nothing at all is '0'.
inline char letter(double share) {
  const int n = static_cast<int>(std::clamp(share, 0.0, 1.0) * most_of_letter + 0.5);
  return letter_of(share > 0 ? std::max(n, 1) : 0);
}

}  // namespace emu::app
