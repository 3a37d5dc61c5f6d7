#include "skeleton/fold/loops.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <numeric>
#include <unordered_map>

#include "skeleton/fold/repeats.h"
#include "skeleton/recording/call.h"

namespace emu::skeleton {
namespace {

using Letters = std::vector<std::uint32_t>;

// Meaning of a letter of the present sequence: a symbol below `symbols`, or a loop from an earlier round.
struct Loop {
  Letters body;
  std::uint32_t times;  // of the first instance
};
// An instance of a loop in the sequence: the original position of its first symbol, and its count there.
struct Instance {
  std::uint32_t loop, at, times;
};

// The start of a word's least rotation (Booth's algorithm, in Duval's form).
std::uint32_t least_rotation(const std::uint32_t* word, std::uint32_t n) {
  std::uint32_t i = 0, j = 1, k = 0;
  while (i < n && j < n && k < n) {
    const std::uint32_t a = word[(i + k) % n], b = word[(j + k) % n];
    if (a == b) {
      ++k;
      continue;
    }
    (a > b ? i : j) += k + 1;
    if (i == j) ++j;
    k = 0;
  }
  return std::min(i, j);
}

class LoopFolding {
 public:
  LoopFolding(const Letters& sequence, std::uint32_t symbols, const LoopOptions& options)
      : letters_(sequence), places_(sequence.size()), symbols_(symbols), options_(options) {
    std::iota(places_.begin(), places_.end(), 0);
  }

  std::vector<LoopNode> fold() {
    while (round()) continue;
    if (!options_.counts_may_vary) return result();
    const Letters before_letters = letters_, before_places = places_;
    if (forget_counts() && round()) {
      while (round()) continue;
    } else {
      letters_ = before_letters;
      places_ = before_places;
      same_.clear();
    }
    return result();
  }

 private:
  std::uint32_t all_letters() const { return symbols_ + static_cast<std::uint32_t>(loops_.size()); }

  bool round() {
    // Letters are sorted by bytes: used letters get the least numbers.
    std::vector<std::uint32_t> number(all_letters(), ~0u);
    std::uint32_t used = 0;
    Letters dense;
    dense.reserve(letters_.size());
    for (const std::uint32_t letter : letters_) {
      if (number[letter] == ~0u) number[letter] = used++;
      dense.push_back(number[letter]);
    }
    const std::vector<Run> found = runs_of(dense, used);
    std::vector<bool> taken(letters_.size());
    std::vector<Run> runs;
    for (Run run : found) {
      if (!place(run, taken)) continue;
      std::fill(taken.begin() + run.begin, taken.begin() + run.end, true);
      runs.push_back(run);
    }
    if (runs.empty()) return false;
    std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) { return a.begin < b.begin; });
    replace(runs);
    return true;
  }

  // Chooses the start of repeats in a run: as in another run of the same word,
  // if there was one. Returns false if it overlaps a run that was chosen before.
  bool place(Run& run, const std::vector<bool>& taken) {
    for (std::uint32_t i = run.begin; i < run.end; ++i)
      if (taken[i]) return false;
    const std::uint32_t least = least_rotation(&letters_[run.begin], run.period);
    std::uint64_t word = run.period;
    for (std::uint32_t i = 0; i < run.period; ++i)
      word = mix(word, letters_[run.begin + (least + i) % run.period]);
    // Distance of the body's start from the start of the least rotation.
    const auto [known, first] = rotations_.emplace(word, (run.period - least) % run.period);
    const std::uint32_t shift = first ? 0 : (least + known->second) % run.period;
    if (run.begin + shift + 2 * run.period <= run.end) run.begin += shift;
    run.end -= (run.end - run.begin) % run.period;
    return true;
  }

  void replace(const std::vector<Run>& runs) {
    Letters letters, places;
    std::uint32_t at = 0;
    const auto copy = [&](std::uint32_t to) {
      for (; at < to; ++at) {
        letters.push_back(letters_[at]);
        places.push_back(places_[at]);
      }
    };
    for (const Run& run : runs) {
      copy(run.begin);
      const std::uint32_t times = (run.end - run.begin) / run.period;
      const std::uint32_t loop =
          loop_of(Letters(letters_.begin() + run.begin, letters_.begin() + run.begin + run.period), times);
      instances_.push_back({loop, places_[run.begin], times});
      letters.push_back(symbols_ + loop);
      places.push_back(places_[run.begin]);
      at = run.end;
    }
    copy(static_cast<std::uint32_t>(letters_.size()));
    letters_ = std::move(letters);
    places_ = std::move(places);
  }

  // The number of the loop with this body and about this count.
  std::uint32_t loop_of(Letters body, std::uint32_t times) {
    std::uint64_t hash = body.size();
    for (const std::uint32_t letter : body) hash = mix(hash, letter);
    auto& known = by_body_[hash];
    for (const std::uint32_t loop : known) {
      const auto other = loops_[loop].times;
      const double most = static_cast<double>(std::max(times, other));
      if (loops_[loop].body == body &&
          (loose_ || static_cast<double>(most - std::min(times, other)) <= options_.tolerance * most))
        return loop;
    }
    known.push_back(static_cast<std::uint32_t>(loops_.size()));
    loops_.push_back({std::move(body), times});
    return known.back();
  }

  // From now on loops with equal bodies are equal. Returns false if the sequence has none.
  bool forget_counts() {
    loose_ = true;
    same_.resize(loops_.size());
    std::map<Letters, std::uint32_t> first;
    bool changed = false;
    for (std::uint32_t loop = 0; loop < loops_.size(); ++loop) {
      Letters body = loops_[loop].body;
      for (std::uint32_t& letter : body)
        if (letter >= symbols_) letter = symbols_ + same_[letter - symbols_];
      same_[loop] = first.emplace(std::move(body), loop).first->second;
      changed = changed || same_[loop] != loop;
    }
    for (std::uint32_t& letter : letters_)
      if (letter >= symbols_) letter = symbols_ + same_[letter - symbols_];
    return changed;
  }

  std::uint32_t same(std::uint32_t loop) const { return loop < same_.size() ? same_[loop] : loop; }

  std::vector<LoopNode> result() {
    std::sort(instances_.begin(), instances_.end(),
              [](const Instance& a, const Instance& b) { return a.at < b.at; });
    std::vector<std::vector<const Instance*>> of_loop(loops_.size());
    for (Instance& instance : instances_) of_loop[same(instance.loop)].push_back(&instance);
    // Their positions in the tree are found by a walk through the sequence.
    next_.assign(loops_.size(), 0);
    std::vector<LoopNode> nodes;
    for (const std::uint32_t letter : letters_) nodes.push_back(node_of(letter));
    for (LoopNode& node : nodes) visit(node, of_loop);
    for (LoopNode& node : nodes) shorten(node);
    return nodes;
  }

  LoopNode node_of(std::uint32_t letter) const {
    LoopNode node;
    if (letter < symbols_) {
      node.symbol = letter;
      return node;
    }
    node.symbol = same(letter - symbols_);
    for (const std::uint32_t each : loops_[node.symbol].body) node.body.push_back(node_of(each));
    return node;
  }

  // A body is repeated as often as in its first instance, and so on: instances of a loop come in the order of their
  // positions, independently of the round in which they were made.
  void visit(LoopNode& node, const std::vector<std::vector<const Instance*>>& of_loop) {
    if (!node.is_loop()) return;
    const std::uint32_t times = of_loop[node.symbol][next_[node.symbol]++]->times;
    node.times.push_back(times);
    for (std::uint32_t i = 0; i < times; ++i)
      for (LoopNode& each : node.body) visit(each, of_loop);
  }

  static void shorten(LoopNode& node) {
    if (!node.times.empty() &&
        std::all_of(node.times.begin(), node.times.end(), [&](auto n) { return n == node.times.front(); }))
      node.times.resize(1);
    for (LoopNode& each : node.body) shorten(each);
  }

  Letters letters_, places_;
  const std::uint32_t symbols_;
  const LoopOptions options_;
  bool loose_ = false;
  std::vector<Loop> loops_;
  std::vector<Instance> instances_;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> by_body_;
  std::unordered_map<std::uint64_t, std::uint32_t> rotations_;
  std::vector<std::uint32_t> same_;
  std::vector<std::size_t> next_;
};

void number_symbols(const std::vector<LoopNode>& nodes,
                    std::unordered_map<std::uint32_t, std::size_t>& numbers) {
  for (const LoopNode& node : nodes)
    node.is_loop() ? number_symbols(node.body, numbers)
                   : static_cast<void>(numbers.emplace(node.symbol, numbers.size() + 1));
}

void write(const std::vector<LoopNode>& nodes, const std::unordered_map<std::uint32_t, std::size_t>& numbers,
           std::string& to) {
  for (const LoopNode& node : nodes) {
    if (!to.empty() && to.back() != '(') to += ' ';
    if (!node.is_loop()) {
      to += std::to_string(numbers.at(node.symbol));
      continue;
    }
    to += '(';
    write(node.body, numbers, to);
    double sum = 0;
    for (const std::uint32_t times : node.times) sum += times;
    char mean[32];
    std::snprintf(mean, sizeof mean, "%.6g", sum / static_cast<double>(node.times.size()));
    to += node.times.size() == 1 ? ")x" : ")x~";
    to += mean;
  }
}

}  // namespace

std::vector<LoopNode> fold(const std::vector<std::uint32_t>& sequence, std::uint32_t symbols,
                           const LoopOptions& options) {
  return LoopFolding(sequence, symbols, options).fold();
}

std::size_t symbols_in(const std::vector<LoopNode>& nodes) {
  std::size_t sum = 0;
  for (const LoopNode& node : nodes) sum += node.is_loop() ? symbols_in(node.body) : 1;
  return sum;
}

std::string text_of(const std::vector<LoopNode>& nodes) {
  std::unordered_map<std::uint32_t, std::size_t> numbers;
  number_symbols(nodes, numbers);
  std::string text;
  write(nodes, numbers, text);
  return text;
}

}  // namespace emu::skeleton
