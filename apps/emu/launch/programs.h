// The programs of a job, as MPICH's mpirun takes them: "PROGRAM ARGS : -n N PROGRAM ARGS : ...".
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/failure.h"

namespace emu::app {

struct Program {
  std::optional<int> ranks;  // nothing: those that the other programs leave
  std::string name;
  std::vector<std::string> arguments;
};

// In the order in which ranks are given to them. `words`: from the first program's name on; `ranks`: the first program's. The word ":"
// ends a program's arguments; the options of the next one follow, of which there is -n alone.
Result<std::vector<Program>> parse_programs(const std::vector<std::string>& words, std::optional<int> ranks);

// How many ranks each of them has in a job of `ranks`, which is all_ranks() if each has a number. Failure: none are left for one.
Result<std::vector<int>> share_ranks(const std::vector<Program>& programs, int ranks);

// The ranks of those that have a number of their own.
int given_ranks(const std::vector<Program>& programs);
// The number of ranks of all, if each has one.
std::optional<int> all_ranks(const std::vector<Program>& programs);

// Their names and arguments in one line, with the options between them.
std::string words_of(const std::vector<Program>& programs);
// Their names: "./a", "./a : ./b".
std::string names_of(const std::vector<Program>& programs);

}  // namespace emu::app
