#include "reference/compare/chain.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "reference/program/generate.h"

namespace emu::reference {
namespace {

// Index of the first operation with an unexpected result; the number of operations if none.
std::size_t first_difference(const std::vector<Outcome>& expected, const std::vector<Outcome>& got) {
  std::size_t i = 0;
  while (i < expected.size() && i < got.size() && expected[i] == got[i]) ++i;
  return i;
}

std::string description(const Program& program, int rank, std::size_t at, const Outcome& expected,
                        const std::vector<Outcome>& got) {
  std::ostringstream text;
  text << "program " << program.seed << ", rank " << rank << ", operation " << at << ": "
       << describe(program.ranks[static_cast<std::size_t>(rank)][at])
       << "\n  expected: " << describe(expected)
       << "\n  got:      " << (at < got.size() ? describe(got[at]) : "nothing: it did not end") << "\n";
  return text.str();
}

std::string breakdown(const record::RankSummary& s) {
  std::ostringstream text;
  text << "finish " << s.finish.picoseconds() << " = compute " << s.time.compute.picoseconds() << " + send "
       << s.time.send_overhead.picoseconds() << " + receive " << s.time.receive_overhead.picoseconds()
       << " + poll " << s.time.poll.picoseconds() << " + handshake " << s.time.handshake.picoseconds()
       << " + wait " << s.time.wait.picoseconds() << " + down " << s.time.down.picoseconds() << " ps; sent "
       << s.messages_sent << " messages, " << s.bytes_sent << " bytes";
  return text.str();
}

}  // namespace

Log read_log(const std::string& path) {
  Log log;
  std::ifstream file(path);
  std::vector<Outcome>* part = nullptr;
  for (std::string line; std::getline(file, line);) {
    if (line == "setup") {
      part = &log[0];
    } else if (line.rfind("program ", 0) == 0) {
      part = &log[std::strtoull(line.c_str() + 8, nullptr, 10)];
    } else if (part) {
      part->push_back(from_line(line));
    }
  }
  return log;
}

Program in_a_row(const std::vector<Program>& programs) {
  Program all;
  for (const Program& program : programs) {
    all.ranks.resize(program.ranks.size());
    for (std::size_t rank = 0; rank < program.ranks.size(); ++rank)
      all.ranks[rank].insert(all.ranks[rank].end(), program.ranks[rank].begin(), program.ranks[rank].end());
    all.slots = std::max(all.slots, program.slots);
    all.bytes = std::max(all.bytes, program.bytes);
  }
  return all;
}

Outcomes parts_of(const std::vector<std::vector<Outcome>>& outcomes, const std::vector<Program>& programs) {
  Outcomes parts(programs.size(), std::vector<std::vector<Outcome>>(outcomes.size()));
  for (std::size_t rank = 0; rank < outcomes.size(); ++rank) {
    auto next = outcomes[rank].begin();
    for (std::size_t p = 0; p < programs.size(); ++p) {
      const auto left = static_cast<std::size_t>(outcomes[rank].end() - next);
      const auto end = next + static_cast<std::ptrdiff_t>(std::min(left, programs[p].ranks[rank].size()));
      parts[p][rank].assign(next, end);
      next = end;
    }
  }
  return parts;
}

namespace {

void skip(Chain& chain, std::uint64_t program, Simulator::End why) {
  chain.skipped.push_back(program);
  ++(why == Simulator::End::endless ? chain.endless : chain.deadlocks);
}

// The first program that some rank has not ended. If all ranks have ended all programs, and messages remain: the last
// program.
std::size_t culprit(const Outcomes& parts, const std::vector<Program>& programs) {
  for (std::size_t p = 0; p + 1 < programs.size(); ++p)
    for (std::size_t rank = 0; rank < parts[p].size(); ++rank)
      if (parts[p][rank].size() < programs[p].ranks[rank].size()) return p;
  return programs.size() - 1;
}

}  // namespace

// Omits programs that do not end by themselves. In the chain, other programs that do not end would end at other
// instants than alone.
Chain simulate(const Batch& batch, std::uint64_t first, std::uint64_t count) {
  Chain chain{.batch = batch, .first = first, .count = count};
  const Program start = setup(batch.ranks);
  // setup(), which precedes all programs, must end.
  if (Simulator(batch.cluster, batch.ranks).run(start) != Simulator::End::finished)
    chain.batch.cluster.outages.clear();
  const Cluster& cluster = chain.batch.cluster;
  chain.programs = {start};
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const Program program = generate(seed, batch);
    const Simulator::End end = Simulator(cluster, batch.ranks).run(in_a_row({start, program}));
    if (end == Simulator::End::finished)
      chain.programs.push_back(program);
    else
      skip(chain, seed, end);
  }
  for (;;) {
    Simulator simulator(cluster, batch.ranks);
    const Simulator::End end = simulator.run(in_a_row(chain.programs));
    chain.expected = parts_of(simulator.outcomes(), chain.programs);
    if (end == Simulator::End::finished || chain.programs.size() == 1) {
      for (int rank = 0; rank < batch.ranks; ++rank) chain.finish.push_back(simulator.summary(rank));
      chain.coverage = simulator.coverage();
      return chain;
    }
    const std::size_t which = std::max<std::size_t>(1, culprit(chain.expected, chain.programs));
    skip(chain, chain.programs[which].seed, end);
    chain.programs.erase(chain.programs.begin() + static_cast<std::ptrdiff_t>(which));
  }
}

namespace {

// setup() and one program, whose nodes fail by now; nothing if the program is of no use.
std::optional<Chain> with_failures(Chain chain) {
  Simulator simulator(chain.batch.cluster, chain.batch.ranks);
  const Simulator::End how = simulator.run(in_a_row(chain.programs));
  if (how == Simulator::End::endless) return std::nullopt;
  chain.expected = parts_of(simulator.outcomes(), chain.programs);
  chain.ends = how != Simulator::End::deadlock;
  chain.leftover = chain.noticing && how == Simulator::End::leftover;
  for (int rank = 0; rank < chain.batch.ranks; ++rank) chain.finish.push_back(simulator.summary(rank));
  chain.coverage = simulator.coverage();
  return chain;
}

}  // namespace

std::optional<Chain> simulate_failing(Batch batch, std::uint64_t number) {
  Chain chain{.batch = batch, .first = number, .count = 1};
  chain.batch.cluster.outages.clear();
  chain.programs = {setup(batch.ranks), generate(number, batch)};
  Simulator without(chain.batch.cluster, batch.ranks);
  if (without.run(in_a_row(chain.programs)) == Simulator::End::endless) return std::nullopt;
  Instant end;
  for (int rank = 0; rank < batch.ranks; ++rank) end = std::max(end, without.clock(rank));
  fail_nodes(chain.batch, number, end - Instant::start());
  return with_failures(std::move(chain));
}

std::optional<Chain> simulate_noticing(Batch batch, std::uint64_t number) {
  Chain chain{.batch = batch, .first = number, .count = 1, .noticing = true};
  chain.batch.cluster.outages.clear();
  chain.programs = {setup(batch.ranks), generate_noticing(number, batch)};
  Simulator without(chain.batch.cluster, batch.ranks);
  if (without.run(in_a_row(chain.programs)) == Simulator::End::endless) return std::nullopt;
  const Outcomes parts = parts_of(without.outcomes(), chain.programs);
  // Messages of ranks that have ended the setup may delay those of others.
  Instant begin;
  for (const auto& outcomes : parts.front()) {
    if (outcomes.size() != chain.programs.front().ranks.front().size()) return std::nullopt;
    begin = std::max(begin, Instant::from_picoseconds(outcomes.back().clock));
  }
  std::vector<Instant> instants;
  for (const auto& outcomes : parts.back())
    for (const Outcome& o : outcomes) instants.push_back(Instant::from_picoseconds(o.clock));
  if (instants.empty()) return std::nullopt;
  fail_noticed(chain.batch, number, instants, begin);
  return with_failures(std::move(chain));
}

void explain(const Chain& chain) {
  std::printf("%s\n", describe(chain.batch).c_str());
  Simulator simulator(chain.batch.cluster, chain.batch.ranks);
  simulator.observe([](const std::string& line) { std::printf("    %s\n", line.c_str()); });
  simulator.run(in_a_row(chain.programs));
  const auto parts = parts_of(simulator.outcomes(), chain.programs);
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const Program& program = chain.programs[p];
    std::printf("program %llu\n", static_cast<unsigned long long>(program.seed));
    for (std::size_t rank = 0; rank < program.ranks.size(); ++rank) {
      for (std::size_t i = 0; i < parts[p][rank].size(); ++i) {
        std::printf("  rank %zu, %zu: %s\n      -> %s\n", rank, i, describe(program.ranks[rank][i]).c_str(),
                    describe(parts[p][rank][i]).c_str());
      }
    }
  }
}

std::optional<Difference> compare(const Chain& chain, const std::string& logs) {
  std::vector<Log> got;
  for (int rank = 0; rank < chain.batch.ranks; ++rank)
    got.push_back(read_log(logs + "." + std::to_string(rank)));
  return compare(chain, std::move(got));
}

std::optional<Difference> compare(const Chain& chain, std::vector<Log> got) {
  for (std::size_t p = 0; p < chain.programs.size(); ++p) {
    const Program& program = chain.programs[p];
    std::optional<Difference> difference;
    std::int64_t least = 0;
    for (std::size_t rank = 0; rank < got.size(); ++rank) {
      const auto& expected = chain.expected[p][rank];
      const auto& done = got[rank][program.seed];
      const std::size_t at = first_difference(expected, done);
      if (at == expected.size() && done.size() > expected.size())
        return Difference{program.seed, "program " + std::to_string(program.seed) + ", rank " +
                                            std::to_string(rank) + " did more than the expected " +
                                            std::to_string(expected.size()) + " operations\n"};
      if (at == expected.size() || (difference && expected[at].clock >= least)) continue;
      least = expected[at].clock;
      difference = {program.seed, description(program, static_cast<int>(rank), at, expected[at], done)};
    }
    if (difference) return difference;
  }
  return std::nullopt;
}

std::optional<Difference> compare(const Chain& chain, const record::RunSummary& record) {
  if (record.ranks.size() != chain.finish.size()) {
    return Difference{0, "the record has " + std::to_string(record.ranks.size()) + " ranks\n"};
  }
  for (std::size_t rank = 0; rank < chain.finish.size(); ++rank) {
    const std::string expected = breakdown(chain.finish[rank]), got = breakdown(record.ranks[rank]);
    if (expected == got) continue;
    return Difference{chain.first, "rank " + std::to_string(rank) + ", where its time went\n  expected: " +
                                       expected + "\n  got:      " + got + "\n"};
  }
  return std::nullopt;
}

}  // namespace emu::reference
