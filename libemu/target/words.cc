#include "target/words.h"

#include <algorithm>
#include <numeric>

namespace emu::target {
namespace {

// Levenshtein distance.
int distance(std::string_view a, std::string_view b) {
  std::vector<int> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    int diagonal = row[0];
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string in_quotes(std::string_view text) { return "\"" + std::string(text) + "\""; }

std::string listed(const std::vector<std::string_view>& words, const char* last) {
  std::string list;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) list += i + 1 == words.size() ? last : ", ";
    list += in_quotes(words[i]);
  }
  return list;
}

std::string_view nearest(std::string_view word, const std::vector<std::string_view>& known) {
  std::string_view best;
  int least = static_cast<int>(word.size()) / 3 + 1;
  for (std::string_view candidate : known) {
    const int d = distance(word, candidate);
    if (d <= least && (best.empty() || d < least)) {
      best = candidate;
      least = d;
    }
  }
  return best;
}

}  // namespace emu::target
