// Static properties of a program under libemu. Nothing is executed: the symbols that
// the program and its libraries import show the MPI functions that it can call.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/failure.h"
#include "check/mpi_symbols.h"

namespace emu::app {

struct Findings {
  std::map<std::string_view, const Function*> functions;  // functions that it can call, by name
  std::set<std::string> unknown;                          // MPI functions missing in functions.list
  std::set<std::string> profiling;                        // called as PMPI_X, in C
  std::set<std::string> sleeps;                           // functions for sleeps that it imports
  std::set<std::string> threads;                          // functions for threads that it imports
  std::set<std::string> loads;         // functions for loading code at run time that it imports
  std::optional<std::string> shim;     // file from which libemu is loaded
  std::string preload;                 // reason why it needs `emu run --preload`; empty: it does not
  std::vector<std::string> obstacles;  // reasons why it cannot run, except refused functions
};

// Fails if `program` cannot be read or analysed.
Result<Findings> look_into(const std::string& program);

}  // namespace emu::app
