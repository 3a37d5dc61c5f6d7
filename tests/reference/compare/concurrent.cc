#include "reference/compare/concurrent.h"

#include <algorithm>

#include "reference/program/generate.h"
#include "reference/program/kinds.h"

namespace emu::reference {
namespace {

// The numbers of the received messages that have an intended receive, as far as their data contain the whole number.
std::vector<int> received(const std::vector<Outcome>& outcomes) {
  std::vector<int> numbers;
  for (const Outcome& outcome : outcomes)
    for (const Completion& c : outcome.completions)
      if (c.bytes >= 4 && c.identity >= 0 && !is_stray(c.tag)) numbers.push_back(c.identity);
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

std::string words(const std::vector<int>& numbers) {
  std::string text;
  for (const int number : numbers) text += " " + std::to_string(number);
  return text;
}

std::optional<Difference> compare(const Chain& chain, std::size_t thread, std::size_t rank, Log log) {
  for (std::size_t p = 0; p < chain.programs.size(); ++p) {
    const Program& program = chain.programs[p];
    const std::vector<Operation>& operations = program.ranks[rank];
    const std::vector<Outcome>& got = log[program.seed];
    const std::string place = "program " + std::to_string(program.seed) + ", thread " +
                              std::to_string(thread) + ", rank " + std::to_string(rank);
    if (got.size() < operations.size())
      return Difference{program.seed, place + " did not end operation " + std::to_string(got.size()) + ": " +
                                          describe(operations[got.size()]) + "\n"};
    const std::vector<int> expected = received(chain.expected[p][rank]), messages = received(got);
    if (expected == messages) continue;
    return Difference{program.seed, place + ", received messages\n  expected:" + words(expected) +
                                        "\n  got:     " + words(messages) + "\n"};
  }
  return std::nullopt;
}

}  // namespace

std::vector<Chain> simulate_concurrent(const Batch& batch, std::uint64_t first, std::uint64_t count) {
  const Program start = setup(batch.ranks);
  std::vector<Chain> threads(concurrent_threads, {.batch = batch, .first = first, .count = count});
  for (Chain& chain : threads) {
    chain.batch.cancels = true;
    chain.batch.cluster.outages.clear();
    chain.batch.cluster.network.poll_growth = 0;
  }
  const Cluster cluster = threads.front().batch.cluster;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    std::vector<Program> programs;
    std::vector<Simulator> simulators;
    bool ends = true;
    for (int thread = 0; thread < concurrent_threads && ends; ++thread) {
      programs.push_back(generate_concurrent(seed, batch, thread));
      simulators.emplace_back(cluster, batch.ranks);
      ends = simulators.back().run(in_a_row({start, programs.back()})) == Simulator::End::finished;
    }
    for (std::size_t thread = 0; thread < threads.size(); ++thread) {
      Chain& chain = threads[thread];
      if (!ends) {
        chain.skipped.push_back(seed);
        ++chain.deadlocks;
        continue;
      }
      const Outcomes parts = parts_of(simulators[thread].outcomes(), {start, programs[thread]});
      chain.programs.push_back(programs[thread]);
      chain.expected.push_back(parts.back());
      for (const Kind& kind : concurrent_kinds)
        chain.coverage.*kind.count += simulators[thread].coverage().*kind.count;
    }
  }
  return threads;
}

std::optional<Difference> compare_concurrent(const std::vector<Chain>& threads, const std::string& logs) {
  for (std::size_t thread = 0; thread < threads.size(); ++thread) {
    for (int rank = 0; rank < threads[thread].batch.ranks; ++rank) {
      const std::string file = logs + "." + std::to_string(thread) + "." + std::to_string(rank);
      const auto different = compare(threads[thread], thread, static_cast<std::size_t>(rank), read_log(file));
      if (different) return different;
    }
  }
  return std::nullopt;
}

}  // namespace emu::reference
