// Class of each MPI function under libemu, and the MPI function of an imported symbol.
#pragma once

#include <cstddef>
#include <string_view>

namespace emu::app {

enum class Class {
  emulated,  // by libemu
  passed,    // local: left to the MPI library
  refused,   // ends the job
};

struct Function {
  std::string_view name;  // in C: "MPI_Send"
  Class group;
  std::string_view why;  // refused: the reason
};

// libemu/mpi/functions.list, compiled in.
extern const Function functions[];
extern const std::size_t function_count;

// The function of an imported symbol, by its name in C (also PMPI_), or in Fortran as MPICH's three
// interfaces export it: mpi_send_, MPI_SEND, mpi_send_f08ts_, mpi_init_f08_, ... Null for other symbols.
const Function* function_of(std::string_view symbol);

// True for a name of C with the prefix PMPI_.
bool is_profiling_name(std::string_view symbol);

}  // namespace emu::app
