// A chain of random programs that one start of mpirun plays: the results expected by the simulator, and the comparison
// with the results that the player wrote.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/summary.h"
#include "reference/program/batch.h"
#include "reference/simulator/simulator.h"

namespace emu::reference {

// Results of each rank, by program and operation.
using Outcomes = std::vector<std::vector<std::vector<Outcome>>>;

// The programs as one program: a rank begins its next program at the end of the previous one, independently of others.
Program in_a_row(const std::vector<Program>& programs);
// Cuts the results of that program into the results of each of `programs`, as far as they exist.
Outcomes parts_of(const std::vector<std::vector<Outcome>>& outcomes, const std::vector<Program>& programs);

struct Chain {
  Batch batch;
  std::uint64_t first = 1;  // program numbers
  std::uint64_t count = 0;
  std::vector<std::uint64_t> skipped;       // deadlocks and other unusable programs
  std::vector<Program> programs;            // the rest; the first is setup()
  Outcomes expected;                        // per program, rank and operation
  std::vector<record::RankSummary> finish;  // per rank
  Coverage coverage;
  std::int64_t deadlocks = 0, endless = 0;
  bool ends = true;       // all programs, on the ranks that have not failed
  bool noticing = false;  // by simulate_noticing
  bool leftover = false;  // the library may report remains at the end
};

// Simulates one program on the batch's cluster, with nodes that fail during the program, for some time or for good. The
// program may end in a deadlock: the results until then are expected nevertheless. Returns nothing if the program is of
// no use.
std::optional<Chain> simulate_failing(Batch batch, std::uint64_t program);

// As simulate_failing, for a program that notices failures.
std::optional<Chain> simulate_noticing(Batch batch, std::uint64_t program);

Chain simulate(const Batch& batch, std::uint64_t first, std::uint64_t count);

// Prints the expected results of each program of the chain: all operations of all ranks, and all handled messages.
void explain(const Chain& chain);

struct Difference {
  std::uint64_t program = 0;  // its number
  std::string text;           // place, expected and actual result; some lines
};

// Results of one rank, by program; setup() is number 0.
using Log = std::map<std::uint64_t, std::vector<Outcome>>;
// Reads the file that the player wrote.
Log read_log(const std::string& path);

// The earliest difference in virtual time, in the first program that differs. `logs`: one for each rank.
std::optional<Difference> compare(const Chain& chain, std::vector<Log> logs);
// `logs`: the player's files without ".RANK".
std::optional<Difference> compare(const Chain& chain, const std::string& logs);

// Compares with the record of a run, which contains the parts of each rank's time.
std::optional<Difference> compare(const Chain& chain, const record::RunSummary& record);

}  // namespace emu::reference
