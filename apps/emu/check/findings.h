// Properties of a program that are known before it runs under libemu. Nothing is executed: the symbols that the program
// and its libraries import tell which MPI functions it can call.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/failure.h"
#include "check/functions.h"

namespace emu::app {

struct Findings {
  std::map<std::string_view, const Function*> functions;  // that it can call, by name
  std::set<std::string> unknown;                          // MPI functions that functions.list does not have
  std::set<std::string> profiling;                        // called as PMPI_X, in C
  std::set<std::string> sleeps;                           // what it sleeps with
  std::set<std::string> threads;                          // what it makes threads with
  std::set<std::string> loads;                            // what it can load code with while it runs
  std::optional<std::string> shim;                        // where libemu is loaded from
  std::string preload;                 // why it needs `emu run --preload`; empty: it does not
  std::vector<std::string> obstacles;  // why it will not run, but for refused functions
};

// Failure if `program` cannot be read or looked into at all.
Result<Findings> look_into(const std::string& program);

}  // namespace emu::app
