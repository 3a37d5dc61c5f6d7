#include "reference/chain.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "reference/generate.h"

namespace emu::reference {
namespace {

// Index of the first operation that is not as expected; the number of operations if none.
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

Chain simulate(const Batch& batch, std::uint64_t first, std::uint64_t count) {
  Chain chain{.batch = batch, .first = first, .count = count};
  // What comes before all programs has to end.
  if (Simulator(batch.cluster, batch.ranks).run(setup(batch.ranks)) != Simulator::End::finished)
    chain.batch.cluster.outages.clear();
  Simulator simulator(chain.batch.cluster, batch.ranks);
  const auto keep = [&](Program program) {
    Simulator attempt = simulator;
    const Simulator::End end = attempt.run(program);
    if (end != Simulator::End::finished) {
      chain.skipped.push_back(program.seed);
      ++(end == Simulator::End::endless ? chain.endless : chain.deadlocks);
      return;
    }
    simulator = attempt;
    chain.expected.push_back(simulator.outcomes());
    chain.programs.push_back(std::move(program));
  };
  keep(setup(batch.ranks));
  for (std::uint64_t seed = first; seed < first + count; ++seed) keep(generate(seed, batch));
  for (int rank = 0; rank < batch.ranks; ++rank) {
    chain.finish.push_back(simulator.summary(rank));
  }
  chain.coverage = simulator.coverage();
  return chain;
}

std::optional<Chain> simulate_failing(Batch batch, std::uint64_t number) {
  Chain chain{.batch = batch, .first = number, .count = 1};
  Cluster& cluster = chain.batch.cluster;
  cluster.outages.clear();
  const Program start = setup(batch.ranks), program = generate(number, batch);
  Simulator without(cluster, batch.ranks);
  if (without.run(start) != Simulator::End::finished || without.run(program) == Simulator::End::endless)
    return std::nullopt;
  Instant end;
  for (int rank = 0; rank < batch.ranks; ++rank) end = std::max(end, without.clock(rank));
  fail_nodes(chain.batch, number, end - Instant::start());

  Simulator simulator(cluster, batch.ranks);
  chain.programs = {start, program};
  Simulator::End how = simulator.run(start);
  chain.expected.push_back(simulator.outcomes());
  if (how == Simulator::End::finished) {
    how = simulator.run(program);
    chain.expected.push_back(simulator.outcomes());
  } else {
    chain.expected.emplace_back(static_cast<std::size_t>(batch.ranks));
  }
  if (how == Simulator::End::endless) return std::nullopt;
  chain.ends = how != Simulator::End::deadlock;
  for (int rank = 0; rank < batch.ranks; ++rank) chain.finish.push_back(simulator.summary(rank));
  chain.coverage = simulator.coverage();
  return chain;
}

std::optional<Chain> simulate_noticing(Batch batch, std::uint64_t number) {
  Chain chain{.batch = batch, .first = number, .count = 1, .noticing = true};
  Cluster& cluster = chain.batch.cluster;
  cluster.outages.clear();
  const Program start = setup(batch.ranks), program = generate_noticing(number, batch);
  Simulator without(cluster, batch.ranks);
  if (without.run(start) != Simulator::End::finished) return std::nullopt;
  Instant begin;
  for (int rank = 0; rank < batch.ranks; ++rank) begin = std::max(begin, without.clock(rank));
  if (without.run(program) == Simulator::End::endless) return std::nullopt;
  std::vector<Instant> instants;
  for (const auto& outcomes : without.outcomes())
    for (const Outcome& o : outcomes) instants.push_back(Instant::from_picoseconds(o.clock));
  if (instants.empty()) return std::nullopt;
  fail_noticed(chain.batch, number, instants, without.narrow(), begin);

  Simulator simulator(cluster, batch.ranks);
  chain.programs = {start, program};
  simulator.run(start);
  chain.expected.push_back(simulator.outcomes());
  const Simulator::End how = simulator.run(program);
  chain.expected.push_back(simulator.outcomes());
  if (how == Simulator::End::endless) return std::nullopt;
  chain.ends = how != Simulator::End::deadlock;
  chain.leftover = how == Simulator::End::leftover;
  for (int rank = 0; rank < batch.ranks; ++rank) chain.finish.push_back(simulator.summary(rank));
  chain.coverage = simulator.coverage();
  return chain;
}

void explain(const Chain& chain) {
  std::printf("%s\n", describe(chain.batch).c_str());
  Simulator simulator(chain.batch.cluster, chain.batch.ranks);
  simulator.observe([](const std::string& line) { std::printf("    %s\n", line.c_str()); });
  for (const Program& program : chain.programs) {
    std::printf("program %llu\n", static_cast<unsigned long long>(program.seed));
    simulator.run(program);
    for (std::size_t rank = 0; rank < program.ranks.size(); ++rank) {
      for (std::size_t i = 0; i < simulator.outcomes()[rank].size(); ++i) {
        std::printf("  rank %zu, %zu: %s\n      -> %s\n", rank, i, describe(program.ranks[rank][i]).c_str(),
                    describe(simulator.outcomes()[rank][i]).c_str());
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
