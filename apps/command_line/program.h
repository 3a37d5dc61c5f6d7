// main() of the programs, which differ in their options and their run() functions.
#pragma once

#include <mpi.h>

#include <iostream>

#include "command_line.h"

namespace command_line {

inline constexpr int bad_use = 2;  // exit code

template <class Options>
struct Program {
  const char* name;                                       // prefix of its error messages
  const char* usage;                                      // the help text above the options
  void (*add_options)(po::options_description& options);  // all but --help
  // Every one of the `ranks` ranks reads the same command line.
  emu::Result<void> (*read_options)(const Given& given, int ranks, Options& to);
  int (*run)(const Options& options, int rank);  // the exit code
  const char* word = "";                         // an option whose value may be given without its name
};

// Reports an error that all ranks find; rank 0 writes it.
inline int refuse(const char* program, int rank, const std::string& message) {
  if (rank == 0) std::cerr << program << ": " << message << std::endl;
  return bad_use;
}

template <class Options>
int run(int argc, char** argv, const Program<Options>& program) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  po::options_description known("Options");
  known.add_options()("help,h", "show this text");
  program.add_options(known);
  const emu::Result<Given> given = parse(argc, argv, known, program.word);
  if (!given) return refuse(program.name, rank, given.error().message);
  if (given->count("help")) {
    if (rank == 0) std::cout << program.usage << "\n\n" << known << std::flush;
    return 0;
  }
  Options options;
  const emu::Result<void> read = program.read_options(*given, ranks, options);
  if (!read) return refuse(program.name, rank, read.error().message);
  return program.run(options, rank);
}

template <class Options>
int main(int argc, char** argv, const Program<Options>& program) {
  MPI_Init(&argc, &argv);
  const int code = run(argc, argv, program);
  MPI_Finalize();
  return code;
}

}  // namespace command_line
