// Programs of a job in the syntax of MPICH's mpirun: "PROGRAM ARGS : -n N PROGRAM ARGS : ...".
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/failure.h"

namespace emu::app {

struct Program {
  std::optional<int> ranks;  // nothing: the remaining ranks
  std::string name;
  std::vector<std::string> arguments;
};

// In the order of their ranks. `words`: from the first program's name on; `ranks`: of the first program.
// The word ":" ends a program's arguments; the options of the next program follow, of which only -n exists.
Result<std::vector<Program>> parse_programs(const std::vector<std::string>& words, std::optional<int> ranks);

// The number of ranks of each in a job of `ranks`, which is all_ranks() if each has a number. Fails if one has none.
Result<std::vector<int>> share_ranks(const std::vector<Program>& programs, int ranks);

// Number of ranks of the programs with an own number.
int given_ranks(const std::vector<Program>& programs);
// Number of ranks of all programs, if each has an own number.
std::optional<int> all_ranks(const std::vector<Program>& programs);

// Names and arguments in one line, separated by the options.
std::string words_of(const std::vector<Program>& programs);
// Names: "./a", "./a : ./b".
std::string names_of(const std::vector<Program>& programs);

}  // namespace emu::app
