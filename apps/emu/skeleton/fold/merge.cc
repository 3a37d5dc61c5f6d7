#include "skeleton/fold/merge.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <unordered_map>

#include "skeleton/fold/align.h"
#include "skeleton/fold/align_loops.h"

namespace emu::skeleton {
namespace {

// A call without its sizes.
Call without_sizes(const Call& call) {
  Call bare = call;
  bare.bytes = 0;
  if (receives(call.function)) bare.source = none;
  if (call.function == Function::wait)
    bare.peer = bare.source = none;
  else
    bare.list.assign(call.list.size(), 0);
  return bare;
}

bool near(std::int64_t a, std::int64_t b, double tolerance) {
  return static_cast<double>(std::abs(a - b)) <= tolerance * static_cast<double>(std::max(a, b));
}

// Random lists differ more in their entries than in their sums, and time depends on the sums.
bool near(const Call& a, const Call& b, double tolerance) {
  if (!near(a.bytes, b.bytes, tolerance)) return false;
  if (a.function == Function::wait) return true;
  double difference = 0, sum = 0;
  for (std::size_t i = 0; i < a.list.size(); ++i) {
    difference += static_cast<double>(std::abs(a.list[i] - b.list[i]));
    sum += static_cast<double>(std::max(a.list[i], b.list[i]));
  }
  constexpr double more = 3;
  return difference <= more * tolerance * sum;
}

// For each of a rank's calls a number that is equal for calls that count as equal; not dense, and without relation to
// other ranks.
std::vector<std::uint64_t> classes_of(const RankTrace& trace, double tolerance) {
  std::vector<std::uint32_t> order(trace.calls.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return trace.calls[a].bytes < trace.calls[b].bytes; });
  std::unordered_map<Call, std::vector<std::uint32_t>, CallHash> representatives;
  std::vector<std::uint64_t> result(trace.calls.size());
  for (const std::uint32_t index : order) {
    auto& known = representatives[without_sizes(trace.calls[index])];
    constexpr std::size_t most = 64;  // to look through: by size the nearest are the last
    const std::size_t first = known.size() > most ? known.size() - most : 0;
    const auto same = std::find_if(
        known.begin() + static_cast<std::ptrdiff_t>(first), known.end(),
        [&](std::uint32_t other) { return near(trace.calls[index], trace.calls[other], tolerance); });
    result[index] = same == known.end() ? index : *same;
    if (same == known.end()) known.push_back(index);
  }
  return result;
}

// A call as a word: by function, tag and communicator; strongly also by the distance of its peer.
Word word_of(const Call& call, int rank) {
  Word word;
  word.weak = mix(mix(static_cast<std::uint64_t>(call.function), static_cast<std::uint64_t>(call.tag)),
                  mix(static_cast<std::uint64_t>(call.comm), static_cast<std::uint64_t>(call.source_tag)));
  if (call.function == Function::communicator) word.weak = mix(static_cast<std::uint64_t>(call.function), 0);
  if (has_peer(call.function))
    word.strong = static_cast<std::uint64_t>(call.peer < 0 ? call.peer : call.peer - rank + (1 << 24));
  return word;
}

// Ranks with equal words, in one common sequence.
struct LikeRanks {
  std::vector<Word> words;
  std::vector<std::pair<std::size_t, std::vector<std::uint32_t>>> members;  // rank, columns of its events
};

LikeRanks join(const LikeRanks& a, const LikeRanks& b) {
  const Aligned aligned = align(a.words, b.words);
  LikeRanks both;
  both.words.resize(aligned.size);
  for (std::size_t i = 0; i < b.words.size(); ++i) both.words[aligned.b[i]] = b.words[i];
  for (std::size_t i = 0; i < a.words.size(); ++i) both.words[aligned.a[i]] = a.words[i];
  for (const auto& [group, places] : {std::pair(&a, &aligned.a), std::pair(&b, &aligned.b)}) {
    for (const auto& [rank, columns] : group->members) {
      both.members.emplace_back(rank, std::vector<std::uint32_t>(columns.size()));
      for (std::size_t i = 0; i < columns.size(); ++i) both.members.back().second[i] = (*places)[columns[i]];
    }
  }
  return both;
}

std::vector<Word> words_of(const RankTrace& trace) {
  std::vector<Word> of_call;
  for (const Call& call : trace.calls) of_call.push_back(word_of(call, trace.rank));
  std::vector<Word> words;
  words.reserve(trace.size());
  for (const std::uint32_t call : trace.call) words.push_back(of_call[call]);
  return words;
}

// Groups of ranks with equal words; with equal weak words, one group.
std::vector<LikeRanks> groups_of(const std::vector<RankTrace>& ranks) {
  std::map<std::uint64_t, std::vector<std::size_t>> weak, strong;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    std::uint64_t weakly = ranks[rank].size(), strongly = 0;
    for (const Word& word : words_of(ranks[rank])) {
      weakly = mix(weakly, word.weak);
      strongly = mix(strongly, word.strong);
    }
    weak[weakly].push_back(rank);
    strong[mix(weakly, strongly)].push_back(rank);
  }
  std::vector<LikeRanks> groups;
  for (const auto& [hash, members] : weak.size() == 1 ? weak : strong) {
    LikeRanks group;
    group.words = words_of(ranks[members.front()]);
    for (const std::size_t rank : members) {
      group.members.emplace_back(rank, std::vector<std::uint32_t>(group.words.size()));
      std::iota(group.members.back().second.begin(), group.members.back().second.end(), 0);
    }
    groups.push_back(std::move(group));
  }
  // The groups with the most words come first, so that the others find places in them.
  std::sort(groups.begin(), groups.end(), [](const LikeRanks& a, const LikeRanks& b) {
    return std::pair(b.words.size(), a.members.front().first) <
           std::pair(a.words.size(), b.members.front().first);
  });
  return groups;
}

LikeRanks joined(std::vector<LikeRanks> groups) {
  constexpr std::size_t few = 16;
  while (groups.size() > few) {
    std::vector<LikeRanks> half;
    for (std::size_t i = 0; i + 1 < groups.size(); i += 2) half.push_back(join(groups[i], groups[i + 1]));
    if (groups.size() % 2 == 1) half.push_back(std::move(groups.back()));
    groups = std::move(half);
  }
  LikeRanks all = std::move(groups.front());
  for (std::size_t i = 1; i < groups.size(); ++i) all = join(all, groups[i]);
  return all;
}

// Assigns symbols to equal columns.
Columns named(const std::vector<RankTrace>& ranks, double tolerance, std::size_t count,
              std::vector<std::vector<std::uint32_t>> of_event) {
  Columns columns;
  columns.count = count;
  columns.of_event = std::move(of_event);
  std::vector<std::uint64_t> hash(columns.count);
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const auto classes = classes_of(ranks[rank], tolerance);
    for (std::size_t i = 0; i < ranks[rank].size(); ++i) {
      std::uint64_t& at = hash[columns.of_event[rank][i]];
      at = mix(at, mix(rank, classes[ranks[rank].call[i]]));
    }
  }
  std::unordered_map<std::uint64_t, std::uint32_t> numbers;
  columns.symbol.reserve(columns.count);
  for (const std::uint64_t each : hash)
    columns.symbol.push_back(numbers.emplace(each, static_cast<std::uint32_t>(numbers.size())).first->second);
  columns.symbols = static_cast<std::uint32_t>(numbers.size());
  return columns;
}

}  // namespace

Columns merge(const std::vector<RankTrace>& ranks, double tolerance) {
  const LikeRanks all = joined(groups_of(ranks));
  std::vector<std::vector<std::uint32_t>> of_event(ranks.size());
  for (const auto& [rank, places] : all.members) of_event[rank] = places;
  return named(ranks, tolerance, all.words.size(), std::move(of_event));
}

std::optional<Columns> merge_by_loops(const std::vector<RankTrace>& ranks, double tolerance) {
  const std::vector<LikeRanks> groups = groups_of(ranks);
  if (groups.size() < 2) return {};
  std::vector<std::vector<Word>> sequences;
  sequences.reserve(groups.size());
  for (const LikeRanks& group : groups) sequences.push_back(group.words);
  const auto braid = align_loops(sequences);
  if (!braid) return {};
  std::vector<std::vector<std::uint32_t>> of_event(ranks.size());
  for (std::size_t i = 0; i < groups.size(); ++i)
    for (const auto& [rank, places] : groups[i].members) of_event[rank] = braid->places[i];
  return named(ranks, tolerance, braid->size, std::move(of_event));
}

}  // namespace emu::skeleton
