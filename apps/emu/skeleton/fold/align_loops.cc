#include "skeleton/fold/align_loops.h"

#include <algorithm>
#include <map>
#include <utility>

#include "skeleton/fold/loops.h"

namespace emu::skeleton {
namespace {

// A word, and the sequences that have it here; or a loop.
struct Strand {
  Word word;
  std::vector<std::size_t> of;
  std::vector<Strand> body;
  std::uint32_t times = 1;

  bool is_loop() const { return !body.empty(); }
};
using Strands = std::vector<Strand>;

Strands strands_of(const std::vector<LoopNode>& nodes, const std::vector<Word>& words, std::size_t sequence) {
  Strands strands;
  for (const LoopNode& node : nodes) {
    if (node.is_loop())
      strands.push_back({{}, {}, strands_of(node.body, words, sequence), node.times.front()});
    else
      strands.push_back({words[node.symbol], {sequence}, {}, 1});
  }
  return strands;
}

Strands folded_strands(const std::vector<Word>& sequence, std::size_t number) {
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t> numbers;
  std::vector<Word> words;
  std::vector<std::uint32_t> symbols;
  symbols.reserve(sequence.size());
  for (const Word& word : sequence) {
    const auto [known, first] =
        numbers.emplace(std::pair(word.weak, word.strong), static_cast<std::uint32_t>(words.size()));
    if (first) words.push_back(word);
    symbols.push_back(known->second);
  }
  return strands_of(fold(symbols, static_cast<std::uint32_t>(words.size()), {0, false}), words, number);
}

// Joins two braids: the longest common subsequence of each body, weighted.
class Joining {
 public:
  // Nothing if the search would be too long.
  std::optional<Strands> join(const Strands& a, const Strands& b) {
    auto result = joined(a, b).first;
    if (left_ == 0) return {};
    return result;
  }

 private:
  std::pair<Strands, double> joined(const Strands& a, const Strands& b) {
    const std::size_t n = a.size(), m = b.size();
    if ((n + 1) * (m + 1) > left_) {
      left_ = 0;
      return {};
    }
    left_ -= (n + 1) * (m + 1);
    std::map<std::pair<std::size_t, std::size_t>, std::pair<Strands, double>> bodies;
    std::vector<double> best((n + 1) * (m + 1));  // from there to the end
    const auto at = [m](std::size_t i, std::size_t j) { return i * (m + 1) + j; };
    const auto of_two = [&](std::size_t i, std::size_t j) {
      if (a[i].is_loop() != b[j].is_loop() || a[i].times != b[j].times) return 0.0;
      if (!a[i].is_loop()) return of_words(a[i].word, b[j].word);
      const auto known = bodies.find({i, j});
      if (known != bodies.end()) return 1 + known->second.second;
      return 1 + bodies.emplace(std::pair(i, j), joined(a[i].body, b[j].body)).first->second.second;
    };
    for (std::size_t i = n; i-- > 0;)
      for (std::size_t j = m; j-- > 0 && left_ > 0;) {
        const double together = of_two(i, j);
        best[at(i, j)] = std::max(
            {best[at(i + 1, j)], best[at(i, j + 1)], together > 0 ? together + best[at(i + 1, j + 1)] : 0});
      }
    Strands result;
    std::size_t i = 0, j = 0;
    while (left_ > 0 && i < n && j < m) {
      const double together = of_two(i, j);
      if (together > 0 && best[at(i, j)] == together + best[at(i + 1, j + 1)]) {
        Strand both = a[i];
        both.of.insert(both.of.end(), b[j].of.begin(), b[j].of.end());
        if (both.is_loop()) both.body = std::move(bodies.at({i, j}).first);
        result.push_back(std::move(both));
        ++i, ++j;
      } else if (best[at(i, j)] == best[at(i + 1, j)]) {
        result.push_back(a[i++]);
      } else {
        result.push_back(b[j++]);
      }
    }
    result.insert(result.end(), a.begin() + static_cast<std::ptrdiff_t>(i), a.end());
    result.insert(result.end(), b.begin() + static_cast<std::ptrdiff_t>(j), b.end());
    return {std::move(result), best[0]};
  }

  static double of_words(const Word& a, const Word& b) {
    if (a.weak != b.weak) return 0;
    return a.strong == b.strong ? 2 : 1;
  }

  std::size_t left_ = 20'000'000;  // greatest number of pairs to be compared
};

void place(const Strands& strands, Braid& braid) {
  for (const Strand& strand : strands) {
    for (std::uint32_t time = 0; time < strand.times && strand.is_loop(); ++time) place(strand.body, braid);
    if (strand.is_loop()) continue;
    for (const std::size_t sequence : strand.of)
      braid.places[sequence].push_back(static_cast<std::uint32_t>(braid.size));
    ++braid.size;
  }
}

}  // namespace

std::optional<Braid> align_loops(const std::vector<std::vector<Word>>& sequences) {
  Strands all = folded_strands(sequences.front(), 0);
  for (std::size_t i = 1; i < sequences.size(); ++i) {
    auto both = Joining().join(all, folded_strands(sequences[i], i));
    if (!both) return {};
    all = std::move(*both);
  }
  Braid braid;
  braid.places.resize(sequences.size());
  place(all, braid);
  return braid;
}

}  // namespace emu::skeleton
