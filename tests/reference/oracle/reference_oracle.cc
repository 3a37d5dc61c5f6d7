// Compares the sequential simulator of tests/reference with the finish times of an independent one, to the last
// digit.
#include <cstdio>

#include "oracle/oracle.h"
#include "reference/simulator/simulator.h"

namespace {

using namespace emu;

// These schedules are sequential: each operation requires the one before it.
reference::Program to_program(const goal::Schedule& schedule) {
  reference::Program program;
  for (const auto& operations : schedule.ranks) {
    auto& rank = program.ranks.emplace_back();
    for (const goal::Operation& g : operations) {
      reference::Operation o;
      switch (g.kind) {
        case goal::Kind::send:
          o.action = reference::Action::send;
          o.out = {.to = g.peer, .tag = g.tag, .bytes = g.amount};
          break;
        case goal::Kind::receive:
          o.action = reference::Action::receive;
          o.in = {.from = g.peer, .tag = g.tag};
          break;
        case goal::Kind::compute:
          o.action = reference::Action::compute;
          o.picoseconds = g.amount * oracle::picoseconds_per_unit;
          break;
      }
      rank.push_back(o);
    }
  }
  return program;
}

// Returns the number of ranks that differ, and reports them.
int check(const oracle::Row& row, const std::string& folder) {
  const auto parameters = oracle::parameters(row);
  const auto schedule = oracle::load(row, folder);
  if (!parameters || !schedule) {
    std::fprintf(stderr, "%s\n", (parameters ? schedule.error() : parameters.error()).message.c_str());
    return 1;
  }
  reference::Simulator simulator(*parameters, row.ranks());
  if (simulator.run(to_program(*schedule)) != reference::Simulator::End::finished) {
    std::fprintf(stderr, "%s: did not finish\n", row.name().c_str());
    return 1;
  }
  int wrong = 0;
  for (int rank = 0; rank < row.ranks(); ++rank) {
    const auto got = simulator.clock(rank).picoseconds();
    const auto expected = row.finish[static_cast<std::size_t>(rank)] * oracle::picoseconds_per_unit;
    if (got == expected) continue;
    ++wrong;
    std::fprintf(stderr, "%s, rank %d: expected %lld ps, got %lld ps\n", row.name().c_str(), rank,
                 static_cast<long long>(expected), static_cast<long long>(got));
  }
  return wrong;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: reference_oracle FOLDER\n", stderr);
    return 2;
  }
  const std::string folder = argv[1];
  const auto rows = oracle::read(folder);
  if (!rows) {
    std::fprintf(stderr, "%s\n", rows.error().message.c_str());
    return 1;
  }
  int wrong = 0;
  for (const oracle::Row& row : *rows) wrong += check(row, folder) != 0;
  std::printf("%zu programs under all parameters, %d wrong\n", rows->size(), wrong);
  return wrong == 0 ? 0 : 1;
}
