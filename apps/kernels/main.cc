// kernels: a small message-passing program that reports its result and its time.
//
// The result is equal natively and emulated. The time is measured with MPI_Wtime, after connections are made.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <iostream>

#include "command_line/program.h"
#include "kernels.h"

namespace kernels {
namespace {

namespace po = command_line::po;
using command_line::Given;
using command_line::value;

struct Named {
  const char* name;
  Kernel kernel;
};
constexpr Named all[] = {{"pingpong", pingpong}, {"exchange", exchange},   {"farm", farm},
                         {"stencil", stencil},   {"gradient", gradient},   {"sort", sort},
                         {"jacobi", jacobi},     {"wavefront", wavefront}, {"multigrid", multigrid},
                         {"fourier", fourier}};

void add_options(po::options_description& options) {
  auto add = options.add_options();
  add("kernel", value("NAME"),
      "pingpong, exchange, farm, stencil, gradient, sort, jacobi, wavefront, multigrid or fourier "
      "(pingpong)");
  add("bytes", value("N"), "of a message: pingpong, exchange; of a result: farm (1)");
  add("size", value("N"), "a rank's part: points (stencil), keys (sort), rows and columns (others) (1000)");
  add("rounds", value("N"), "messages, steps, tasks or sorts (100)");
  add("point", value("TIME"),
      "declare this work for each point, in seconds or with a unit: gradient and those behind sort (none)");
  add("task", value("TIME"), "farm: how long a slave sleeps, in seconds or with a unit (10ms)");
}

emu::Result<void> read_options(const Given& given, int ranks, Options& to) {
  std::vector<std::string> names;
  for (const Named& each : all) names.emplace_back(each.name);
  const auto read = command_line::all({
      command_line::read_choice(given, "kernel", names, to.kernel),
      command_line::read_count(given, "bytes", 1, 1 << 28, to.bytes),
      command_line::read_count(given, "size", 1, 1 << 24, to.size),
      command_line::read_count(given, "rounds", 1, 100'000'000, to.rounds),
      command_line::read_seconds(given, "task", to.task),
      command_line::read_seconds(given, "point", to.point),
  });
  const Kernel kernel = all[to.kernel].kernel;
  const bool pairs = kernel == pingpong || kernel == exchange || kernel == farm;
  if (read && pairs && ranks < 2) return emu::fail("this kernel needs two ranks or more");
  return read;
}

int run(const Options& options, int rank) {
  const Kernel kernel = all[options.kernel].kernel;
  // Makes connections and touches memory before the clock starts. A master connects to each slave with its first task.
  Options few = options;
  int ranks = 2;
  if (kernel == farm) MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  few.rounds = std::min(options.rounds, ranks);
  few.task = 0;
  kernel(few);
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  const double answer = kernel(options);
  const double mine = MPI_Wtime() - begin;
  double longest = 0;
  MPI_Reduce(&mine, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank != 0) return 0;
  std::cout << all[options.kernel].name << ": " << answer << std::endl;
  std::fprintf(stderr, "kernels: %.9f s\n", longest);
  return 0;
}

constexpr command_line::Program<Options> program = {
    "kernels",
    "Usage: mpirun -n RANKS kernels [OPTIONS] KERNEL\n"
    "Runs a small message-passing program, prints its result, and its time on standard error.",
    add_options,
    read_options,
    run,
    "kernel"};

}  // namespace
}  // namespace kernels

int main(int argc, char** argv) try {
  return command_line::main(argc, argv, kernels::program);
} catch (const std::exception& error) {
  std::fprintf(stderr, "kernels: %s\n", error.what());
  MPI_Abort(MPI_COMM_WORLD, 1);
}
