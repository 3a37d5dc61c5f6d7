// Ranks in words, for messages.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace emu {

// "rank 3", "ranks 4-7", "ranks 1, 3"; `ranks` in ascending order.
inline std::string in_words(const std::vector<int>& ranks) {
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  if (ranks.size() > 2 && ranks.back() - ranks.front() + 1 == static_cast<int>(ranks.size()))
    return text + std::to_string(ranks.front()) + '-' + std::to_string(ranks.back());
  constexpr std::size_t most = 8;
  for (std::size_t i = 0; i < std::min(most, ranks.size()); ++i)
    text += (i ? ", " : "") + std::to_string(ranks[i]);
  return ranks.size() > most ? text + ", ..." : text;
}

}  // namespace emu
