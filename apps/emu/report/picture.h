// Numbers as letters: the form of long rows of numbers in the page, which page/view.js reads.
#pragma once

#include <algorithm>

namespace emu::app {

inline constexpr int most_of_letter = 61;

// A number from 0 to 61; greater ones become 61.
inline char letter_of(int n) {
  constexpr const char* letters = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  return letters[std::clamp(n, 0, most_of_letter)];
}

// A fraction. Only exactly 0 is '0'.
inline char letter(double share) {
  const int n = static_cast<int>(std::clamp(share, 0.0, 1.0) * most_of_letter + 0.5);
  return letter_of(share > 0 ? std::max(n, 1) : 0);
}

}  // namespace emu::app
